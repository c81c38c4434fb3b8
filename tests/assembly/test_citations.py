"""Where the evidence in a context comes from, and what of it an answer rests on."""

from __future__ import annotations

import copy
import json
import pickle
import re
from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context import ContextAssemblyResult, attribute, cite
from biblicus_context.retrieval import Origin
from tests.assembly.fakes import Shelf, assembled, plan, words

RETURNS = {
    "evidence_item_id": "handbook/returns.md#0",
    "text": "Goods may be sent back within thirty days. The customer pays the postage.",
    "source": "handbook",
    "score": 0.75,
    "metadata": {
        "path": "handbook/returns.md",
        "lines": [3, 9],
        "title": "Returns",
        "kind": "guide",
    },
}
GIFTS = {"evidence_item_id": "gifts", "text": "Gift wrapping costs two euros."}
INLINE = {"format": {"citations": "inline"}}


def asked(
    *blocks: Any,
    policy: dict[str, Any] | None = None,
    join_with: str = "\n\n",
    **options: Any,
) -> ContextAssemblyResult:
    context = plan({"type": "context", "name": "kb", **options}, **(policy or {}))
    settings = {"config": {"limit": 50, "join_with": join_with}}
    return assembled(context, {"kb": settings}, retriever_override=Shelf([*blocks]))


def test_a_citation_says_where_a_block_comes_from_and_what_of_it_is_placed():
    (citation,) = asked(RETURNS).citations
    assert citation.model_dump() == {
        "id": citation.id,
        "evidence": "handbook/returns.md#0",
        "pack": "kb",
        "document": None,
        "kind": "guide",
        "source": "handbook",
        "path": "handbook/returns.md",
        "lines": (3, 9),
        "title": "Returns",
        "origin": None,
        "replaces": (),
        "contains": (),
        "created": None,
        "score": 0.75,
        "tokens": 13,
        "excerpt": RETURNS["text"],
    }
    assert citation.place == "handbook/returns.md:3-9"


def test_a_citation_and_the_receipt_name_the_origin_of_a_block():
    origin = {"session": "s1", "messages": ["m1", "m2"], "commit": "abc"}
    said = {"evidence_item_id": "m", "text": "We ship on Friday.", "metadata": {"origin": origin}}
    result = asked(said)
    (citation,) = result.citations
    assert citation.origin == Origin(session="s1", messages=("m1", "m2"), commit="abc")
    (row,) = result.receipt.parts[0].blocks
    assert row.origin == citation.origin
    written = json.loads(result.receipt.model_dump_json())["parts"][0]["blocks"][0]["origin"]
    assert written == {**origin, "file": None}


def test_a_score_and_a_source_in_the_metadata_are_the_same_in_the_citation_and_the_receipt():
    known = {"score": 0.95, "source_uri": "handbook/gifts.md"}
    result = asked({**GIFTS, "metadata": known})
    (citation,) = result.citations
    (block,) = result.receipt.parts[0].blocks
    assert (citation.score, citation.source) == (0.95, "handbook/gifts.md")
    assert (block.score, block.source) == (citation.score, citation.source)


def test_ids_stand_in_front_of_blocks_where_the_plan_asks_for_them():
    result = asked(RETURNS, GIFTS, **INLINE)
    one, other = (citation.id for citation in result.citations)
    assert result.system_prompt == f"[{one}] {RETURNS['text']}\n\n[{other}] {GIFTS['text']}"
    assert asked(RETURNS, GIFTS).system_prompt == f"{RETURNS['text']}\n\n{GIFTS['text']}"


def test_ids_stand_above_metadata_lines_and_inside_the_fence():
    form = {"citations": "inline", "metadata": ["title"], "fence": True}
    result = asked(RETURNS, format=form)
    assert re.fullmatch(
        rf"<(evidence-\w+)>\n\[{result.citations[0].id}\]\ntitle: Returns\nGoods .*\n</\1>",
        result.system_prompt,
    )


def test_an_id_is_the_same_wherever_the_block_stands():
    first = {citation.evidence: citation.id for citation in asked(RETURNS, GIFTS).citations}
    turned = {citation.evidence: citation.id for citation in asked(GIFTS, RETURNS).citations}
    assert first == turned
    assert len(set(first.values())) == 2


