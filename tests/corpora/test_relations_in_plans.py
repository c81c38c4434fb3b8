"""Plans reach rows of a table, backlinks, the tree of a page and its outline, and only what the user may read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from biblicus_context import ContextAssembler, Corpus, Principal, Readers, Record
from biblicus_context.ingest import RelationTo
from biblicus_context.testing.memory_store import InMemoryStore

ANN = Principal("acme", user="ann")
BOB = Readers(users=frozenset({"bob"}))
PAGES = [
    Record(id="space", title="Space", text="The space of the team."),
    Record(id="launch", title="Launch", text="Launch plan.", parent="space", position=0),
    Record(id="budget", title="Budget", text="Budget plan.", parent="space", position=1),
    Record(id="hall", text="Book the hall.", parent="launch", position=0),
    Record(id="band", text="Book the band.", parent="launch", position=1),
    Record(id="secret", text="Fire the band.", parent="launch", position=2, readers=BOB),
]
TABLE = [
    Record(id="guests", title="Guests", text="The table of guests."),
    Record(id="ada", text="Ada, vegan.", relations=(RelationTo("guests", "row_of"),)),
    Record(id="ben", text="Ben, no nuts.", relations=(RelationTo("guests", "row_of", 0.5),)),
    Record(id="spy", text="The spy.", readers=BOB, relations=(RelationTo("guests", "row_of"),)),
    Record(id="memo", text="See the guests.", relations=(RelationTo("guests", "links"),)),
]


@pytest.fixture(params=["sqlite", "memory"], scope="module")
def workspace(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Corpus]:
    store: Path | InMemoryStore = (
        tmp_path_factory.mktemp("workspace") / "store"
        if request.param == "sqlite"
        else InMemoryStore()
    )
    with Corpus.open_records(store, principal=Principal("acme", sees_all=True)) as corpus:
        corpus.put([*PAGES, *TABLE])
        yield corpus.for_principal(ANN)


def placed(corpus: Corpus, config: dict[str, Any], **inputs: str) -> list[str | None]:
    """The documents that a declared retriever places, in their order."""
    assembler = ContextAssembler(
        {"ask": {"messages": [{"type": "context", "name": "kb"}]}},
        {"kb": {"corpus": "pages", "config": {"limit": 20, **config}}},
        {},
        corpora={"pages": corpus},
        principal=ANN,
    )
    result = assembler.assemble("ask", inputs={"query": "the", **inputs})
    return [each.document for each in result.citations]


def test_the_rows_of_a_table_are_reached_by_the_type_of_their_relation(workspace: Corpus):
    rows = {
        "retriever_id": "related",
        "from": "{input.table}",
        "relation": "row_of",
        "direction": "in",
    }
    assert placed(workspace, rows, table="guests") == ["ada", "ben"]


def test_backlinks_are_the_other_direction(workspace: Corpus):
    config = {"retriever_id": "related", "from": "guests", "relation": "links"}
    assert placed(workspace, config) == []
    assert placed(workspace, {**config, "direction": "in"}) == ["memo"]
    assert placed(workspace, {**config, "from": "memo"}) == ["guests"]
    both = {"retriever_id": "related", "from": "guests", "direction": "both", "depth": 2}
    assert {*placed(workspace, both)} == {"ada", "ben", "memo"}


def test_a_page_has_its_ancestors_its_children_in_order_and_its_siblings(workspace: Corpus):
    config = {"retriever_id": "tree", "from": "{input.page}"}
    assert placed(workspace, config, page="launch") == ["launch", "space", "hall", "band", "budget"]
    assert placed(workspace, {**config, "children": 1, "siblings": 0}, page="launch") == [
        "launch",
        "space",
        "hall",
    ]


def test_an_outline_begins_with_the_title(workspace: Corpus):
    config = {"retriever_id": "outline", "documents": ["launch"], "tokens": 20}
    assembler = ContextAssembler(
        {"ask": {"messages": [{"type": "context", "name": "kb"}]}},
        {"kb": {"corpus": "pages", "config": config}},
        {},
        corpora={"pages": workspace},
        principal=ANN,
    )
    text = assembler.assemble("ask", inputs={"query": "x"}).system_prompt
    assert text.startswith(("# Launch", "Launch"))
    assert "Launch plan." in text
