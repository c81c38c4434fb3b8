"""A corpus: files below a root, the store they are read into, and who asks."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace as replaced
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Self

from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.corpora.errors import NotIndexedError, OtherEmbedderError, OtherRootError
from biblicus_context.corpora.index_location import (
    index_folder_of,
    is_other_folder,
    relative_source,
    resolve_source,
)
from biblicus_context.corpora.parts import Parts
from biblicus_context.corpora.retriever import CorpusRetriever
from biblicus_context.corpora.search.evidence import Evidence, Found
from biblicus_context.corpora.search.searcher import Pin
from biblicus_context.corpora.settling import declared, settings_of
from biblicus_context.embedders import CachedEmbedder, Embedder, build_embedder
from biblicus_context.errors import InputError
from biblicus_context.ingest.files.walking import WalkSettings, check_root
from biblicus_context.ingest.summary import Progress, Summary
from biblicus_context.spec.corpus import CorpusDeclaration
from biblicus_context.spec.corpus_settings import CorpusSettings
from biblicus_context.stores import Principal, Store

if TYPE_CHECKING:
    from biblicus_context.ingest.readers import Reader, ReaderRegistry

LOCAL: Final = Principal("local")
"""Who asks where nobody says: the one workspace of a corpus on one's own machine."""
_MOST_PINS: Final = 1024
"""Assemblies that may be under way at once."""
_SAMPLE: Final = 8
_BYTES_OF_QUESTIONS: Final = 4 * 1024 * 1024