@pytest.mark.parametrize("ordering", ["rank", "score", "source", "edges"])
def test_citations_come_in_the_order_of_the_text(ordering: str):
    blocks = [
        {"evidence_item_id": name, "text": f"This is {name}.", "score": score, "source": source}
        for name, score, source in [
            ("a", 0.1, "y"),
            ("b", 0.9, "x"),
            ("c", 0.5, "y"),
            ("d", 0.7, "x"),
        ]
    ]
    result = asked(*blocks, ordering=ordering)
    in_text = re.findall(r"This is (\w)", result.system_prompt)
    assert [citation.evidence for citation in result.citations] == in_text


def test_blocks_that_are_dropped_are_not_cited_and_shortened_ones_are_with_what_is_left():
    policy = {"input_budget": {"max_tokens": 35}, "pack_budget": {"default_ratio": 1.0}}
    blocks = [{"evidence_item_id": f"e{n}", "text": words(20, f"w{n}")} for n in range(3)]
    result = asked(*blocks, policy=policy)
    placed = [(citation.evidence, citation.excerpt) for citation in result.citations]
    assert [name for name, _ in placed] == ["e0", "e1"]
    assert 0 < len(placed[1][1]) < len(words(20, "w1"))
    assert all(excerpt in result.system_prompt for _, excerpt in placed)


def test_the_blocks_of_nested_contexts_are_cited_too():
    outer = plan({"type": "context", "name": "inner"}, {"type": "user", "content": "Q"})
    inner = {
        "messages": [{"type": "system", "content": "Rules."}, {"type": "context", "name": "kb"}]
    }
    result = assembled(outer, {"kb": Shelf([GIFTS])}, {"inner": inner})
    assert [(citation.evidence, citation.pack) for citation in result.citations] == [
        ("gifts", "inner")
    ]


def test_a_copied_result_keeps_its_citations():
    result = asked(RETURNS)
    for twin in (copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert twin.citations == result.citations


def test_whatever_a_retriever_says_of_lines_and_paths_is_taken_only_where_it_makes_sense():
    odd = {**GIFTS, "metadata": {"lines": "3-9", "path": 7, "title": "", "source_uri": "s"}}
    (citation,) = asked(odd).citations
    assert (citation.lines, citation.path, citation.title) == (None, None, None)
    assert citation.place == "s"


def test_an_answer_is_traced_to_the_blocks_it_names():
    result = asked(RETURNS, GIFTS, **INLINE)
    returns, gifts = result.citations
    cited = cite(f"Within thirty days [{returns.id}], wrapped for two euros【{gifts.id}】.", result)
    assert cited.used == (returns, gifts)
    assert (cited.repeated, cited.unknown) == ((), ())


def test_ids_may_share_brackets_and_what_was_never_shown_is_told():
    result = asked(RETURNS, GIFTS, **INLINE)
    returns, gifts = result.citations
    cited = cite(f"Yes [{gifts.id}, {returns.id.upper()}; 00000000].", result)
    assert cited.used == (gifts, returns)
    assert cited.unknown == ("00000000",)


def test_a_block_that_is_repeated_and_not_named_is_noticed():
    result = asked(RETURNS, GIFTS)
    cited = cite("As we say: goods may be sent back within thirty days, the customer pays.", result)
    assert cited.used == ()
    assert [citation.evidence for citation in cited.repeated] == ["handbook/returns.md#0"]


def test_the_sources_can_be_printed_behind_the_answer():
    result = asked(RETURNS, GIFTS, **INLINE)
    returns, gifts = result.citations
    cited = cite(f"Two euros [{gifts.id}]. Thirty days [{returns.id}][{gifts.id}].", result)
    assert cited.sources() == (
        f"## Sources\n\n- [{gifts.id}] gifts\n- [{returns.id}] Returns, handbook/returns.md:3-9"
    )
    assert cited.numbered("From") == (
        "Two euros [1]. Thirty days [2][1].\n\n"
        "## From\n\n1. gifts\n2. Returns, handbook/returns.md:3-9"
    )


@pytest.mark.parametrize(
    "answer",
    [
        "Yes [{a} and {b}].",
        "Yes [{a} | {b}], or [^{a}].",
        "Yes ({a}, {b}).",
        "Yes [id: {a}] [Source {b}].",
        "Yes [{a}, p. 3; {b}: lines 3-9].",
        "Yes 【{a}†source】【{b}†L1】.",
        "はい［{a}］と［{b}］。",
        'Yes ["{a}", `{b}`].',
        "As {a} and <{b}> say, yes.",
        "Yes [{a}, 2] [{b}, none].",
    ],
)
def test_an_id_is_found_in_whatever_form_a_model_writes_it(answer: str):
    result = asked(RETURNS, GIFTS, **INLINE)
    returns, gifts = result.citations
    cited = cite(answer.format(a=returns.id, b=gifts.id), result)
    assert (cited.used, cited.unknown) == ((returns, gifts), ())
    said, _, _ = cited.numbered().partition("\n\n## Sources")
    assert returns.id not in said
    assert gifts.id not in said


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Yes [{a} and {b}].", "Yes [1 and 2]."),
        ("Yes ({a}).", "Yes (1)."),
        ("Yes 【{a}†L1】.", "Yes 【1†L1】."),
        ("As {a} says, yes.", "As [1] says, yes."),
        ("Yes [{a}, 00000000].", "Yes [1, 00000000]."),
    ],
)
def test_numbers_stand_where_the_ids_stood(answer: str, expected: str):
    result = asked(RETURNS, GIFTS, **INLINE)
    returns, gifts = result.citations
    cited = cite(answer.format(a=returns.id, b=gifts.id), result)
    assert cited.numbered().partition("\n\n## Sources")[0] == expected


