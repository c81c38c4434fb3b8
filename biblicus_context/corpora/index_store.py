"""The store and the embedders of a corpus: opened when first needed, shared by all its principals."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.base.forks import child_lock
from biblicus_context.base.joining import holding
from biblicus_context.base.paths import path_of
from biblicus_context.corpora.answer_cache import SteadyCache
from biblicus_context.corpora.corpus_cache import CorpusCache
from biblicus_context.corpora.errors import NotIndexedError
from biblicus_context.corpora.index_location import index_folder_of, store_of
from biblicus_context.embedders import (
    AllowedKeys,
    CachedEmbedder,
    Embedder,
    build_embedder,
    computes_here,
    quick_embedder,
)
from biblicus_context.errors import InputError
from biblicus_context.spec.corpus import CorpusSettings
from biblicus_context.stores import Store
from biblicus_context.stores.addresses import address_of
from biblicus_context.stores.errors import NoStoreError
from biblicus_context.stores.places import has_content, is_folder, open_place

_MOST_WORKSPACES: Final = 256
_BYTES_OF_QUERIES: Final = 4 * 1024 * 1024
_KEPT_OF_FILES: Final = 600.0
"""Seconds for which what an ingest replaced can still be read: an assembly that has begun reads one
version. What programs write is a person's to forget, and is gone at once."""


class IndexStore:
    """Opens what an index needs, once, however many principals read it."""

    def __init__(
        self,
        name: str,
        settings: CorpusSettings,
        *,
        store: str | Path | Store | None,
        embedder: Embedder | None,
        allow_keys: AllowedKeys,
    ) -> None:
        self._name = name
        self.root = None if settings.root is None else Path(settings.root)
        self._passed: Store | None = None
        self.address = address_of(settings.store if store is None else store, name)
        """Where the index is, if that is on a server."""
        if self.address is not None:
            # Files are recorded relative to where a folder would be: so every machine finds its own.
            is_of_files = settings.root is not None
            self.folder = store_of(Path(settings.root or ""), name) if is_of_files else Path(name)
        elif isinstance(store, str | Path):
            self.folder = path_of(store, "store")
        else:
            self._passed = _checked_store(store)
            is_elsewhere = self._passed is not None and not (settings.store or settings.root)
            self.folder = Path(name) if is_elsewhere else index_folder_of(settings, name)
        self.allows_partial = settings.index == "partial"
        self._declared_embedder = settings.embedder
        self._takes_default = "embedder" not in settings.model_fields_set
        self._embedder = _checked_embedder(embedder)
        self._allow_keys = allow_keys
        self._cache = None if settings.cache is None else CorpusCache(settings.cache, name)
        self._query_embedders = BoundedMemory[str, CachedEmbedder](_MOST_WORKSPACES)
        self._store: Store | None = None
        self._closing: weakref.finalize[..., IndexStore] | None = None
        """Closes the store, at the latest when this is garbage-collected."""
        self._lock = child_lock()

    @property
    def is_in_folder(self) -> bool:
        """Whether the index is in `folder`, and not on a server or in a store that was passed."""
        return self._passed is None and self.address is None

    @property
    def is_remote(self) -> bool:
        """Whether the store is on another machine."""
        store = self._passed or self._store
        return self.address is not None or (store is not None and store.is_remote)

    @property
    def is_made(self) -> bool:
        """Whether there is a store, of whatever content; an empty folder is not one yet."""
        if self._passed is not None:
            return True
        if self.address is not None:
            try:
                self.open(create=False)
            except NotIndexedError:
                return False
            return True
        return is_folder(self.folder) and (self._store is not None or has_content(self.folder))

    @property
    def is_begun(self) -> bool:
        """Whether anything was written into the store, for whomever."""
        return not self.is_in_folder or any(self.folder.glob("*.db"))

    @property
    def has_embedder(self) -> bool:
        """Whether there is an embedder; it is not loaded to find out."""
        return self._embedder is not None or self._declared_embedder is not None

    @property
    def embeds_here(self) -> bool:
        """Whether no server is asked for vectors."""
        embedder = self._embedder or self._declared_embedder
        if embedder is None:
            return True
        return computes_here(
            None if embedder is not self._embedder and self._takes_default else embedder
        )

    @property
    def embedder(self) -> Embedder | None:
        """What makes the vectors, or None if the corpus has no embedder."""
        with holding(self._lock):
            if self._embedder is None and self._declared_embedder is not None:
                declared = None if self._takes_default else self._declared_embedder
                self._embedder = build_embedder(declared, allow_keys=self._allow_keys)
            return self._embedder

    @property
    def quick_embedder(self) -> Embedder | None:
        """What makes the first vectors in the place of a slow embedder; None: it needs none."""
        return quick_embedder(self.embedder)

    def query_embedder(self, workspace: str) -> CachedEmbedder | None:
        """The embedder for queries, with a cache of recent ones."""
        embedder, cache = self.embedder, self._cache
        if embedder is None:
            return None
        # What processes share is of one workspace; what is in this process nobody can look up.
        of = "" if cache is None else workspace
        return self._query_embedders.get_or_compute(
            of,
            lambda: CachedEmbedder(
                embedder,
                query_memory=None if cache is None else cache.vectors(of),
                max_bytes=_BYTES_OF_QUERIES,
            ),
        )

    @property
    def answer_cache(self) -> SteadyCache | None:
        """The declared cache."""
        return None if self._cache is None else self._cache.answers

    @property
    def cache_counts(self) -> Mapping[str, Mapping[str, int]] | None:
        """Hits and misses in the declared cache."""
        return None if self._cache is None else self._cache.counts

    def open(self, *, create: bool) -> Store:
        """The store, opened if it is not open; a NotIndexedError if there is none."""
        with holding(self._lock):
            if self._passed is not None:
                return self._passed
            if self.address is None and not is_folder(self.folder):
                self._close()  # the folder was removed since
                if not create:
                    raise NotIndexedError(self._name, self.root)
            if self._store is None:
                keep = 0.0 if self.root is None else _KEPT_OF_FILES
                place = self.folder if self.address is None else self.address
                try:
                    store = open_place(place, create=create, keep_seconds=keep)
                except NoStoreError:
                    raise NotIndexedError(self._name, self.root) from None
                # It must not refer to this object itself, which would then never be collected.
                self._closing = weakref.finalize(self, store.close)
                self._store = store
            return self._store

    def close(self) -> None:
        """Close the store; it is opened again when it is next needed."""
        with holding(self._lock):
            self._close()

    def _close(self) -> None:
        if self._closing is not None:
            self._closing()
        self._closing = self._store = None


def _checked_store(store: str | Path | Store | None) -> Store | None:
    if store is None or isinstance(store, Store):
        return store
    fix = "Pass the folder of an index, or an open store."
    raise InputError("not a store", place="store", found=type(store).__name__, fix=fix)


def _checked_embedder(embedder: Embedder | None) -> Embedder | None:
    if embedder is None or isinstance(embedder, Embedder):
        return embedder
    fix = "Pass FunctionEmbedder(function, model=..., dimensions=...) for a function."
    raise InputError("not an embedder", place="embedder", found=type(embedder).__name__, fix=fix)
