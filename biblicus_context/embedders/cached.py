"""An embedder with a cache."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Protocol, TypeAlias

from biblicus_context.base.best_effort import BestEffort, BringsBestEffort
from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.base.doors import door
from biblicus_context.base.forks import child_lock
from biblicus_context.base.single_flight import SingleFlight
from biblicus_context.base.surrogates import replaced
from biblicus_context.base.tracing import span
from biblicus_context.embedders.arrays import from_bytes, is_sound, row_bytes, sound_rows
from biblicus_context.embedders.embedder import Embedder, Vectors, languages_of

_Embed: TypeAlias = Callable[[Sequence[bytes]], object]
"""Embeds the texts of these keys."""


class VectorMemory(Protocol):
    """A store of vectors that outlives the process, by model and key; one that fails is skipped."""

    def remembered(self, model: str, keys: Sequence[bytes]) -> Mapping[bytes, bytes]:
        """The known vectors by key."""

    def remember(self, model: str, vectors: Mapping[bytes, bytes]) -> None:
        """Store vectors by key."""


class _Memory:
    """A memory of a caller, whose failures stop and delay nothing."""

    def __init__(self, memory: VectorMemory) -> None:
        self._memory = memory
        self._calls = (
            memory.calls
            if isinstance(memory, BringsBestEffort)
            else BestEffort("memory of vectors", memory)
        )

    def remembered(self, model: str, keys: Sequence[bytes]) -> Mapping[bytes, bytes]:
        nothing: Mapping[bytes, bytes] = {}
        return self._calls.call(lambda: self._memory.remembered(model, keys), otherwise=nothing)

    def remember(self, model: str, vectors: Mapping[bytes, bytes]) -> None:
        self._calls.call(lambda: self._memory.remember(model, vectors), otherwise=None)


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

    Threads that need the vector of one text at the same time wait for the first of them. A vector with
    a number that is not finite, or of another length, is an EmbedderError, and never remembered.
    Passages and questions have keys of their own, because models may treat them differently.
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        memory: VectorMemory | None = None,
        query_memory: VectorMemory | None = None,
        max_bytes: int = 64 * 1024 * 1024,
        max_seconds: float = 3600,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`memory` is of passages, and `query_memory` of questions: what is removed from a corpus may
        have to be forgotten in the first."""
        self.model = embedder.model
        self.dimensions = embedder.dimensions
        self.vector_weight = embedder.vector_weight
        self.languages = languages_of(embedder)
        self._embedder = embedder
        self._memory = None if memory is None else _Memory(memory)
        self._query_memory = None if query_memory is None else _Memory(query_memory)
        self._flights = SingleFlight[bytes, bytes]()
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
        text_of = dict(zip(keys, texts, strict=True))

        def embedded(new: Sequence[bytes]) -> object:
            return self._embedder.embed([text_of[key] for key in new])

        return from_bytes(self._rows(keys, embedded, self._memory), self.dimensions)

    def embed_query(self, text: str) -> Vectors:
        key = _key(b"question", text)

        def embedded(_: Sequence[bytes]) -> object:
            return [self._embedder.embed_query(text)]

        vector: Vectors = from_bytes(
            self._rows([key], embedded, self._query_memory), self.dimensions
        )[0]
        return vector

    def _rows(self, keys: Sequence[bytes], embed: _Embed, memory: _Memory | None) -> list[bytes]:
        """The vectors of these keys; those that another thread makes now are waited for."""
        rows, misses = self._in_memory(keys), list[bytes]()
        missing = [key for key in dict.fromkeys(keys) if key not in rows]
        if missing:
            rows |= self._flights.get(missing, lambda own: self._made(own, embed, memory, misses))
        self._count(hits=len(keys) - len(misses), misses=len(misses))
        return [rows[key] for key in keys]

    def _made(
        self, own: list[bytes], embed: _Embed, memory: _Memory | None, misses: list[bytes]
    ) -> list[bytes]:
        rows = self._in_memory(own)  # another thread may have finished since
        rows |= self._persisted([key for key in own if key not in rows], memory)
        absent = [key for key in own if key not in rows]
        if absent:
            # Checked before anybody remembers it: an embedder is the caller's.
            of = {"count": len(absent), "dimensions": self.dimensions}
            with span("embed", {"model": self.model, "texts": len(absent)}):
                found = embed(absent)
            fresh = row_bytes(sound_rows(found, model=self.model, **of))
            added = dict(zip(absent, fresh, strict=True))
            self._keep(added)
            if memory is not None:
                memory.remember(self.model, added)
            rows |= added
            misses += absent
        return [rows[key] for key in own]

    def _persisted(self, keys: Sequence[bytes], memory: _Memory | None) -> dict[bytes, bytes]:
        if memory is None or not keys:
            return {}
        known = memory.remembered(self.model, keys)
        rows = {key: row for key, row in known.items() if is_sound(row, self.dimensions)}
        self._keep(rows)
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