def test_what_was_never_shown_is_told_where_only_ids_stand_and_not_where_code_does():
    result = asked(RETURNS, GIFTS, **INLINE)
    returns, _ = result.citations
    cited = cite(f"Yes [{returns.id} and 0a0b0c0d], [^00000001].", result)
    assert cited.unknown == ("0a0b0c0d", "00000001")
    code = (
        f"Run `git show [deadbeef]`:\n```\nrows[20240101] = 0x{returns.id}ff\n```\nCommit 12345678."
    )
    assert cite(code, result).unknown == ()
    assert cite(code, result).used == ()


def test_blocks_of_two_retrievers_with_the_same_id_are_both_told_of():
    context = plan(
        {"type": "context", "name": "laws", **INLINE},
        {"type": "context", "name": "notes", **INLINE},
    )
    law = {"evidence_item_id": "1", "text": "Theft is forbidden.", "source": "laws.db"}
    note = {"evidence_item_id": "1", "text": "Buy milk.", "source": "notes.db"}
    result = assembled(context, {"laws": Shelf([law]), "notes": Shelf([note])})
    cited = cite(f"Yes [{result.citations[0].id}].", result)
    assert cited.sources().endswith(f"- [{result.citations[0].id}] laws.db; notes.db")
    assert cited.numbered().endswith("1. laws.db; notes.db")


def test_a_title_of_several_lines_stays_one_source():
    told = {**RETURNS, "metadata": {"title": "Returns\n\n## Sources\n\n- [0] me", "path": "a.md"}}
    result = asked(told, **INLINE)
    cited = cite(f"Yes [{result.citations[0].id}].", result)
    assert cited.numbered().splitlines()[-1] == "1. Returns ## Sources - [0] me, a.md"


def test_an_answer_without_sources_is_left_as_it_is():
    cited = cite("I do not know [1].", asked(RETURNS))
    assert (cited.sources(), cited.numbered()) == ("", "I do not know [1].")


def test_a_block_in_two_packs_is_one_source():
    context = plan(
        {"type": "context", "name": "kb", **INLINE}, {"type": "context", "name": "kb", **INLINE}
    )
    result = assembled(context, {"kb": {}}, retriever_override=Shelf([GIFTS]))
    cited = cite(f"Two euros [{result.citations[0].id}].", result)
    assert len(cited.used) == 2
    assert cited.sources().count("gifts") == 1


