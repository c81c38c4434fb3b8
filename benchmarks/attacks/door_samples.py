"""Valid arguments and objects for every public name, so that one argument alone can be wrong."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import biblicus_context as engine
from biblicus_context.corpora import MemoryAnswerCache, ModelStore, StoredAnswerCache
from biblicus_context.embedders import AllowedKeys, CachedEmbedder, FunctionEmbedder
from biblicus_context.ingest import ReaderRegistry
from biblicus_context.ingest.records import RecordWriter
from biblicus_context.retrieval import Origin
from biblicus_context.stores import Batch, Document, Filters, Relation, TimeRange, Vectors
from biblicus_context.stores.sqlite import open_store
from biblicus_context.systems import learning, memory, prime, workspace
from biblicus_context.systems.memory import (
    EmbedderProvider,
    GuardedCalls,
    NamedRankers,
    QueryVectors,
    SearchLog,
)
from biblicus_context.systems.prime import (
    CitationManager,
    RepositoryRetrievers,
    ResultCache,
    ThreadMessage,
    UserCorpus,
    UserLibrary,
)
from biblicus_context.systems.workspace import RecordTree
from biblicus_context.testing.memory_store import InMemoryStore
from biblicus_context.text import Counters, compactors, counters

_NOW: Final = datetime(2026, 5, 8, tzinfo=UTC)
_ANN: Final = engine.Principal("acme", user="ann")
_RECORD: Final = engine.Record(id="a", text="Green tea wants hot water.", title="Tea", created=_NOW)
_PLAN: Final = {
    "messages": [{"type": "context", "name": "kb"}, {"type": "user", "content": "{input.q}"}]
}
_BLOCK: Final = engine.ContextPackBlock(evidence_item_id="a", text="Tea.", source="a", score=0.5)
_PACK: Final = engine.ContextPack(text="Tea.", evidence_count=1, blocks=[_BLOCK])
_REQUEST: Final = engine.ContextRetrieverRequest(query="tea", limit=2)


def _embedder() -> FunctionEmbedder:
    return FunctionEmbedder(
        lambda texts: [[1.0, len(each) + 1.0] for each in texts], model="tiny", dimensions=2
    )


def _corpus() -> engine.Corpus:
    corpus = engine.Corpus.open_records(InMemoryStore(), embedder=None)
    corpus.put([_RECORD, engine.Record(id="b", text="Rye bread rests.", parent="a")])
    return corpus


def _assembler() -> engine.ContextAssembler:
    return engine.ContextAssembler(
        {"p": _PLAN}, {"kb": {"config": {"query": "tea"}}}, default_retriever=lambda _: _PACK
    )


def _result() -> engine.ContextAssemblyResult:
    return _assembler().assemble("p", inputs={"q": "tea"})


class _Counter:
    name = "letters"

    def count(self, text: str) -> int:
        return len(text)

    def count_many(self, texts: Any) -> list[int]:
        return [len(each) for each in texts]


class Samples:
    """Made when they are needed, in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made = 0
        plans = folder / "contexts"
        plans.mkdir(exist_ok=True)
        (plans / "a.yaml").write_text(
            "kind: context\nname: a\nmessages: [{type: user, content: hi}]\n", "utf-8"
        )
        (folder / "pages").mkdir(exist_ok=True)
        (folder / "pages" / "a.md").write_text("# Tea\nHot.\n", "utf-8")
        self._kept: dict[str, Any] = {}

    def _place(self) -> Path:
        self._made += 1
        return self._folder / f"place-{self._made}"

    def argument(self, door: str, owner: str, name: str) -> Any:
        """A valid argument; a LookupError where none is known."""
        if owner == "OpenAICompatibleEmbedder":
            raise LookupError("it asks a server")
        for key in (f"{door}.{name}", f"{owner}.{name}", name):
            if key in self._arguments:
                value = self._arguments[key]
                return (
                    value()
                    if callable(value) and getattr(value, "__name__", "") == "<lambda>"
                    else value
                )
        raise LookupError(f"{door}.{name}")

    def instance(self, owner: str) -> Any:
        """An object of a public class; a LookupError where none is known."""
        if owner not in self._instances:
            raise LookupError(owner)
        if owner not in self._kept:
            self._kept[owner] = self._instances[owner]()
        return self._kept[owner]

    def done(self, instance: Any) -> None:
        """An object is used once in a while only: a call may have changed it."""
        self._made += 1
        if self._made % 50 == 0:
            self._kept.clear()

    @property
    def _arguments(self) -> dict[str, Any]:
        return {
            "query": "tea",
            "SqliteStore.rank_vectors.query": Vectors.of("tiny", [[1.0, 0.0]]),
            "principal": _ANN,
            "workspace_id": "acme",
            "workspace": "acme",
            "conversation_id": "c1",
            "user_id": "ann",
            "text": "Green tea.",
            "texts": ["Green tea."],
            "counter": lambda: counters.Counters().get("whitespace"),
            "request": _REQUEST,
            "room": 5,
            "corpus": _corpus,
            "store": lambda: open_store(self._place()),
            "BlockStore.store": _corpus,
            "ContextBuilder.store": lambda: self.instance("BlockStore"),
            "model": "tiny",
            "ids": ["a"],
            "messages": [{"role": "user", "content": "hi"}],
            "place": self._place,
            "block_id": "a",
            "thread_id": "t",
            "at": None,
            "name": "x",
            "limit": 3,
            "retrievers": {},
            "context_registry": {"p": _PLAN},
            "terms": ["tea"],
            "record_id": "a",
            "file_repo": lambda: self._library().files,
            "context_ref_repo": lambda: self._library().references,
            "message_repo": lambda: self._library().messages,
            "settings": {},
            "document_ids": ["a"],
            "path": lambda: self._folder / "contexts",
            "context_name": "p",
            "ContextAssembler.context_name": "p",
            "kind": "memory",
            "item_id": "a",
            "useful": True,
            "root": lambda: self._folder / "pages",
            "roots": lambda: [self._folder / "pages"],
            "seconds": 5.0,
            "id": "a",
            "content": "Tea.",
            "dimensions": 2,
            "numbers": [1.0, 0.5],
            "records": [_RECORD],
            "retriever_id": "keyword",
            "retriever_name": "kb",
            "document_id": "a",
            "document": Document(id="a"),
            "result": _result,
            "block_ids": ["a#1"],
            "source": "a",
            "policy": engine.ContextPackPolicy(),
            "rank": "similarity",
            "candidates": [],
            "storage_client": lambda: memory.MemoryStore.open(self._place(), embedder=_embedder()),
            "key": "k",
            "value": b"x",
            "model_id": "a",
            "ranker": "similarity",
            "target": "a",
            "relevance": 0.5,
            "max_tokens": 50,
            "files": [],
            "file_id": "a",
            "now": _NOW,
            "action": "view",
            "context_pack": _PACK,
            "function": lambda: _call,
            "blocks": [_BLOCK],
            "embedder": _embedder,
            "offset": 0,
            "entries": 5,
            "provider": lambda: EmbedderProvider(_embedder()),
            "relations": [],
            "relation": Relation("a", "b", "see"),
            "Corpus.relate.relations": [Relation("a", "b", "see")],
            "lines": ['{"id": "a"}'],
            "names": {"thread": "t"},
            "versions": 1,
            "build": lambda: _build,
            "item": prime.ContextItem(id="a", type="file", content="x", source="a", tokens=1),
            "domain": "debugging",
            "context_types": ["memories"],
            "keywords": ["tea"],
            "receipt": lambda: _result().receipt,
            "answer": "Tea [1].",
            "token_budget": engine.TokenBudget(max_tokens=50),
            "character_budget": engine.CharacterBudget(max_characters=50),
            "tools": [],
            "when": _NOW,
            "parent_id": None,
            "user": workspace.User(id="ann", workspace="acme"),
            "memory": learning.Memory(id="m", text="Tests run in UTC."),
            "batch": Batch(),
            "terms_": ["tea"],
            "user_message": "tea?",
            "items": [],
            "pack": _PACK,
            "changes": {},
            "other": Origin(),
            "parent": "a",
            "tokenizer_id": "whitespace",
            "config": {"type": "truncate"},
            "search": "text",
            "system": "Be brief.",
            "contents": [],
            "collection": lambda: self._folder / "pages",
            "collections": [],
            "questions": [],
            "searcher": lambda: learning.LearningStore.open(self._place(), embedder=_embedder()),
            "found": 1,
            "others": engine.Readers(),
            "Readers.are_among.others": engine.Readers(),
            "hit_rate": 0.5,
            "document_text": "x",
            "queries": [("tea", None)],
            "memory_id": "a",
            "source_id": "a",
            "target_id": "b",
            "failures": {},
            "run": lambda: _call,
            "call": lambda: _async_call,
            "index": lambda: None,
        }  # fmt: skip

    def _library(self) -> UserLibrary:
        return UserLibrary(_corpus(), engine.Corpus.open_records(InMemoryStore(), embedder=None))

    @property
    def _instances(self) -> dict[str, Callable[[], Any]]:
        cutting = {
            name: kind
            for name, kind in vars(compactors).items()
            if name
            in (
                "TruncateCompactor",
                "ExtractiveCompactor",
                "HeadTailCompactor",
                "TailCompactor",
                "DropBlocksCompactor",
            )
        }
        return {
            **{name: (lambda kind=kind: kind()) for name, kind in cutting.items()},
            "AllowedKeys": lambda: AllowedKeys.parsed(["A=b.example"]),
            "CachedEmbedder": lambda: CachedEmbedder(_embedder()),
            "FunctionEmbedder": _embedder,
            "WordLlamaEmbedder": lambda: __import__("biblicus_context.embedders", fromlist=["x"]).WordLlamaEmbedder(),
            "EmbedderProvider": lambda: EmbedderProvider(_embedder()),
            "CitationManager": CitationManager,
            "ContextAssembler": _assembler,
            "ContextAssemblyResult": _result,
            "ContextPackBlock": lambda: _BLOCK,
            "Receipt": lambda: _result().receipt,
            "Corpus": _corpus,
            "CorpusRetriever": lambda: _corpus().retriever({"retriever_id": "keyword"}),
            "Counters": Counters,
            "GuardedCalls": lambda: GuardedCalls({}),
            "MemoryAnswerCache": lambda: MemoryAnswerCache(5),
            "ModelStore": lambda: ModelStore.open(self._place(), learning.Memory, embedder=None),
            "ModelTable": engine.ModelTable.shipped,
            "NamedRankers": lambda: NamedRankers({"default": "similarity"}),
            "Origin": Origin,
            "QueryVectors": lambda: QueryVectors(EmbedderProvider(_embedder())),
            "ReaderRegistry": ReaderRegistry,
            "Readers": engine.Readers,
            "Record": lambda: _RECORD,
            "RecordTree": lambda: RecordTree(_corpus()),
            "RepositoryRetrievers": lambda: RepositoryRetrievers(*self._repositories()),
            "ResultCache": lambda: ResultCache(entries=5, seconds=5),
            "SearchLog": SearchLog,
            "StoredAnswerCache": lambda: StoredAnswerCache(_corpus()),
            "StoredFiles": lambda: self._library().files,
            "StoredMessages": lambda: self._library().messages,
            "StoredReferences": lambda: self._library().references,
            "SummaryCompactor": engine.SummaryCompactor,
            "ThreadMessage": lambda: ThreadMessage(role="user", content="hi"),
            "UserCorpus": lambda: UserCorpus(_corpus(), "acme"),
            "Project": lambda: engine.load_project(self._folder / "contexts"),
            "Filters": Filters,
            "TimeRange": TimeRange,
            "Vectors": lambda: Vectors.of("tiny", [[1.0, 0.0]]),
            "SqliteStore": self._sqlite,
            "RecordWriter": lambda: RecordWriter(InMemoryStore(), _ANN, counters.Counters().get("whitespace")),
            "ContextAssembler of systems.learning": lambda: learning.ContextAssembler(learning.LearningStore.open(self._place(), embedder=_embedder())),
            "LearningStore": lambda: learning.LearningStore.open(self._place(), embedder=_embedder()),
            "ContextEngine": lambda: memory.ContextEngine(memory.MemoryStore.open(self._place(), embedder=_embedder())),
            "MemoryStore": lambda: memory.MemoryStore.open(self._place(), embedder=_embedder()),
            "RelevanceScorer": prime.RelevanceScorer,
            "TokenOptimizer": prime.TokenOptimizer,
            "ContextAssemblyService": lambda: prime.StoredService.open(self._place()),
            "StoredService": lambda: prime.StoredService.open(self._place()),
            "BlockStore": lambda: workspace.BlockStore.open(self._place()),
            "ContextBuilder": lambda: workspace.ContextBuilder(workspace.BlockStore.open(self._place())),
            "SynchronousBlockStore": lambda: self.instance("BlockStore").sync,
            "SynchronousContextAssembler": lambda: self.instance("ContextAssembler of systems.learning").sync,
            "SynchronousContextBuilder": lambda: self.instance("ContextBuilder").sync,
            "SynchronousLearningStore": lambda: self.instance("LearningStore").sync,
            "SynchronousStore": lambda: self.instance("MemoryStore").sync,
        }  # fmt: skip

    def _repositories(self) -> tuple[Any, Any, Any]:
        library = self._library()
        return library.files, library.references, library.messages

    def _sqlite(self) -> Any:
        store = open_store(self._place())
        RecordWriter(store, engine.Principal("acme"), counters.Counters().get("whitespace")).put(
            [_RECORD]
        )
        return store


def _call(*_: object, **__: object) -> None:
    return None


async def _async_call(*_: object, **__: object) -> tuple[None, int]:
    return None, 0


async def _build() -> ThreadMessage:
    return ThreadMessage(role="user", content="hi")
