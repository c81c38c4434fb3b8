"""Evidence becomes a pack: ordered, described and joined as its policy says."""

from __future__ import annotations

import math
from collections import Counter, UserDict
from copy import deepcopy
from itertools import product
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pydantic import ValidationError

from biblicus_context.errors import InputError, PlanError
from biblicus_context.retrieval.packs.builders import ContextPackPolicy, build_context_pack
from biblicus_context.retrieval.packs.pack import ContextPack
from tests.retrieval import sparingly

RANKED = [
    {"item_id": "a", "text": "Alpha.", "rank": 1, "score": 0.5, "source_uri": "z.md"},
    {"item_id": "b", "text": "Beta.", "rank": 2, "score": 0.9, "source_uri": "y.md"},
    {"item_id": "c", "text": "Gamma.", "rank": 3, "score": 0.7, "source_uri": "z.md"},
]

DESCRIPTIONS: list[dict[str, Any]] = [
    {},
    {"rank": 1, "score": 0.5, "source_uri": "x"},
    {"rank": 1, "score": math.nan, "source_uri": None},
    {"rank": 7, "score": math.inf, "source_uri": "y", "metadata": None},
    {"rank": None, "score": None, "stage": "scan", "metadata": {"": None, "n": [1]}},
    {"score": -1.0, "metadata": {"a\nscore": "1\u2028id: 2", "half": "\ud800"}},
]
TEXTS = [None, "", " \n", "Text.", " Two\nlines. "]
POOL = [
    {"item_id": name, "text": text, **described}
    for name, text, described in product(["a", "b", "ab"], TEXTS, DESCRIPTIONS)
]

evidence = st.lists(st.sampled_from(POOL), max_size=8)
policies = st.builds(
    ContextPackPolicy,
    join_with=st.text(max_size=3),
    ordering=st.sampled_from(["rank", "score", "source", "edges"]),
    include_metadata=st.booleans(),
    metadata_fields=st.none() | st.lists(st.text(max_size=2)),
)


def build(items: list[dict[str, Any]], **policy: Any) -> ContextPack:
    return build_context_pack({"evidence": items}, policy=ContextPackPolicy(**policy))


def names(pack: ContextPack) -> list[str]:
    return [block.evidence_item_id for block in pack.blocks]


def test_evidence_is_joined_in_the_order_of_its_rank() -> None:
    pack = build(list(reversed(RANKED)))
    assert pack.text == "Alpha.\n\nBeta.\n\nGamma."
    assert pack.evidence_count == 3
    assert names(pack) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("ordering", "order"), [("rank", "abc"), ("score", "bca"), ("source", "bca"), ("edges", "acb")]
)
def test_a_policy_orders_the_blocks(ordering: str, order: str) -> None:
    assert names(build(RANKED, ordering=ordering)) == list(order)


def test_equal_ranks_and_equal_scores_are_ordered_by_name() -> None:
    equal = [{"item_id": name, "text": name, "rank": 1, "score": 1.0} for name in "cab"]
    assert names(build(equal)) == names(build(equal, ordering="score")) == ["a", "b", "c"]


def test_evidence_without_a_rank_follows_in_the_order_it_came() -> None:
    items = [{"item_id": name, "text": name} for name in "cab"]
    assert names(build([*items, RANKED[1]])) == ["b", "c", "a", "b"]


@sparingly
@given(evidence, policies)
def test_every_evidence_with_text_is_one_block_and_no_other_is(
    items: list[dict[str, Any]], policy: ContextPackPolicy
) -> None:
    pack = build_context_pack({"evidence": items}, policy=policy)
    with_text = [item for item in items if (item["text"] or "").strip()]
    assert Counter(names(pack)) == Counter(item["item_id"] for item in with_text)
    assert pack.evidence_count == len(pack.blocks)
    assert pack.text == policy.join_with.join(block.text for block in pack.blocks)


@sparingly
@given(evidence, policies)
def test_evidence_is_not_changed(items: list[dict[str, Any]], policy: ContextPackPolicy) -> None:
    before = deepcopy(items)
    build_context_pack({"evidence": items}, policy=policy)
    assert repr(items) == repr(before)


@pytest.mark.parametrize("text", [None, "", " \n\t "])
def test_evidence_without_text_is_left_out(text: str | None) -> None:
    assert names(build([{"item_id": "x", "text": text, "rank": 1}, RANKED[0]])) == ["a"]


@pytest.mark.parametrize(
    ("retriever_id", "expected"),
    [
        ("sqlite-full-text-search", ["x", "x#80-160"]),
        ("scan", ["x", "x"]),
        (None, ["x", "x"]),
    ],
)
def test_pieces_of_one_item_are_told_apart_where_a_retriever_of_biblicus_finds_several(
    retriever_id: str | None, expected: list[str]
) -> None:
    spans = [{"span_start": 0, "span_end": 80}, {"span_start": 80, "span_end": 160}]
    found = {
        "retriever_id": retriever_id,
        "evidence": [{"item_id": "x", "text": "Text.", **span} for span in spans],
    }
    pack = build_context_pack(found, policy=ContextPackPolicy(include_metadata=True))
    assert names(pack) == expected
    assert [block.metadata and block.metadata["item_id"] for block in pack.blocks] == ["x", "x"]


