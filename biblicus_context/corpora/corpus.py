"""A corpus: files below a root, or documents that programs write, and the index they are in."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace as replaced
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from pydantic import ValidationError

from biblicus_context.base.deferred import Deferred
from biblicus_context.base.doors import door
from biblicus_context.base.paths import path_of, resolved
from biblicus_context.base.regular_files import printable_name
from biblicus_context.base.validation import first_invalid
from biblicus_context.corpora.answer_cache import AnswerCache
from biblicus_context.corpora.corpus_records import AT_ONCE, CorpusRecords, require_whole
from biblicus_context.corpora.errors import NoRootError
from biblicus_context.corpora.evidence import Evidence
from biblicus_context.corpora.index import Index
from biblicus_context.corpora.index_store import IndexStore
from biblicus_context.corpora.outward import (
    OutwardSearch,
    haystack_retriever,
    langchain_retriever,
    llama_index_retriever,
)
from biblicus_context.corpora.retriever import CorpusRetriever, Judged
from biblicus_context.corpora.search.settings import Parts, SearchSettings
from biblicus_context.corpora.search.similarity import likeness
from biblicus_context.embedders import AllowedKeys, CachedEmbedder, Embedder, KeyHosts
from biblicus_context.errors import InputError, PlanError
from biblicus_context.ingest.chunks.chunk import ChunkSettings
from biblicus_context.ingest.files.walking import WalkSettings, check_root
from biblicus_context.ingest.quotations import Quotations
from biblicus_context.ingest.readers import Reader, ReaderRegistry
from biblicus_context.ingest.summary import Progress, Summary
from biblicus_context.ingest.syncing import IngestSettings, ingest
from biblicus_context.ingest.waiting import Embedded, WaitingBlocks
from biblicus_context.spec.corpus import CorpusDeclaration, CorpusSettings
from biblicus_context.stores import Principal, Store
from biblicus_context.text.compaction import Compaction
from biblicus_context.text.counters import default_counter

if TYPE_CHECKING:
    from langchain_core.retrievers import BaseRetriever as LangChainBaseRetriever
    from llama_index.core.retrievers import BaseRetriever as LlamaIndexBaseRetriever

    from biblicus_context.ingest.git import HistorySettings, ingest_history, open_repository
else:  # few corpora are of a history
    HistorySettings = Deferred("biblicus_context.ingest.git:HistorySettings")
    ingest_history = Deferred("biblicus_context.ingest.git:ingest_history")
    open_repository = Deferred("biblicus_context.ingest.git:open_repository")

LOCAL: Final = Principal("local")
"""The principal by default: the only workspace of a corpus on your own machine."""

_USUAL: Final = 10
"""Hits of a search."""


@door
class Corpus(CorpusRecords):
    """Files as evidence, or documents that programs write. The store is opened when it is first needed.

    >>> from tempfile import mkdtemp
    >>> root = Path(mkdtemp()) / "notes"; root.mkdir()
    >>> _ = (root / "tea.md").write_text("# Tea\\n\\nGreen tea wants water of 80 degrees.\\n")
    >>> with Corpus.open(root) as notes:
    ...     _ = notes.ingest()
    ...     notes.search("how hot is water for tea?")[0].source
    'tea.md'
    """

    def __init__(
        self,
        name: str,
        settings: CorpusSettings,
        *,
        principal: Principal = LOCAL,
        store: str | Path | Store | None = None,
        embedder: Embedder | None = None,
        allow_keys: KeyHosts | AllowedKeys | None = None,
        readers: Mapping[str, Reader] | None = None,
        is_declared: bool = True,
    ) -> None:
        """Pass `is_declared=False` if the settings are guessed from an index, not written by an author."""
        opened = IndexStore(
            name,
            settings,
            store=store,
            embedder=embedder,
            allow_keys=AllowedKeys.of(allow_keys),
        )
        self.index = Index(name, opened, principal, is_declared=is_declared)
        self._settings = settings
        self.ingest_settings = IngestSettings(
            walk=WalkSettings(settings.include, settings.exclude, settings.hidden),
            chunks=ChunkSettings.of(settings.chunks),
            quotations=Quotations(settings.quotations),
        )
        """How its texts are cut, and which files belong to it."""
        self._own_readers = readers
        self._is_view = False

    @classmethod
    def open(
        cls,
        corpus: str | Path | CorpusDeclaration,
        *,
        name: str | None = None,
        principal: Principal = LOCAL,
        store: str | Path | Store | None = None,
        embedder: Embedder | None = None,
        allow_keys: KeyHosts | AllowedKeys | None = None,
        readers: Mapping[str, Reader] | None = None,
    ) -> Self:
        """The corpus of a folder, or a declared one; its name is that of its folder by default.

        `store` is the folder of its index, an address such as `connection:main`, or an open store,
        which `close` leaves open. `embedder` takes precedence over the declared one, and `readers` (by
        suffix) over the installed ones.
        `allow_keys` names the servers that a declared embedder may send a key to, besides the
        provider's own: `{"MY_KEY": "gateway.example"}`.
        """
        if not isinstance(corpus, CorpusDeclaration):
            corpus = _declare_folder(resolved(path_of(corpus, "corpus"), "corpus"), name)
        return cls(
            name or corpus.name,
            _settings_of(corpus),
            principal=principal,
            store=store,
            embedder=embedder,
            allow_keys=allow_keys,
            readers=readers,
        )

    @classmethod
    def open_records(
        cls,
        store: str | Path | Store,
        *,
        name: str = "records",
        principal: Principal = LOCAL,
        embedder: Embedder | None = None,
    ) -> Self:
        """A corpus whose documents programs write: no file is read.

        `store` is a folder, which the first `put` makes, an address such as `connection:main`, or an
        open store. A declared corpus with a
        `store` and without a `root` is the same.

        >>> from tempfile import mkdtemp
        >>> from biblicus_context import Record
        >>> with Corpus.open_records(mkdtemp()) as memories:
        ...     _ = memories.put([Record(id="m1", text="Green tea wants water of 80 degrees.")])
        ...     memories.search("how hot is water for tea?")[0].document.id
        'm1'
        """
        settings = CorpusSettings()
        return cls(name, settings, principal=principal, store=store, embedder=embedder)

    def for_principal(self, principal: Principal) -> Self:
        """The same corpus as another principal; it shares the store and the embedders.

        It costs next to nothing, so make one for each request. Closing it closes nothing.
        """
        found = copy(self)
        found.index = self.index.for_principal(principal)
        found._is_view = True
        return found

    def with_embedder(self, embedder: str, store: str | Path) -> Self:
        """The same files with another embedder, to be indexed in a folder of their own."""
        if self.root is None:
            raise NoRootError(self.name)
        changed = {"embedder": embedder, "root": str(self.root), "store": None}
        settings = CorpusSettings.model_validate({**self._settings.model_dump(), **changed})
        return type(self)(
            self.name,
            settings,
            principal=self.principal,
            store=store,
            readers=self._own_readers,
        )

    @property
    def name(self) -> str:
        """The declared name."""
        return self.index.name

    @property
    def root(self) -> Path | None:
        """The folder or file that is read; None if programs write the documents."""
        return self.index.root

    @property
    def principal(self) -> Principal:
        """The principal that reads and writes."""
        return self.index.principal

    @property
    def place(self) -> Path:
        """The folder of the index, unless it is on a server or a store was passed."""
        return self.index.folder

    @property
    def store_name(self) -> str:
        """Where the index is: its folder, or its address."""
        return self.index.store_name

    @property
    def store(self) -> Store:
        """The store; a NotIndexedError if there is none yet."""
        return self.index.store

    @property
    def source(self) -> Path | None:
        """The folder whose files are in the index, or None if it is not recorded."""
        return self.index.source

    @property
    def embedder(self) -> Embedder | None:
        """What makes the vectors, or None if the corpus has no embedder."""
        return self.index.embedder

    @property
    def query_embedder(self) -> CachedEmbedder | None:
        """The embedder for queries, with a cache of recent ones."""
        return self.index.query_embedder

    @property
    def readers(self) -> ReaderRegistry:
        """What reads the files, by suffix."""
        return ReaderRegistry(self._own_readers)

    @property
    def walk(self) -> WalkSettings:
        """Which files belong to the corpus."""
        return self.ingest_settings.walk

    @property
    def history(self) -> HistorySettings | None:
        """Which commits belong to the corpus; None for a corpus of files."""
        settings = self._settings
        if settings.source != "git":
            return None
        chunks = self.ingest_settings.chunks
        return HistorySettings(since=settings.since, paths=settings.paths, chunks=chunks)

    def ingest(
        self,
        on_progress: Callable[[Progress], None] | None = None,
        *,
        replace: bool = False,
        at_once: int | None = AT_ONCE,
    ) -> Summary:
        """Read what has changed below the root, or in the history, since the last ingest.

        All of it can be searched at once, by the vectors of a quick embedder where many blocks are new.
        Then up to `at_once` of them (None: all) get the vectors of the corpus' own embedder; how many
        wait is in the summary, and the next ingest, or `embed_waiting`, goes on with them.

        Only with `replace` an index of another folder is replaced, or emptied because no file is
        left below the root. The whole workspace is updated, whoever may read its documents.
        """
        root = self.root
        if root is None:
            raise NoRootError(self.name)
        check_root(root)  # before a store is made for it
        if self.history is not None:
            open_repository(root)
        require_whole(at_once, "at_once")
        embedder = self.embedder  # it may be refused
        with self.index.making():
            if self.history is not None:
                summary = self._ingest_history(self.history, root, on_progress, replace=replace)
            else:
                summary = self._ingest_files(root, embedder, on_progress, replace=replace)
        return self._embedded(summary, at_once, on_progress)

    def embed_waiting(
        self,
        most: int | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> int:
        """Embed up to `most` blocks (None: all) that wait for the vectors of the corpus' embedder.

        Returns how many still wait. They were many at once, or were written with the default embedder of an earlier release. Each
        batch is durable, so that it can be interrupted, or run in a thread of its own.
        """
        require_whole(most, "most")
        return self._embed_waiting(most, on_progress).waiting

    def _embed_waiting(
        self, most: int | None, on_progress: Callable[[Progress], None] | None
    ) -> Embedded:
        embedder = self.embedder
        if embedder is None or not self.index.exists:
            return Embedded()
        waiting = WaitingBlocks.of(self.store, self.principal, embedder)
        return waiting.embed(most, on_progress=on_progress or (lambda _: None))

    def _embedded(
        self,
        summary: Summary,
        most: int | None,
        on_progress: Callable[[Progress], None] | None,
    ) -> Summary:
        """What was read, after up to so many blocks that wait are embedded."""
        if self.index.quick_embedder is None:
            return summary
        began = time.perf_counter()
        done = self._embed_waiting(most, on_progress)
        with self.index.view() as view:
            version, remains = view.version, view.state.remains_until
        return replaced(
            summary,
            embedded=summary.embedded + done.embedded,
            known=summary.known + done.reused,
            waiting=done.waiting,
            seconds=summary.seconds + time.perf_counter() - began,
            version=version,
            remains_until=remains,
        )

    def _ingest_files(
        self,
        root: Path,
        embedder: Embedder | None,
        on_progress: Callable[[Progress], None] | None,
        *,
        replace: bool,
    ) -> Summary:
        return ingest(
            self.index.claim(root, replace=replace),
            replaced(self.principal, sees_all=True),
            [root],
            counter=default_counter(),
            embedder=embedder,
            settings=replaced(
                self.ingest_settings,
                empty_root_is_gone=replace,
                quick=self.index.quick_embedder,
            ),
            readers=self.readers,
            on_progress=on_progress,
        )

    def _ingest_history(
        self,
        history: HistorySettings,
        root: Path,
        on_progress: Callable[[Progress], None] | None,
        *,
        replace: bool,
    ) -> Summary:
        return ingest_history(
            self.index.claim(root, replace=replace),
            replaced(self.principal, sees_all=True),
            root,
            counter=default_counter(),
            embedder=self.embedder,
            quick=self.index.quick_embedder,
            settings=replaced(history, empty_is_gone=replace),
            on_progress=on_progress,
        )

    def retriever(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        parts: Mapping[str, Mapping[str, Any]] | None = None,
        place: str | None = None,
        answer_cache: AnswerCache | None = None,
        compactors: Mapping[str, Any] | None = None,
    ) -> CorpusRetriever:
        """A callable for an assembler; the hybrid retriever by default.

        `parts` adds callables that settings may name, by family (`rank`, `fusion`, `select`,
        `retrievers`) and name. `place` says in errors where the settings are. `answer_cache` keeps
        what the setting `cache` remembers; by default this process does. `compactors` are those that
        `item_cap` may name in addition to the built-in ones.
        """
        place = place or f"retriever over corpus '{self.name}'"
        given = Parts.of(parts, compactors=Compaction(compactors))
        found = SearchSettings.parse(settings or {}, given, place=place)
        return CorpusRetriever(self.index, found, answer_cache=answer_cache)

    def as_langchain_retriever(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        limit: int = 5,
        max_tokens: int | None = None,
    ) -> LangChainBaseRetriever:
        """This corpus as a retriever of LangChain, with the settings of a retriever in a plan."""
        return langchain_retriever(self._outward(settings, limit, max_tokens))

    def as_llama_index_retriever(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        limit: int = 5,
        max_tokens: int | None = None,
    ) -> LlamaIndexBaseRetriever:
        """This corpus as a retriever of LlamaIndex, with the settings of a retriever in a plan."""
        return llama_index_retriever(self._outward(settings, limit, max_tokens))

    def as_haystack_retriever(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        limit: int = 5,
        max_tokens: int | None = None,
    ) -> Any:
        """This corpus as a component of Haystack, with the settings of a retriever in a plan."""
        return haystack_retriever(self._outward(settings, limit, max_tokens))

    def _outward(
        self, settings: Mapping[str, Any] | None, limit: int, max_tokens: int | None
    ) -> OutwardSearch:
        return OutwardSearch(self.retriever(settings), limit, max_tokens)

    def search(
        self,
        query: str,
        /,
        *,
        limit: int | None = None,
        max_tokens: int | None = None,
        offset: int = 0,
        vector: Sequence[float] | None = None,
        counter: str | None = None,
        **settings: Any,
    ) -> list[Evidence]:
        """The hits of a query, best first; `settings` are those of a retriever.

        Without a `limit` these are ten, or those that fill `max_tokens` as they fill the share of a
        pack, and the best one that no longer fits, so that a caller knows that there is more. They are
        counted by the `counter` of this name. A `vector` of the corpus' model takes the place of the
        embedding of the query.
        """
        return self.judged_search(
            query,
            limit=limit,
            max_tokens=max_tokens,
            offset=offset,
            vector=vector,
            counter=counter,
            **settings,
        ).hits

    def judged_search(
        self,
        query: str,
        /,
        *,
        limit: int | None = None,
        max_tokens: int | None = None,
        offset: int = 0,
        vector: Sequence[float] | None = None,
        counter: str | None = None,
        **settings: Any,
    ) -> Judged:
        """The same, with the decision whether any of them is relevant, where `min_score` is `auto`."""
        if max_tokens is not None and (type(max_tokens) is not int or max_tokens < 1):
            problem = "a number of tokens above 0 is expected"
            raise InputError(problem, place="max_tokens", found=max_tokens)
        most = limit if limit is not None else max_tokens if max_tokens is not None else _USUAL
        retriever = self.retriever({**settings, "limit": most, "offset": offset})
        return retriever.judged(
            query,
            limit=most,
            offset=offset,
            max_tokens=max_tokens,
            vector=vector,
            counter=counter,
        )

    def likeness(
        self, query: str, found: Sequence[Evidence], *, vector: Sequence[float] | None = None
    ) -> list[float]:
        """How alike each hit and the query are, from 0 to 1, whatever ranked the hits.

        It is the cosine of their vectors; without vectors the share of the query's words that a hit
        has, in which rare words count more.
        """
        given = None if vector is None else self.index.query_vector(vector)
        return likeness(self.index, query, found, given)

    def close(self) -> None:
        """Close the store; it is opened again when it is next needed."""
        if not self._is_view:
            self.index.close()

    def __repr__(self) -> str:
        place = f"root={str(self.root)!r}" if self.root else f"store={self.store_name!r}"
        return f"{type(self).__name__}({self.name!r}, {place})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _declare_folder(root: Path, name: str | None) -> CorpusDeclaration:
    if name is not None and not isinstance(name, str):
        raise InputError("the name of a corpus is a text", place="name", found=name)
    for text in (str(root), name or ""):
        if text != printable_name(text):
            raise InputError("this name is not UTF-8", found=printable_name(text), fix="Rename it.")
    if name == "":
        fix = "Leave it out to use the name of the folder."
        raise InputError("the name of a corpus is empty", fix=fix)
    if not (name or root.name):
        raise InputError("this folder has no name", found=str(root), fix="Pass `name`.")
    return CorpusDeclaration(name=name or root.name, config={"root": str(root)})


def _settings_of(declaration: CorpusDeclaration) -> CorpusSettings:
    try:
        return CorpusSettings.model_validate(declaration.config)
    except ValidationError as error:
        invalid = first_invalid(error)
        place = f"corpus '{declaration.name}' config"
        if invalid.is_unknown_key:
            problem, valid = "unknown setting", CorpusSettings.model_fields
            raise PlanError(problem, place=place, found=invalid.place, valid=valid) from None
        raise PlanError(str(invalid), place=place) from None
