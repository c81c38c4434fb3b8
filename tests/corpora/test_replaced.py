"""A hit names the documents that its own superseded, and nothing that the user may not read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from biblicus_context import ContextAssembler, Corpus, Principal, Readers, Record
from biblicus_context.testing.memory_store import InMemoryStore

ANN = Principal("acme", user="ann")
OLD = [
    Record(id="monday", text="We ship on Monday.", superseded_by="friday"),
    Record(id="tuesday", text="We ship on Tuesday.", superseded_by="friday"),
    Record(
        id="secret",
        text="We ship on Sunday.",
        superseded_by="friday",
        readers=Readers(users=frozenset({"bob"})),
    ),
]
NEW = Record(id="friday", text="We ship on Friday.", superseded_by=None)


@pytest.fixture(params=["sqlite", "memory"])
def plans(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Corpus]:
    store = tmp_path / "plans" if request.param == "sqlite" else InMemoryStore()
    with Corpus.open_records(store, principal=ANN) as corpus:
        corpus.for_principal(Principal("acme", user="bob")).put([NEW, *OLD])
        yield corpus


def replaced(corpus: Corpus) -> dict[str, tuple[str, ...]]:
    return {hit.document.id: hit.replaces for hit in corpus.search("When do we ship?")}


def test_a_hit_names_what_it_replaced_for_those_who_may_read_it(plans: Corpus):
    assert replaced(plans) == {"friday": ("monday", "tuesday")}
    bob = plans.for_principal(Principal("acme", user="bob"))
    assert replaced(bob) == {"friday": ("monday", "secret", "tuesday")}


def test_a_chain_names_one_step_and_a_hit_that_replaces_nothing_names_nothing(plans: Corpus):
    plans.put([Record(id="saturday", text="We ship on Saturday.")])
    plans.update("friday", superseded_by="saturday")
    assert replaced(plans) == {"saturday": ("friday",)}


def test_at_most_ten_are_named(plans: Corpus):
    plans.put(Record(id=f"old{n:02}", text=f"Day {n}.", superseded_by="friday") for n in range(30))
    assert len(replaced(plans)["friday"]) == 10


def test_a_format_and_the_citations_name_them(plans: Corpus):
    item = "{content} (replaces {replaces}; {origin.session})"
    insert = {"type": "context", "name": "kb", "format": {"item": item}}
    assembler = ContextAssembler({"ask": {"messages": [insert]}}, {"kb": plans.retriever()})
    result = assembler.assemble("ask", inputs={"query": "When do we ship?"})
    assert result.system_prompt == "We ship on Friday. (replaces monday, tuesday; )"
    assert result.citations[0].replaces == ("monday", "tuesday")
