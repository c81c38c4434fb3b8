"""An embedder with a cache."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Protocol

from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.base.doors import door
from biblicus_context.base.forks import child_lock
from biblicus_context.base.surrogates import replaced
from biblicus_context.embedders.arrays import from_bytes, row_bytes
from biblicus_context.embedders.embedder import Embedder, Vectors


class VectorMemory(Protocol):
    """A store of vectors that outlives the process, by model and key."""

    def remembered(self, model: str, keys: Sequence[bytes]) -> Mapping[bytes, bytes]:
        """Return the known vectors by key."""

    def remember(self, model: str, vectors: Mapping[bytes, bytes]) -> None:
        """Store vectors by key."""


@dataclass(frozen=True, slots=True)
class CacheStatistics:
    """How many texts were in the cache, and how many were not."""

    hits: int = 0
    misses: int = 0

    @property
    def hit_rate(self) -> float:
        asked = self.hits + self.misses
        return self.hits / asked if asked else 0.0


@dataclass(frozen=True, slots=True)
class _Kept:
    row: bytes
    until: float


@door
class CachedEmbedder:
    """Embeds each text once; vectors stay in this process up to a size and an age, and in `memory`.

    Passages and questions have keys of their own, because models may treat them differently.
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        memory: VectorMemory | None = None,
        max_bytes: int = 64 * 1024 * 1024,
        max_seconds: float = 3600,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.model = embedder.model
        self.dimensions = embedder.dimensions
        self.vector_weight = embedder.vector_weight
        self._embedder = embedder
        self._memory = memory
        self._max_seconds = max_seconds
        self._clock = clock
        self._kept = BoundedMemory[bytes, _Kept](max(1, max_bytes // (4 * embedder.dimensions)))
        self._lock = child_lock()
        self._statistics = CacheStatistics()

    @property
    def statistics(self) -> CacheStatistics:
        """The hits and misses so far."""
        return self._statistics

    def embed(self, texts: Sequence[str]) -> Vectors:
        keys = [_key(b"passage", text) for text in texts]
        rows = self._recalled(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in rows}
        self._count(hits=len(texts) - len(missing), misses=len(missing))
        if missing:
            fresh = row_bytes(self._embedder.embed(list(missing.values())))
            added = dict(zip(missing, fresh, strict=True))
            self._keep(added)
            if self._memory is not None:
                self._memory.remember(self.model, added)
            rows.update(added)
        return from_bytes([rows[key] for key in keys], self.dimensions)

    def embed_query(self, text: str) -> Vectors:
        key = _key(b"question", text)
        row = self._in_memory([key]).get(key)
        self._count(hits=int(row is not None), misses=int(row is None))
        if row is None:
            row = row_bytes(self._embedder.embed_query(text).reshape(1, -1))[0]
            self._keep({key: row})
        vector: Vectors = from_bytes([row], self.dimensions)[0]
        return vector

    def _recalled(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        rows = self._in_memory(keys)
        absent = [key for key in dict.fromkeys(keys) if key not in rows]
        if absent and self._memory is not None:
            persisted = self._memory.remembered(self.model, absent)
            self._keep(persisted)
            rows.update(persisted)
        return rows

    def _in_memory(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        now = self._clock()
        kept = {key: self._kept.get(key) for key in dict.fromkeys(keys)}
        return {key: each.row for key, each in kept.items() if each and each.until >= now}

    def _keep(self, rows: Mapping[bytes, bytes]) -> None:
        until = self._clock() + self._max_seconds
        for key, row in rows.items():
            self._kept.put(key, _Kept(row, until))

    def _count(self, *, hits: int, misses: int) -> None:
        with self._lock:
            before = self._statistics
            self._statistics = CacheStatistics(before.hits + hits, before.misses + misses)


def _key(purpose: bytes, text: str) -> bytes:
    return blake2b(replaced(text).encode(), digest_size=16, person=purpose).digest()