class Corpus:
    """Files as evidence. The store is opened when it is first needed.

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
        readers: Mapping[str, Reader] | None = None,
        is_declared: bool = True,
    ) -> None:
        """`is_declared` says that its settings are meant, and not made up for an index."""
        self.name = name
        self.root = Path(settings.root)
        self.principal = principal
        self._given: Store | None = None
        if isinstance(store, str | Path):
            self.place = Path(store)  # the folder of the index, where no store was handed in
        else:
            self.place = index_folder_of(settings, name)
            self._given = store
        self._settings = settings
        self._is_declared = is_declared
        self._store: Store | None = None
        self._let_go: weakref.finalize[..., Corpus] | None = None
        """Closes the store, at the latest when nobody has the corpus any more."""
        self._embedder = _sound(embedder)
        self._asking: CachedEmbedder | None = None
        self._own_readers = readers
        self._pins = BoundedMemory[str, Pin](_MOST_PINS)
        self._compared: tuple[object, ...] = ()
        """The model and version whose vectors are known to be there."""
        self._is_own = False
        """Whether the index is known to be of the root."""
        self._lock = Lock()

    @classmethod
    def open(
        cls,
        corpus: str | Path | CorpusDeclaration,
        *,
        name: str | None = None,
        principal: Principal = LOCAL,
        store: str | Path | Store | None = None,
        embedder: Embedder | None = None,
        readers: Mapping[str, Reader] | None = None,
    ) -> Self:
        """The corpus of a folder, or as it is declared; its name is that of its folder by default.

        `store` is the folder of its index, or a store of another kind, which stays open after it;
        `embedder` goes before the one that is declared, and `readers` by their suffixes before
        those that are installed.
        """
        if not isinstance(corpus, CorpusDeclaration):
            corpus = declared(Path(corpus).resolve(), name)
        return cls(
            name or corpus.name,
            settings_of(corpus),
            principal=principal,
            store=store,
            embedder=embedder,
            readers=readers,
        )

    @property
    def store(self) -> Store:
        """The store, which has to be there."""
        return self._opened(create=False)

    @property
    def is_in_folder(self) -> bool:
        """Whether its index is the folder `place`, and not a store that was handed in."""
        return self._given is None

    @property
    def source(self) -> Path | None:
        """The folder whose files are in the index; None where that is not known."""
        said = self.store.source(self.principal)
        return None if said is None else resolve_source(self.place, said)

    @property
    def embedder(self) -> Embedder | None:
        """What makes its vectors; None where it has none."""
        with self._lock:
            if self._embedder is None and self._settings.embedder is not None:
                self._embedder = build_embedder(self._settings.embedder)
            return self._embedder

    @property
    def asking(self) -> CachedEmbedder | None:
        """The same for questions: those that were asked lately are not embedded again."""
        embedder = self.embedder
        with self._lock:
            if self._asking is None and embedder is not None:
                self._asking = CachedEmbedder(embedder, max_bytes=_BYTES_OF_QUESTIONS)
            return self._asking

    @property
    def readers(self) -> ReaderRegistry:
        """What its files are read by."""
        from biblicus_context.ingest.readers import ReaderRegistry  # noqa: PLC0415 - loads all of them

        return ReaderRegistry(self._own_readers)

    @property
    def walk(self) -> WalkSettings:
        """Which files it is made of."""
        settings = self._settings
        return WalkSettings(settings.include, settings.exclude, settings.hidden)

    def ingest(
        self,
        on_progress: Callable[[Progress], None] | None = None,
        *,
        replace: bool = False,
    ) -> Summary:
        """Read what has changed below the root since the last time.

        An index of another folder, or of a root in which no file is left, is only given up by
        `replace`. All of the workspace is brought up to date, whoever may read it.
        """
        from biblicus_context.ingest.syncing import IngestSettings, ingest  # noqa: PLC0415
        from biblicus_context.text.counters import default_counter  # noqa: PLC0415

        check_root(self.root)  # before a store is made for it
        store = self._opened(create=True)
        self._claim(store, replace=replace)
        return ingest(
            store,
            replaced(self.principal, sees_all=True),
            [self.root],
            counter=default_counter(),
            embedder=self.embedder,
            settings=IngestSettings(walk=self.walk, empty_root_is_gone=replace),
            readers=self.readers,
            on_progress=on_progress,
        )

    def retriever(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        parts: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> CorpusRetriever:
        """A callable for an assembler; without settings it is the hybrid.

        `parts` are what settings may name besides what comes with the package: callables by name,
        under `rank`, `fusion`, `select` and `retrievers`.
        """
        place = f"retriever over corpus '{self.name}'"
        return CorpusRetriever(self, settings or {}, Parts.of(parts), place=place)

    def search(
        self, query: str, *, limit: int = 10, offset: int = 0, **settings: Any
    ) -> list[Evidence]:
        """What is found, best first; `settings` are those of a retriever."""
        page = {"limit": limit, "offset": offset}
        return self.retriever({**settings, **page}).evidence(query, **page)

    def newest(self) -> Pin:
        """The version that there is now."""
        self._require_own()
        store, who = self.store, self.principal
        return Pin(store.version(who), store.changed(who), datetime.now(UTC))

    def pin(self, assembly: str) -> Pin:
        """The version that one assembly is answered from: the one of its first request."""
        return self._pins.get_or_compute(assembly, self.newest)

    def pin_again(self, assembly: str) -> Pin:
        """The version there is now, for an assembly that outlived its own."""
        self._pins.forget(assembly)
        return self.pin(assembly)

    def require_vectors_of(self, embedder: Embedder, found: Sequence[Found], pin: Pin) -> None:
        """Refuse to compare with vectors of another model, which would find nothing."""
        compared = embedder.model, pin.version, pin.written
        if compared == self._compared:
            return
        at = pin.version
        some = [each.block_id for each in found[:_SAMPLE]]
        if not self.store.vectors(self.principal, embedder.model, some, at=at):
            info = self.store.info(self.principal, at=at)
            if info.blocks and embedder.model not in info.vectors:
                root = (None if self._is_declared else self.source) or self.root
                raise OtherEmbedderError(self.name, root, wanted=embedder.model, kept=info.vectors)
        self._compared = compared

    def evidence(self, found: Sequence[Found], *, at: int) -> list[Evidence]:
        """The blocks of a ranking with their documents."""
        blocks = self.store.blocks(self.principal, [each.block_id for each in found], at=at)
        documents = self.store.documents(
            self.principal, [*dict.fromkeys(block.document_id for block in blocks)], at=at
        )
        of = {document.id: document for document in documents}
        ranked = {each.block_id: each for each in found}
        return [
            Evidence(block, of[block.document_id], ranked[block.id].score, ranked[block.id].parts)
            for block in blocks
        ]

    def _claim(self, store: Store, *, replace: bool) -> None:
        """Say that the index is of the root."""
        said, own = store.source(self.principal), relative_source(self.place, self.root)
        if said == own:
            return
        if said is not None and not replace:
            other = resolve_source(self.place, said)
            if is_other_folder(other, self.root):
                raise OtherRootError(self.name, self.root, kept=other)
        store.record_source(self.principal, own)

    def _require_own(self) -> None:
        """Refuse to answer from the files of another folder than the declared one.

        They are told apart by their names alone: an index may be asked far from its files.
        """
        if self._is_own or not self._is_declared:
            return
        source = self.source
        if source is not None and source.name != self.root.resolve().name:
            raise OtherRootError(self.name, self.root, kept=source)
        self._is_own = True

    def close(self) -> None:
        """Let go of the store; it is opened again when it is needed again."""
        with self._lock:
            self._close()
            self._is_own = False

    def _close(self) -> None:
        if self._let_go is not None:
            self._let_go()
        self._let_go = self._store = None

    def _opened(self, *, create: bool) -> Store:
        with self._lock:
            if self._given is not None:
                return self._given
            if not self.place.is_dir():
                self._close()  # it was removed meanwhile
                if not create:
                    raise NotIndexedError(self.name, self.root)
            if self._store is None:
                from biblicus_context.stores.sqlite import open_store  # noqa: PLC0415

                store = open_store(self.place, create=create)
                self._let_go = weakref.finalize(self, store.close)
                self._store = store
            return self._store

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, root={str(self.root)!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _sound(embedder: Embedder | None) -> Embedder | None:
    if embedder is None or isinstance(embedder, Embedder):
        return embedder
    fix = "Hand in FunctionEmbedder(function, model=..., dimensions=...) for a function."
    raise InputError("no embedder", place="embedder", found=type(embedder).__name__, fix=fix)
