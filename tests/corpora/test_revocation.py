"""What was revoked is nowhere once the call has returned: no page, no cache and no iterator has it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pytest

from biblicus_context import ContextRetrieverRequest, Corpus, Principal, Record
from biblicus_context.corpora import MemoryAnswerCache, StoredAnswerCache
from biblicus_context.corpora.exporting import exported
from biblicus_context.embedders import FunctionEmbedder
from biblicus_context.stores import Batch
from biblicus_context.stores.sqlite import open_store
from biblicus_context.systems.workspace import RecordTree
from biblicus_context.testing.memory_store import InMemoryStore

BOB = Principal("local", user="bob")


@pytest.fixture(params=["sqlite", "memory"])
def corpus(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Corpus]:
    store = InMemoryStore() if request.param == "memory" else tmp_path / "store"
    with Corpus.open_records(store, embedder=None) as opened:
        tree = RecordTree(opened)
        pages = [Record(id=f"p{n:03}", text=f"Tea number {n}.", title=f"T{n}") for n in range(150)]
        tree.put(pages)
        tree.relate("p000", "p149", "cites")
        yield opened


def request(offset: int = 0, **more: str) -> ContextRetrieverRequest:
    return ContextRetrieverRequest(query="tea", offset=offset, limit=10, metadata=more)


def hide(corpus: Corpus) -> None:
    """Every page whose number ends with 5 is for Ann alone; by another object, as another program."""
    tree = RecordTree(corpus)
    for number in range(5, 150, 10):
        tree.grant(f"p{number:03}", users=["ann"])


def is_hidden(document: str) -> bool:
    return document.endswith("5")


@pytest.mark.parametrize("cache", ["none", "memory", "stored"])
@pytest.mark.parametrize("assembly", [{}, {"assembly": "one"}])
def test_later_pages_of_a_query_have_nothing_that_was_revoked(
    corpus: Corpus, cache: str, assembly: dict[str, str]
):
    """Pages are of the version of the first one; rights are those of now."""
    caches = {"memory": MemoryAnswerCache(100), "stored": StoredAnswerCache(corpus)}
    settings = {
        "retriever_id": "keyword",
        **({} if cache == "none" else {"cache": {"ttl_seconds": 60}}),
    }
    search = corpus.for_principal(BOB).retriever(settings, answer_cache=caches.get(cache))
    first = [search(request(offset, **assembly)) for offset in (0, 10, 20)]
    assert any(is_hidden(each.evidence_item_id[:4]) for page in first for each in page.blocks)
    hide(corpus)
    for offset in (10, 0, 20, 30, 40):
        page = search(request(offset, **assembly))
        assert page.blocks
        assert not [each for each in page.blocks if is_hidden(each.evidence_item_id[:4])]


ITERATORS: dict[str, Callable[[Corpus], Iterator[str]]] = {
    "documents": lambda corpus: (each.id for each in corpus.documents()),
    "export_lines": lambda corpus: (json.loads(each)["id"] for each in corpus.export_lines()),
    "exported": lambda corpus: (
        line.get("document") or line.get("id") or line["type"] for line in exported(corpus)
    ),
}


@pytest.mark.parametrize("name", ITERATORS)
def test_an_iterator_that_runs_has_nothing_that_was_revoked(corpus: Corpus, name: str):
    found = ITERATORS[name](corpus.for_principal(BOB))
    before = [*islice(found, 12)]
    hide(corpus)
    after = [*found]
    assert before
    assert len({*before, *after} - {"corpus", "relation"}) == 150 - 15 + len(
        [*filter(is_hidden, before)]
    )
    assert not [*filter(is_hidden, after)]


def test_lines_of_a_document_end_where_it_is_revoked(corpus: Corpus):
    """Also its blocks and its relations: whoever follows them may not read what is at the other end."""
    lines = exported(corpus.for_principal(BOB))
    read = [next(lines), next(lines)]
    assert read[1]["id"] == "p000"
    RecordTree(corpus).make_private("p000")
    assert next(lines)["id"] == "p001"
    lines = exported(corpus.for_principal(Principal("local", sees_all=True)))
    read = [*islice(lines, 3)]
    assert read[2]["type"] == "block"
    lines = exported(corpus.for_principal(Principal("local", user="ann")))
    RecordTree(corpus).make_private("p149")
    assert not [each for each in lines if each["type"] == "relation"]


@pytest.mark.parametrize("write", ["update", "put"])
def test_what_is_written_meanwhile_does_not_bring_back_what_was_revoked(write: str, tmp_path: Path):
    """Another program revokes while this one embeds what it is about to write."""
    waiting: list[Callable[[], object]] = []

    def embed(texts: list[str]) -> list[list[float]]:
        for change in [*waiting]:
            waiting.remove(change)
            change()
        return [[1.0, float(len(each))] for each in texts]

    slow = FunctionEmbedder(embed, model="slow", dimensions=2)
    with open_store(tmp_path) as ours, open_store(tmp_path) as theirs:
        tree = RecordTree(Corpus.open_records(ours, embedder=slow))
        other = RecordTree(Corpus.open_records(theirs, embedder=slow))
        tree.put([Record(id="p", text="Tea."), Record(id="b", parent="p", text="Milk.")])
        tree.grant("p", users=["ann", "bob"])
        waiting.append(lambda: other.revoke("p", users=["bob"]))
        if write == "update":
            tree.corpus.update("b", text="Cream.")
        else:
            cup = Record(id="c", parent="p", text="Cup.")
            tree.put([Record(id="b", parent="p", text="Cream."), cup])
        assert not waiting
        (b,) = tree.corpus.get(["b"])
        assert (b.text, sorted(b.readers.users)) == ("Cream.", ["ann"])
        assert {each.readers for each in tree.corpus.documents()} == {b.readers}


def test_texts_are_embedded_once_however_often_others_write_first(tmp_path: Path):
    """Else a slow embedder would never write beside programs that write often."""
    embedded: list[str] = []

    def embed(texts: list[str]) -> list[list[float]]:
        embedded.extend(texts)
        if embedded[-1] == "Tea.":
            theirs.write(Principal("local"), Batch())
        return [[1.0, 0.0] for _ in texts]

    slow = FunctionEmbedder(embed, model="slow", dimensions=2)
    with open_store(tmp_path) as ours, open_store(tmp_path) as theirs:
        RecordTree(Corpus.open_records(ours, embedder=slow)).put([Record(id="p", text="Tea.")])
        assert embedded == ["Tea."]
