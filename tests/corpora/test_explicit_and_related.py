"""Documents that are named, and documents that relations lead to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from biblicus_context.corpora import Corpus
from biblicus_context.errors import RetrieverError
from biblicus_context.stores import Batch, Principal, Relation
from tests.corpora.searching import ask, paths

ALL = {"limit": 50}


@pytest.fixture(scope="module")
def linked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four notes in a row of relations, and one that nothing leads to."""
    root = tmp_path_factory.mktemp("linked") / "notes"
    (root / "deep").mkdir(parents=True)
    for name, text in {
        "start": "The lamp is in the hall.",
        "bulb": "A bulb of forty watts.",
        "shop": "The shop opens at nine.",
        "deep/street": "Market street is closed.",
        "alone": "Nobody cites this.",
    }.items():
        (root / f"{name}.md").write_text(f"# {name}\n\n{text}\n", "utf-8")
    with Corpus.open(root) as corpus:
        corpus.ingest()
        relations = (
            Relation("start.md", "bulb.md", "needs"),
            Relation("bulb.md", "shop.md", "sold at"),
            Relation("shop.md", "deep/street.md", "lies in"),
        )
        corpus.store.write(corpus.principal, Batch(relate=relations))
    return root


def explicit(root: Path, **config: Any) -> list[str | None]:
    inputs = config.pop("inputs", {})
    return paths(ask(root, "?", {"retriever_id": "explicit", **ALL, **config}, inputs=inputs))


def related(root: Path, question: str = "?", **config: Any) -> list[str | None]:
    inputs = config.pop("inputs", {})
    return paths(ask(root, question, {"retriever_id": "related", **ALL, **config}, inputs=inputs))


def test_documents_stand_in_the_order_in_which_they_are_named(linked: Path):
    assert explicit(linked, documents=["shop.md", "alone.md", "bulb.md"]) == [
        "shop.md",
        "alone.md",
        "bulb.md",
    ]


def test_a_name_may_be_a_pattern_and_is_placed_once(linked: Path):
    assert explicit(linked, documents=["deep/*.md", "**/*t*.md"]) == ["deep/street.md", "start.md"]


def test_blocks_are_named_by_id_and_come_after_the_documents(linked: Path):
    with Corpus.open(linked) as corpus:
        block = corpus.search("Nobody cites this")[0].block.id
    assert explicit(linked, blocks=block, documents="bulb.md") == ["bulb.md", "alone.md"]
    assert explicit(linked, blocks=[block], filters={"path": "deep/**"}) == []


def test_names_come_from_inputs_alone_or_in_lists(linked: Path):
    inputs = {"file": "shop", "files": ["bulb.md", "start.md"]}
    documents = ["{input.file}.md", "{input.files}"]
    assert explicit(linked, documents=documents, inputs=inputs) == [
        "shop.md",
        "bulb.md",
        "start.md",
    ]
    assert explicit(linked, documents="{input.files}", inputs=inputs) == ["bulb.md", "start.md"]


def test_filters_hold_for_what_is_named(linked: Path):
    named = ["shop.md", "deep/street.md"]
    assert explicit(linked, documents=named, filters={"path": "deep/**"}) == ["deep/street.md"]
    assert explicit(linked, documents=named, filters={"document": "bulb.md"}) == []


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        ({"documents": "shpo.md"}, r"no such document: found 'shpo.md'.*Did you mean 'shop.md'"),
        ({"blocks": "shop.md#1"}, r"no such block: found 'shop.md#1'"),
    ],
)
def test_a_name_without_a_document_is_an_error(linked: Path, config: dict[str, Any], problem: str):
    with pytest.raises(RetrieverError, match=problem):
        explicit(linked, **config)


def test_what_another_workspace_has_is_unknown_by_every_name(linked: Path):
    config = {"retriever_id": "explicit", "documents": "shop.md"}
    with pytest.raises(RetrieverError, match=r"no such document: found 'shop.md'$"):
        ask(linked, "?", config, principal=Principal("another"))


def test_relations_are_followed_up_to_the_depth(linked: Path):
    assert related(linked, **{"from": "start.md"}) == ["bulb.md"]
    assert related(linked, **{"from": ["start.md"], "depth": 3}) == [
        "bulb.md",
        "shop.md",
        "deep/street.md",
    ]
    assert related(linked, **{"from": "start.md", "depth": 3}, most_documents=2) == [
        "bulb.md",
        "shop.md",
    ]


def test_only_relations_of_the_named_types_and_direction_count(linked: Path):
    around = {"from": "{input.file}", "depth": 2, "inputs": {"file": "bulb.md"}}
    assert related(linked, **around, relation="needs") == []
    assert related(linked, **around, relation=["sold at"]) == ["shop.md"]
    assert related(linked, **around, direction="in") == ["start.md"]
    assert related(linked, **around, direction="both") == ["shop.md", "start.md", "deep/street.md"]


def test_a_call_that_names_no_document_finds_none(linked: Path):
    assert related(linked, **{"from": "{input.files}", "inputs": {"files": []}}) == []


def test_the_query_finds_where_to_begin(linked: Path):
    assert related(linked, "Where is the lamp in the hall?", starts=1) == ["bulb.md"]
    assert related(linked, " ") == []


def test_the_score_falls_with_distance_and_filters_hold_for_what_is_reached(linked: Path):
    config = {"retriever_id": "related", "from": "start.md", "depth": 3, **ALL}
    result = ask(linked, "?", config)
    assert [each.score for each in result.citations] == [1.0, 0.5, 0.25]
    assert related(linked, **{"from": "start.md", "depth": 3}, filters={"path": "deep/**"}) == [
        "deep/street.md"
    ]


def test_links_between_files_are_relations_without_any_python(tmp_path: Path):
    root = tmp_path / "notes"
    root.mkdir()
    (root / "lamp.md").write_text("# Lamp\n\nIt takes a [bulb](bulb.md).\n", "utf-8")
    (root / "bulb.md").write_text("# Bulb\n\nForty watts.\n", "utf-8")
    (root / "alone.md").write_text("# Alone\n\nNobody links here.\n", "utf-8")
    with Corpus.open(root) as corpus:
        corpus.ingest()
    assert related(root, "lamp", starts=1, relation=["links"]) == ["bulb.md"]
    assert related(root, **{"from": "bulb.md", "direction": "in"}) == ["lamp.md"]
