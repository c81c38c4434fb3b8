"""All requests of one assembly are answered from one version of a corpus."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from biblicus_context import ContextRetrieverRequest
from biblicus_context.corpora import Corpus, CorpusRetriever, NotIndexedError, maintenance
from biblicus_context.corpora.declared import DeclaredRetrievers
from biblicus_context.corpora.errors import OtherEmbedderError
from biblicus_context.errors import EmbedderError
from biblicus_context.retrieval.packs.pack import ContextPack
from biblicus_context.spec.corpus import CorpusDeclaration
from biblicus_context.spec.retriever import RetrieverDeclaration
from biblicus_context.testing.store_samples import seen
from tests.corpora.searching import assembler, ids

PAGED = {
    "input_budget": {"max_tokens": 4000},
    "pack_budget": {"default_ratio": 1.0},
    "expansion": {"max_pages": 9},
}
LAMPS = {f"{number}.md": f"Lamp {number} has a bulb.\n" for number in range(6)}


class Meddling:
    """A retriever that changes the corpus behind every page it answers."""

    def __init__(self, corpus: Corpus, **settings: Any) -> None:
        self._corpus = corpus
        self._retriever = corpus.retriever(settings)
        self._changes = 0

    def __call__(self, request: ContextRetrieverRequest) -> ContextPack:
        pack = self._retriever(request)
        self._changes += 1
        (self._corpus.root / f"{self._changes - 1}.md").unlink(missing_ok=True)
        (self._corpus.root / f"new{self._changes}.md").write_text("Lamp lamp lamp bulb.\n", "utf-8")
        self._corpus.ingest()
        return pack


@pytest.fixture
def lamps(tmp_path: Path) -> Iterator[Corpus]:
    root = tmp_path / "lamps"
    root.mkdir()
    for name, text in LAMPS.items():
        (root / name).write_text(text, "utf-8")
    with Corpus.open(root) as corpus:
        corpus.ingest()
        yield corpus


def placed(corpus: Corpus, functions: dict[str, Any], **policy: Any) -> dict[str, list[str]]:
    limited = [{"limit": 2, "query": "{input.question}"} for _ in functions]
    asked = assembler(
        corpus.root,
        *limited,
        policy={**PAGED, **policy, "dedupe": False},
        retriever_functions=functions,
    )
    result = asked.assemble("ask", inputs={"question": "lamp bulb"})
    return {name: [each.partition("#")[0] for each in ids(result, name)] for name in functions}


def test_an_ingest_between_two_pages_neither_repeats_nor_loses_a_block(lamps: Corpus):
    found = placed(lamps, {"kb0": Meddling(lamps, retriever_id="keyword")})
    assert sorted(found["kb0"]) == sorted(LAMPS)
    assert not (lamps.root / "0.md").exists()


def test_two_packs_of_one_corpus_are_answered_from_the_same_version(lamps: Corpus):
    functions = {"kb0": Meddling(lamps, retriever_id="keyword"), "kb1": lamps.retriever({})}
    found = placed(lamps, functions)
    assert sorted(found["kb0"]) == sorted(found["kb1"]) == sorted(LAMPS)


def test_the_next_assembly_sees_what_was_changed_since(lamps: Corpus):
    retriever = lamps.retriever({"retriever_id": "keyword"})
    assert sorted(placed(lamps, {"kb0": retriever})["kb0"]) == sorted(LAMPS)
    (lamps.root / "0.md").unlink()
    lamps.ingest()
    assert sorted(placed(lamps, {"kb0": retriever})["kb0"]) == sorted({*LAMPS} - {"0.md"})


def test_a_first_page_is_of_the_newest_version_wherever_it_begins(lamps: Corpus):
    retriever = lamps.retriever({"retriever_id": "keyword", "offset": 1})
    request = ContextRetrieverRequest(query="lamp bulb", offset=1, limit=9)
    assert len(retriever(request).blocks) == 5
    (lamps.root / "0.md").unlink()
    lamps.ingest()
    assert len(retriever(request).blocks) == 4


def test_the_next_assembly_sees_new_feedback(lamps: Corpus):
    """Use and feedback make no version, so a ranking by them is not kept for the next question."""
    retriever = lamps.retriever({"retriever_id": "recent", "rank": "usage", "limit": 9})
    request = ContextRetrieverRequest(query="lamp bulb", limit=9)
    last = retriever(request).blocks[-1].evidence_item_id
    lamps.store.record_usage(lamps.principal, helpful=[last])
    assert retriever(request).blocks[0].evidence_item_id == last


def test_the_next_assembly_sees_what_was_used_since(lamps: Corpus):
    """The same of a filter by the time of the last use."""
    filters = {"accessed": {"from": "2020-01-01"}}
    retriever = lamps.retriever({"retriever_id": "recent", "filters": filters})
    request = ContextRetrieverRequest(query="lamp bulb", limit=9)
    assert retriever(request).blocks == []
    used = lamps.search("lamp bulb")[0].block.id
    lamps.store.record_usage(lamps.principal, used=[used], when=datetime(2026, 3, 1, tzinfo=UTC))
    assert [each.evidence_item_id for each in retriever(request).blocks] == [used]


def test_an_assembly_that_outlives_its_version_goes_on_with_the_newest(lamps: Corpus):
    retriever = lamps.retriever({"retriever_id": "keyword"})
    request = ContextRetrieverRequest(query="lamp bulb", limit=2, metadata={"assembly": "slow one"})
    assert retriever(request).evidence_count == 2
    (lamps.root / "0.md").unlink()
    lamps.ingest()
    lamps.store.vacuum()
    for query in ("lamp bulb", "a bulb"):
        fresh = request.model_copy(update={"query": query, "limit": 9})
        assert len(retriever(fresh).blocks) in (5, 6)
    other = ContextRetrieverRequest(query="bulb", limit=9, metadata={"assembly": "slow one"})
    assert len(lamps.retriever()(other).blocks) == 5


def test_an_embedder_that_failed_once_is_called_again(lamps: Corpus, monkeypatch: Any):
    retriever = lamps.retriever({"retriever_id": "hybrid"})
    request = ContextRetrieverRequest(query="lamp bulb", limit=9)
    asked: list[str] = []

    def failing(text: str) -> Any:
        asked.append(text)
        raise EmbedderError("the server is gone")

    embedder = lamps.embedder
    assert embedder is not None
    with monkeypatch.context() as patch:
        patch.setattr(type(embedder), "embed_query", lambda _self, text: failing(text))
        for _ in range(2):
            with pytest.raises(EmbedderError):
                retriever(request)
    assert len(asked) == 2
    assert len(retriever(request).blocks) == 6


def test_declared_corpora_are_opened_as_the_caller_says(lamps: Corpus):
    opened: list[str] = []

    def open_corpus(declared: CorpusDeclaration, _principal: Any) -> Corpus:
        opened.append(declared.name)
        return lamps

    declared = DeclaredRetrievers(
        {
            name: RetrieverDeclaration(
                name=name, corpus="lamps", config={"retriever_id": "keyword"}
            )
            for name in ("one", "two")
        },
        {"lamps": CorpusDeclaration(name="lamps", config={"root": "nowhere"})},
        open_corpus=open_corpus,
    )
    for name in ("one", "two"):
        retriever = declared.get(name)
        assert isinstance(retriever, CorpusRetriever)
        assert retriever.evidence("lamp", offset=0, limit=1)
    assert opened == ["lamps"]


def test_values_of_calls_do_not_mix(lamps: Corpus):
    settings = {"filters": {"path": "{input.file}"}, "retriever_id": "keyword"}
    retriever = lamps.retriever(settings)
    for _ in range(2):
        for name in ("1.md", "2.md"):
            request = ContextRetrieverRequest(
                query="lamp", metadata=json.loads(json.dumps({"filters": {"path": name}}))
            )
            assert [block.source for block in retriever(request).blocks] == [name]


def test_a_retriever_answers_from_an_index_that_was_deleted_and_made_again(lamps: Corpus):
    retriever = lamps.retriever({"retriever_id": "keyword"})
    request = ContextRetrieverRequest(query="bulb", limit=9)
    before = retriever(request)
    assert len(before.blocks) == len(LAMPS)
    shutil.rmtree(lamps.place)
    with pytest.raises(NotIndexedError):
        retriever(request)
    for number in range(1, 6):
        (lamps.root / f"{number}.md").unlink()
    with Corpus.open(lamps.root) as another:
        another.ingest()
    assert [block.source for block in retriever(request).blocks] == ["0.md"]
    assert lamps.index.state.version == 1


def test_an_index_that_was_made_again_without_vectors_is_not_compared_with(lamps: Corpus):
    assert lamps.search("bulb", retriever_id="vector")
    shutil.rmtree(lamps.place)
    with Corpus.open(
        CorpusDeclaration(name="lamps", config={"root": str(lamps.root), "embedder": None})
    ) as another:
        another.ingest()
    with pytest.raises(OtherEmbedderError):
        lamps.search("bulb", retriever_id="vector")


def test_a_vacuum_leaves_searches_of_the_same_corpus_that_are_under_way_alone(lamps: Corpus):
    retriever = lamps.retriever({"retriever_id": "hybrid"})
    first = retriever(ContextRetrieverRequest(query="lamp bulb", limit=2))
    store = lamps.store
    maintenance.vacuum(lamps)
    second = retriever(ContextRetrieverRequest(query="lamp bulb", offset=2, limit=9))
    assert len({block.evidence_item_id for block in [*first.blocks, *second.blocks]}) == len(LAMPS)
    assert seen(store, lamps.principal).state.version == lamps.index.state.version
