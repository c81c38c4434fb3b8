"""What is around a document in a tree, and the outline of one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context import ContextAssembler
from biblicus_context.corpora import Corpus
from biblicus_context.corpora.search.outlining import outline_of
from biblicus_context.errors import RetrieverError
from biblicus_context.stores import Batch, Block, Document, Entry, Principal, Readers
from biblicus_context.text.counters import default_counter
from tests.corpora.searching import ask

ALL = {"limit": 50}
LONG = """# Guide

The guide to lamps.

## Bulbs

Bulbs are warm.
Some are cold.

### Sizes

Two sizes exist.

## Shades

Shades are made of paper.
"""


def entry(name: str, parent: str | None, position: int | None, **more: Any) -> Entry:
    block = Block(id=f"{name}#0", document_id=name, position=0, text=f"Text of {name}.", tokens=4)
    document = Document(id=name, path=name, parent=parent, position=position, **more)
    return Entry(document, (block,))


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """root > page > b0 ... b6; b3 > c0, c1, c2; and a cycle of two."""
    root = tmp_path_factory.mktemp("planted") / "notes"
    root.mkdir()
    (root / "guide.md").write_text(LONG, "utf-8")
    with Corpus.open(root) as corpus:
        corpus.ingest()
        entries = [
            entry("root", None, None),
            entry("page", "root", 0),
            *(entry(f"b{number}", "page", number) for number in range(7)),
            *(entry(f"c{number}", "b3", 2 - number) for number in range(3)),
            entry("hen", "egg", 0),
            entry("egg", "hen", 0),
            entry("secret", "b3", 3, readers=Readers(users=frozenset({"somebody"}))),
        ]
        corpus.store.write(corpus.principal, Batch(put=tuple(entries)))
    return root


def tree(root: Path, **config: Any) -> dict[str | None, float | None]:
    inputs = config.pop("inputs", {})
    settings = {"retriever_id": "tree", **ALL, **config}
    result = ask(root, "?", settings, inputs=inputs)
    return {each.path: each.score for each in result.citations}


def test_ancestors_siblings_and_children_are_scored_by_their_distance(planted: Path):
    assert tree(planted, **{"from": "{input.block}"}, inputs={"block": "b3"}) == {
        "b3": 1.0, "page": 0.9, "c2": 0.85, "b2": 0.8, "b4": 0.8, "c1": 0.8, "root": 0.8,
        "b1": 0.75, "b5": 0.75, "c0": 0.75,
    }  # fmt: skip


def test_each_direction_is_as_wide_as_the_plan_says(planted: Path):
    narrow = {"from": "b3", "ancestors": 0, "siblings": 0, "children": 1, "include_start": False}
    assert [*tree(planted, **narrow)] == ["c2"]
    assert [*tree(planted, **{**narrow, "children": 0, "siblings": 1})] == ["b2", "b4"]
    assert [*tree(planted, **{**narrow, "children": 0, "ancestors": 1})] == ["page"]


def test_children_of_children_follow_as_deep_as_the_plan_says(planted: Path):
    below = {"from": "root", "siblings": 0, "children": 4, "include_start": False}
    assert [*tree(planted, **below)] == ["page"]
    deep = tree(planted, **below, depth=3)
    assert deep == {
        "page": 0.85, "b0": 0.75, "b1": 0.7, "b2": 0.65, "b3": 0.6, "c2": 0.65, "c1": 0.6, "c0": 0.55,
    }  # fmt: skip
    assert [*tree(planted, **{**below, "from": "hen"}, depth=9)] == ["egg"]
    of_call = {**below, "depth": "{input.depth}"}
    assert tree(planted, **of_call, inputs={"depth": 3}) == deep
    assert tree(planted, **of_call, inputs={"depth": 0}) == {}
    for wrong in (-1, 51, "3", None):
        with pytest.raises(RetrieverError, match="depth"):
            tree(planted, **of_call, inputs={"depth": wrong})


def test_at_the_edge_of_a_row_there_are_siblings_on_one_side_only(planted: Path):
    assert [*tree(planted, **{"from": "b0"}, ancestors=0)] == ["b0", "b1", "b2"]


def test_parents_in_a_cycle_end(planted: Path):
    assert [*tree(planted, **{"from": "hen"}, ancestors=9)] == ["hen", "egg"]


def test_what_a_principal_may_not_read_is_not_in_its_tree(planted: Path):
    with Corpus.open(planted, principal=Principal("local", user="somebody")) as corpus:
        retriever = corpus.retriever({"retriever_id": "tree", "from": "b3"})
        assert "secret" in [
            each.document.id for each in retriever.evidence("?", offset=0, limit=50)
        ]
    assert "secret" not in tree(planted, **{"from": "b3"})


def test_a_document_that_does_not_exist_is_an_error(planted: Path):
    with pytest.raises(RetrieverError, match="the corpus has no such document: found 'b33'"):
        tree(planted, **{"from": "b33"})


def test_ranking_by_structure_prefers_what_is_near_in_the_tree(planted: Path):
    near = {"structure": {"near": ["{input.block}"], "step": 0.2}}
    names = ["c1", "b3", "c0", "page", "b2", "root", "hen"]
    config = {"retriever_id": "explicit", "documents": names, "rank": near, **ALL}
    scores = {
        each.path: each.score
        for each in ask(planted, "?", config, inputs={"block": "c1"}).citations
    }
    wanted = {"c1": 1.0, "b3": 0.8, "c0": 0.6, "page": 0.6, "b2": 0.4, "root": 0.4, "hen": 0.0}
    assert {name: scores[name] for name in wanted} == pytest.approx(wanted)


def test_without_a_place_all_are_as_near(planted: Path):
    config = {
        "retriever_id": "explicit",
        "documents": ["b1", "hen"],
        "rank": {"structure": {"near": "{input.none}"}},
        **ALL,
    }
    found = ask(planted, "?", config, inputs={"none": []}).citations
    assert {each.score for each in found} == {0.5}


def outline(root: Path, **config: Any) -> str:
    settings = {"retriever_id": "outline", "documents": ["guide.md"], **config}
    return ask(root, "?", settings).system_prompt


def test_an_outline_has_the_headings_and_the_first_line_below_each(planted: Path):
    assert outline(planted).splitlines() == [
        "# Guide", "The guide to lamps.", "## Bulbs", "Bulbs are warm.", "### Sizes",
        "Two sizes exist.", "## Shades", "Shades are made of paper.",
    ]  # fmt: skip


def test_an_outline_may_go_on_with_the_first_lines_of_children(planted: Path):
    page = {"documents": ["b3"], "children": 2}
    assert outline(planted, **page).splitlines() == ["Text of b3.", "Text of c2.", "Text of c1."]
    assert outline(planted, **page, tokens=6).splitlines() == ["Text of b3."]
    hidden = outline(planted, **{**page, "children": 99})
    assert "secret" not in hidden


def test_headings_come_before_lines_where_tokens_are_few(planted: Path):
    assert outline(planted, tokens=14).splitlines() == [
        "# Guide", "## Bulbs", "### Sizes", "## Shades",
    ]  # fmt: skip
    assert outline(planted, tokens=1) == "# Guide"


@given(
    st.text(max_size=20),
    st.lists(
        st.tuples(st.lists(st.sampled_from("abc"), max_size=3), st.text(max_size=40)), max_size=6
    ),
    st.integers(1, 60),
)
def test_an_outline_keeps_to_its_tokens_but_for_its_first_line(
    title: str, parts: list[tuple[list[str], str]], most: int
):
    blocks = [
        Block(id=str(n), document_id="d", position=n, text=text, tokens=1, heading=tuple(heading))
        for n, (heading, text) in enumerate(parts)
    ]
    text = outline_of(title, blocks, most, default_counter())
    assert default_counter().count(text) <= most or "\n" not in text.strip("\n") or "\n" in title


def test_a_citation_names_the_document_and_its_kind(planted: Path):
    settings = {"retriever_id": "explicit", "documents": ["guide.md", "b1"]}
    found = {each.document: each.kind for each in ask(planted, "?", settings).citations}
    assert found == {"guide.md": "markdown", "b1": "document"}


def test_headings_of_blocks_are_words_where_the_plan_says_so(planted: Path):
    settings = {"retriever_id": "explicit", "documents": ["guide.md"], "limit": 9}
    plain = ask(planted, "?", settings).system_prompt
    escaped = ask(planted, "?", {**settings, "format": {"escape_headings": True}}).system_prompt
    assert "\n## Bulbs" in plain
    assert "\n\\## Bulbs" in escaped
    assert outline(planted, format={"escape_headings": True}).splitlines()[:3] == [
        "Guide", "The guide to lamps.", "Bulbs",
    ]  # fmt: skip


def test_a_short_block_is_placed_once_where_a_combined_retriever_finds_it_too(planted: Path):
    named = {"retriever_id": "explicit", "corpus": "notes", "documents": ["b1", "b2"]}
    both = {"retriever_id": "combined", "of": [named, {**named, "name": "again"}]}
    asked = ContextAssembler(
        {
            "ask": {
                "policy": {
                    "input_budget": {"max_tokens": 900},
                    "pack_budget": {"default_ratio": 1},
                },
                "messages": [{"type": "context", "name": name} for name in ("all", "named")],
            }
        },
        {"all": {"config": both}, "named": {"config": named}},
        {"notes": {"config": {"root": str(planted)}}},
    )
    found = [each.document for each in asked.assemble("ask", inputs={"query": "?"}).citations]
    assert sorted(found) == ["b1", "b2"]
