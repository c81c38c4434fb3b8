"""The index of a corpus: its store, the principal that reads it, and the version that is read."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.base.forks import child_lock
from biblicus_context.base.paths import path_of
from biblicus_context.corpora.errors import NotIndexedError, OtherEmbedderError, OtherRootError
from biblicus_context.corpora.evidence import Evidence, RankedBlock
from biblicus_context.corpora.index_location import (
    index_folder_of,
    is_other_folder,
    relative_source,
    resolve_source,
)
from biblicus_context.embedders import AllowedKeys, CachedEmbedder, Embedder, build_embedder
from biblicus_context.errors import InputError
from biblicus_context.spec.corpus_settings import CorpusSettings
from biblicus_context.stores import Principal, Store
from biblicus_context.stores.sqlite import open_store

_MOST_PINS: Final = 1024
"""Assemblies that may run at the same time."""
_SAMPLE: Final = 8
_BYTES_OF_QUERIES: Final = 4 * 1024 * 1024


class Pin(NamedTuple):
    """What stays the same while a query is paged through."""

    version: int
    written: datetime | None
    """When the version was written: an index that is removed and made again counts from one again,
    so the number alone does not name a version."""
    now: datetime
    ages: bool = False
    """Whether documents become valid or invalid as time passes."""


class Index:
    """Reads the blocks of a corpus as one principal. The store is opened when it is first needed."""

    def __init__(
        self,
        name: str,
        settings: CorpusSettings,
        *,
        principal: Principal,
        store: str | Path | Store | None,
        embedder: Embedder | None,
        allow_keys: AllowedKeys,
        is_declared: bool,
    ) -> None:
        self.name = name
        self.root = Path(settings.root)
        self.principal = principal
        self._passed: Store | None = None
        if isinstance(store, str | Path):
            self.folder = path_of(store, "store")
        else:
            self.folder = index_folder_of(settings, name)
            self._passed = _checked_store(store)
        self._is_declared = is_declared
        self._declared_embedder = settings.embedder
        self._embedder = _checked(embedder)
        self._allow_keys = allow_keys
        self._query_embedder: CachedEmbedder | None = None
        self._store: Store | None = None
        self._closing: weakref.finalize[..., Index] | None = None
        """Closes the store, at the latest when the index is garbage-collected."""
        self._pins = BoundedMemory[str, Pin](_MOST_PINS)
        self._comparable: tuple[object, ...] = ()
        """The model and version whose vectors are known to exist."""
        self._is_of_root = False
        """Whether the index is known to be of the root."""
        self._lock = child_lock()

    @property
    def store(self) -> Store:
        """The store; a NotIndexedError if there is none yet."""
        return self.open_store(create=False)

    @property
    def is_in_folder(self) -> bool:
        """Whether the index is in `folder`, and not in a store that was passed."""
        return self._passed is None

    @property
    def exists(self) -> bool:
        """Whether it was ever written to."""
        if self._passed is None and not self.folder.is_dir():
            return False
        return self.store.state(self.principal).changed is not None

    @property
    def source(self) -> Path | None:
        """The folder whose files are in the index, or None if it is not recorded."""
        recorded = self.store.state(self.principal).source
        return None if recorded is None else resolve_source(self.folder, recorded)

    @property
    def embedder(self) -> Embedder | None:
        """What makes the vectors, or None if the corpus has no embedder."""
        with self._lock:
            if self._embedder is None and self._declared_embedder is not None:
                self._embedder = build_embedder(
                    self._declared_embedder, allow_keys=self._allow_keys
                )
            return self._embedder

    @property
    def query_embedder(self) -> CachedEmbedder | None:
        """The embedder for queries, with a cache of recent ones."""
        embedder = self.embedder
        with self._lock:
            if self._query_embedder is None and embedder is not None:
                self._query_embedder = CachedEmbedder(embedder, max_bytes=_BYTES_OF_QUERIES)
            return self._query_embedder

    def newest(self) -> Pin:
        """The version that is current now."""
        self._require_of_root()
        state = self.store.state(self.principal)
        return Pin(state.version, state.changed, datetime.now(UTC), state.ages)

    def pin(self, assembly: str) -> Pin:
        """The version that all requests of one assembly read: the one of its first request."""
        return self._pins.get_or_compute(assembly, self.newest)

    def renew_pin(self, assembly: str) -> Pin:
        """The current version, for an assembly whose pinned version is no longer kept."""
        self._pins.forget(assembly)
        return self.pin(assembly)

    def evidence(self, ranked: Sequence[RankedBlock], *, at: int) -> list[Evidence]:
        """The ranked blocks with their documents; those that are not in this version are missing."""
        blocks = self.store.blocks(self.principal, [each.block_id for each in ranked], at=at)
        documents = self.store.documents(
            self.principal, [*dict.fromkeys(block.document_id for block in blocks)], at=at
        )
        of = {document.id: document for document in documents}
        by_id = {each.block_id: each for each in ranked}
        return [
            Evidence(block, of[block.document_id], by_id[block.id].score, by_id[block.id].parts)
            for block in blocks
        ]

    def require_vectors_of(
        self, embedder: Embedder, ranked: Sequence[RankedBlock], pin: Pin
    ) -> None:
        """Refuse a search by an embedder that has no vectors here: it would silently find nothing."""
        comparable = embedder.model, pin.version, pin.written
        if comparable == self._comparable:
            return
        at = pin.version
        # A sample of the hits first: it is in memory, and counting all vectors is not.
        some = [each.block_id for each in ranked[:_SAMPLE]]
        if not self.store.vectors(self.principal, embedder.model, some, at=at):
            info = self.store.info(self.principal, at=at)
            if info.blocks and embedder.model not in info.vectors:
                root = (None if self._is_declared else self.source) or self.root
                raise OtherEmbedderError(self.name, root, wanted=embedder.model, kept=info.vectors)
        self._comparable = comparable

    def claim(self, *, replace: bool) -> Store:
        """Record the root as the source of the index; refuse one of another folder, unless `replace`."""
        store = self.open_store(create=True)
        recorded, own = store.state(self.principal).source, relative_source(self.folder, self.root)
        if recorded != own:
            if recorded is not None and not replace:
                other = resolve_source(self.folder, recorded)
                if is_other_folder(other, self.root):
                    raise OtherRootError(self.name, self.root, kept=other)
            store.record_source(self.principal, own)
        return store

    def open_store(self, *, create: bool) -> Store:
        """The store, opened if it is not open."""
        with self._lock:
            if self._passed is not None:
                return self._passed
            if not self.folder.is_dir():
                self._close()  # the folder was removed since
                if not create:
                    raise NotIndexedError(self.name, self.root)
            if self._store is None:
                store = open_store(self.folder, create=create)
                # It must not refer to the index itself, which would then never be collected.
                self._closing = weakref.finalize(self, store.close)
                self._store = store
            return self._store

    def close(self) -> None:
        """Close the store; it is opened again when it is next needed."""
        with self._lock:
            self._close()
            self._is_of_root = False

    def _close(self) -> None:
        if self._closing is not None:
            self._closing()
        self._closing = self._store = None

    def _require_of_root(self) -> None:
        """Refuse to search the files of another folder than the declared one.

        Only the names of the folders are compared: an index may be read far from its files.
        """
        if self._is_of_root or not self._is_declared:
            return
        source = self.source
        if source is not None and source.name != self.root.resolve().name:
            raise OtherRootError(self.name, self.root, kept=source)
        self._is_of_root = True


def _checked_store(store: Store | None) -> Store | None:
    if store is None or callable(getattr(store, "rank_text", None)):
        return store
    fix = "Pass the folder of an index, or an open store."
    raise InputError("not a store", place="store", found=type(store).__name__, fix=fix)


def _checked(embedder: Embedder | None) -> Embedder | None:
    if embedder is None or isinstance(embedder, Embedder):
        return embedder
    fix = "Pass FunctionEmbedder(function, model=..., dimensions=...) for a function."
    raise InputError("not an embedder", place="embedder", found=type(embedder).__name__, fix=fix)