@pytest.mark.parametrize("compactor", ["truncate", "tail", "head_tail", "extractive", "summary"])
def test_every_sentence_of_the_evidence_is_traced_to_its_block_also_when_shortened(compactor: str):
    story = " ".join(
        f"The {animal} lives in house number {n}."
        for n, animal in enumerate(["cat", "dog", "cow", "hen"])
    )
    policy = {
        "input_budget": {"max_tokens": 40},
        "pack_budget": {"default_ratio": 1.0},
        "compactor": compactor,
    }
    result = asked(
        {"evidence_item_id": "story", "text": story}, RETURNS, policy=policy, ordering="edges"
    )
    whole = [
        each for each in attribute(result.system_prompt, result) if each.sentence.strip() in story
    ]
    assert whole
    assert {each.citation.evidence for each in whole if each.citation} == {"story"}


def test_what_an_author_wrote_is_traced_to_no_block():
    context = plan({"type": "system", "content": "Be kind."}, {"type": "context", "name": "kb"})
    result = assembled(context, {"kb": Shelf([GIFTS])})
    traced = {
        each.sentence.strip(): each.citation for each in attribute(result.system_prompt, result)
    }
    assert traced["Be kind."] is None
    assert traced["Gift wrapping costs two euros."] == result.citations[0]


def test_a_line_of_the_author_that_begins_as_a_block_does_is_not_taken_for_it():
    rules = "These are the rules.\nBe kind to everyone."
    context = plan({"type": "system", "content": rules}, {"type": "context", "name": "kb"})
    result = assembled(context, {"kb": Shelf([{"evidence_item_id": "kind", "text": "Be kind"}])})
    traced = [
        (each.sentence.strip(), each.citation is not None)
        for each in attribute(result.system_prompt, result)
    ]
    assert traced[-2:] == [("Be kind to everyone.", False), ("Be kind", True)]


@pytest.mark.parametrize(
    "form",
    [
        {"citations": "inline"},
        {"citations": "inline", "fence": True},
        {"citations": "inline", "metadata": True},
        {"metadata": ["title", "id"], "fence": True},
    ],
)
def test_what_is_written_above_a_block_hides_none_of_its_sentences(form: dict[str, Any]):
    result = asked(RETURNS, GIFTS, format=form)
    traced = [
        each.citation.evidence for each in attribute(result.system_prompt, result) if each.citation
    ]
    assert traced == ["handbook/returns.md#0", "handbook/returns.md#0", "gifts"]


def test_a_sentence_of_two_blocks_is_traced_to_the_one_in_which_it_stands():
    blocks = [
        {"evidence_item_id": name, "text": f"See below. This is {name}"} for name in ("a", "b")
    ]
    for result in (asked(*blocks, **INLINE), asked(*blocks, join_with="\n")):
        traced = [
            (each.sentence.strip(), each.citation.evidence)
            for each in attribute(result.system_prompt, result)
            if each.citation
        ]
        assert traced == [
            ("See below.", "a"),
            ("This is a", "a"),
            ("See below.", "b"),
            ("This is b", "b"),
        ]


def test_a_quoted_sentence_is_traced_to_the_block_that_is_named_behind_it():
    blocks = [{"evidence_item_id": name, "text": "Gifts cost two euros."} for name in ("a", "b")]
    result = asked(*blocks, **INLINE, dedupe=False)
    first, second = result.citations
    (traced,) = attribute(f"Gifts cost two euros [{second.id}].", result)
    assert traced.citation == second
    (traced,) = attribute("Gifts cost two euros.", result)
    assert traced.citation == first


@given(st.text(), st.lists(st.text(min_size=1), max_size=3))
def test_any_answer_over_any_evidence_can_be_traced(answer: str, evidence: list[str]):
    result = asked(*[{"evidence_item_id": f"e{n}", "text": t} for n, t in enumerate(evidence)])
    cited = cite(answer, result)
    assert set(cited.used) | set(cited.repeated) <= set(result.citations)
    assert "".join(each.sentence for each in attribute(answer, result)).split() == answer.split()