def test_half_a_surrogate_pair_is_replaced_as_it_would_be_when_sent() -> None:
    item = {"item_id": "a\ud800", "text": "b\udfff", "metadata": {"c\ud800": "d\udfff"}}
    pack = build([item], include_metadata=True)
    assert pack.text == "item_id: a\ufffd\nsource_uri: none\nc\ufffd: d\ufffd\nb\ufffd"
    assert names(pack) == ["a\ufffd"]


def test_no_evidence_is_an_empty_pack() -> None:
    assert build([]) == ContextPack(text="", evidence_count=0, blocks=[])


def test_a_block_keeps_source_and_score_for_those_who_order_it_again() -> None:
    block = build(RANKED).blocks[0]
    assert (block.source, block.score, block.metadata) == ("z.md", 0.5, None)


def test_metadata_stands_in_lines_above_the_text() -> None:
    item = {**RANKED[0], "stage": "scan", "metadata": {"title": "T", "author": "Ann", "score": 9}}
    block = build([item], include_metadata=True).blocks[0]
    assert block.text == (
        "item_id: a\nsource_uri: z.md\nscore: 0.5\nstage: scan\nauthor: Ann\ntitle: T\nAlpha."
    )
    assert block.metadata == {
        "item_id": "a",
        "source_uri": "z.md",
        "score": 0.5,
        "stage": "scan",
        "author": "Ann",
        "title": "T",
    }


def test_an_author_chooses_which_metadata_is_written() -> None:
    item = {"item_id": "a", "text": "A", "metadata": {"title": "T", "author": "Ann"}}
    pack = build([item], include_metadata=True, metadata_fields=["title", "missing"])
    assert pack.text == "item_id: a\nsource_uri: none\ntitle: T\nA"


@sparingly
@given(st.dictionaries(st.text(), st.text() | st.lists(st.text(), max_size=2), max_size=4))
def test_metadata_cannot_start_a_line_of_its_own(metadata: dict[str, Any]) -> None:
    item = {"item_id": "a", "text": "Text.", "metadata": metadata}
    lines = build([item], include_metadata=True).text.splitlines()
    extra = metadata.keys() - {"item_id", "source_uri", "score", "stage"}
    assert len(lines) == len(extra) + 3
    assert lines[-1] == "Text."


class Owned:
    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)


@pytest.mark.parametrize(
    "shape", [dict, SimpleNamespace, Owned, UserDict], ids=lambda s: s.__name__
)
def test_a_result_may_be_any_object_or_mapping_with_evidence(shape: Any) -> None:
    items = tuple(shape(**item) for item in RANKED)
    result = shape(evidence=items, query_text="q")
    assert build_context_pack(result, policy=ContextPackPolicy()) == build(RANKED)


def test_a_read_only_mapping_is_a_result_as_well() -> None:
    result = MappingProxyType({"evidence": [MappingProxyType(item) for item in RANKED]})
    assert build_context_pack(result, policy=ContextPackPolicy()) == build(RANKED)


@pytest.mark.parametrize(
    ("result", "place"),
    [
        (None, "Input should be a valid dictionary"),
        ("text", "Input should be a valid dictionary"),
        ({}, "evidence"),
        ({"evidence": None}, "evidence"),
        ({"evidence": [{"text": "no name"}]}, "evidence.0.item_id"),
        ({"evidence": [RANKED[0], {"item_id": "b", "text": 5}]}, "evidence.1.text"),
    ],
)
def test_what_is_not_a_result_is_refused_with_the_place_that_is_wrong(
    result: object, place: str
) -> None:
    with pytest.raises(InputError, match=f"is not a retrieval result .{place}.*`evidence`"):
        build_context_pack(result, policy=ContextPackPolicy())


def test_an_unknown_ordering_is_an_error_that_lists_the_valid_ones() -> None:
    with pytest.raises(ValidationError, match="'rank', 'score', 'source' or 'edges'"):
        ContextPackPolicy.model_validate({"ordering": "relevance"})


def test_a_policy_cannot_be_changed_to_an_unknown_ordering() -> None:
    policy = ContextPackPolicy()
    with pytest.raises(ValidationError, match="'rank', 'score', 'source' or 'edges'"):
        policy.ordering = "relevance"  # type: ignore[assignment]


def test_an_unknown_ordering_in_a_policy_of_biblicus_is_refused_with_the_nearest() -> None:
    theirs = pytest.importorskip("biblicus.context")
    policy = theirs.ContextPackPolicy(ordering="scor")
    with pytest.raises(PlanError, match=r"found 'scor'\. Valid: rank, .*Did you mean 'score'\?"):
        build_context_pack({"evidence": []}, policy=policy)
