"""A corpus needs nothing of its store but the Protocol."""

from __future__ import annotations

from pathlib import Path

import pytest

from biblicus_context import ContextAssembler
from biblicus_context.corpora import Corpus, maintenance
from biblicus_context.corpora.exporting import exported
from biblicus_context.stores import StoreError
from biblicus_context.testing.memory_store import InMemoryStore

ASKED = {
    "hybrid": {"rank": {"similarity": 1, "usage": 1}, "neighbours": 1},
    "keyword": {},
    "fuzzy": {},
    "vector": {},
    "recent": {},
    "explicit": {"documents": ["tea.md"]},
    "related": {"from": ["bread.md"]},
}


@pytest.fixture
def corpus(root: Path) -> Corpus:
    (root / "bread.md").write_text("# Bread\n\nRye bread, with [tea](tea.md).\n", "utf-8")
    corpus = Corpus.open(root, store=InMemoryStore())
    corpus.ingest()
    return corpus


@pytest.mark.parametrize("retriever_id", ASKED)
def test_every_retriever_answers_from_it(corpus: Corpus, retriever_id: str):
    found = corpus.search("green tea", retriever_id=retriever_id, **ASKED[retriever_id])
    assert "tea.md" in [each.source for each in found]


def test_an_assembly_is_answered_from_it(corpus: Corpus):
    assembler = ContextAssembler(
        {"page": {"messages": [{"type": "context", "name": "kb"}]}},
        {"kb": {"config": {"query": "green tea"}}},
        retriever_functions={"kb": corpus.retriever({"retriever_id": "hybrid"})},
    )
    assert assembler.assemble("page").citations[0].source == "tea.md"


def test_it_stays_open_and_nothing_is_kept_beside_the_files(corpus: Corpus):
    store, before = corpus.store, corpus.search("tea")[0].block
    with corpus:
        assert corpus.ingest().unchanged == 4
    assert corpus.store is store
    assert corpus.search("tea")[0].block == before
    assert not corpus.place.parent.exists()


def test_it_is_looked_after_as_far_as_a_store_can_be(corpus: Corpus):
    assert maintenance.check(corpus) == ()
    assert maintenance.vacuum(corpus) == (0, 0)
    assert maintenance.account(corpus).bytes == 0
    assert [line["type"] for line in exported(corpus)].count("document") == 4


def test_an_index_in_the_corpus_folder_is_not_taken_for_it(corpus: Corpus):
    with Corpus.open(corpus.root) as other:
        other.ingest()
    assert maintenance.account(corpus).bytes == 0
    assert not maintenance.is_removable(corpus)
    with pytest.raises(StoreError, match="a store was passed"):
        maintenance.remove(corpus)
    assert other.search("tea")
    other.close()
