"""Remembered answers of a retriever, where they are kept, and how a similar query finds one."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import blake2b
from itertools import zip_longest
from typing import Any, NamedTuple, Protocol

from pydantic import BaseModel, ValidationError

from biblicus_context.base.best_effort import BestEffort, BringsBestEffort
from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.base.doors import door
from biblicus_context.base.star_patterns import matching
from biblicus_context.base.version import __version__
from biblicus_context.embedders import Embedder
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.packs.pack import ContextPack
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest
from biblicus_context.spec.retriever_settings import CacheSpec
from biblicus_context.stores import REMEMBERED, Principal, StoreError, key_start


class AnswerCache(Protocol):
    """Where answers are kept; may be shared by processes. Threads may call it at once.

    A `get` or `put` that raises is skipped, and so is one that takes longer than two seconds: what is
    remembered is made again. An `invalidate` that fails is a StoreError: what was to be forgotten may
    still be there.
    """

    def get(self, key: str) -> bytes | None:
        """The value of a key, or None if it is unknown or too old."""
        ...

    def put(self, key: str, value: bytes, seconds: float) -> None:
        """Keep a value for that long."""
        ...

    def invalidate(self, pattern: str) -> int:
        """Forget the keys that match a pattern with `*`, and return how many these were.

        Each removal calls it with a pattern that ends with the only `*`: how keys of a workspace start.
        """
        ...


@door
class MemoryAnswerCache:
    """Answers in the memory of this process, the least recently used forgotten first."""

    def __init__(self, entries: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._values = BoundedMemory[str, tuple[float, bytes]](entries)
        self._clock = clock

    def get(self, key: str) -> bytes | None:
        """The value of a key, or None if it is unknown or too old."""
        known = self._values.get(key)
        return known[1] if known and self._clock() < known[0] else None

    def put(self, key: str, value: bytes, seconds: float) -> None:
        """Keep a value for that long."""
        self._values.put(key, (self._clock() + seconds, value))

    def invalidate(self, pattern: str) -> int:
        """Forget the keys that match a pattern with `*`, and return how many these were."""
        found = matching(self._values.remembered(), pattern)
        for key in found:
            self._values.forget(key)
        return len(found)


@dataclass(slots=True)
class CacheCounts:
    """How often an answer was remembered."""

    hits: int = 0
    similar: int = 0
    """Hits by a similar query."""
    misses: int = 0

    @property
    def hit_rate(self) -> float:
        """The share of requests that were answered from the cache."""
        asked = self.hits + self.misses
        return self.hits / asked if asked else 0.0


class _KnownQuery(NamedTuple):
    """A query that was answered, its vector, and the key of the answer."""

    vector: Any
    key: str


class SteadyCache:
    """A cache of a caller, whose failures stop and delay nothing; without one, the memory of this process."""

    def __init__(self, cache: AnswerCache | None, entries: int) -> None:
        # An empty cache may be false.
        self._cache = MemoryAnswerCache(entries) if cache is None else cache
        self.outlives = not isinstance(self._cache, MemoryAnswerCache)
        """What is remembered elsewhere may be there after this process; and calls of it may wait."""
        self._calls = (
            self._cache.calls
            if isinstance(self._cache, BringsBestEffort)
            else BestEffort("answer cache", self._cache, waits=self.outlives)
        )
        REMEMBERED.join(self)

    @property
    def name(self) -> str:
        """That of its class."""
        return type(self._cache).__name__

    def get(self, key: str) -> bytes | None:
        """The value of a key, or None."""
        return self._calls.call(partial(self._cache.get, key), otherwise=None)

    async def aget(self, key: str) -> bytes | None:
        """The same for async code."""
        return await self._calls.acall(partial(self._cache.get, key), otherwise=None)

    def put(self, key: str, value: bytes, seconds: float) -> None:
        """Keep a value for that long."""
        self._calls.call(partial(self._cache.put, key, value, seconds), otherwise=None)

    async def aput(self, key: str, value: bytes, seconds: float) -> None:
        """The same for async code."""
        await self._calls.acall(partial(self._cache.put, key, value, seconds), otherwise=None)

    def invalidate(self, pattern: str) -> int:
        """Forget the keys that match a pattern, and return how many these were."""
        try:
            return self._cache.invalidate(pattern)
        except Exception as error:  # a cache is the caller's
            problem = f"the answer cache {self.name} failed ({type(error).__name__})"
            fix = "What it remembers stays until it is too old: try again."
            raise StoreError(problem, fix=fix) from error

    async def forget(self, pattern: str) -> None:
        """Forget them as far as the cache can be reached, where nobody asked for that."""
        await self._calls.acall(partial(self._cache.invalidate, pattern), otherwise=0)

    def forget_keys(self, start: str, *, firmly: bool = False) -> bool:
        """Forget what has keys that start so; False if the cache cannot be reached.

        It is asked `firmly` also if it failed just now, and however long it takes.
        """
        if firmly:
            with suppress(StoreError):
                self.invalidate(f"{start}*")
                return True
            return False
        forget = partial(self._cache.invalidate, f"{start}*")
        return self._calls.call(forget, otherwise=self) is not self


class RememberedAnswers:
    """The answers of one retriever.

    A key holds everything that an answer depends on: the principal, the version of the corpus, the
    settings, and the request. So a write is never missed, and nobody gets the answer of another.
    """

    def __init__(self, spec: CacheSpec, cache: AnswerCache | SteadyCache | None) -> None:
        self._spec = spec
        # One that several retrievers share forgets once.
        self._cache = (
            cache if isinstance(cache, SteadyCache) else SteadyCache(cache, spec.max_entries)
        )
        self._queries = BoundedMemory[str, tuple[_KnownQuery, ...]](spec.max_entries)
        self.counts = CacheCounts()

    @property
    def compares_queries(self) -> bool:
        """Whether the answer of a similar query is taken."""
        return self._spec.similar is not None

    def answer(
        self,
        request: ContextRetrieverRequest,
        scope: str,
        embedder: Embedder | None,
        compute: Callable[[], ContextPack],
        is_whole: Callable[[], bool],
    ) -> ContextPack:
        """The remembered answer of this or of a similar query, else the computed one.

        `is_whole` says whether all that it was computed from is still there.
        """
        key = f"{scope}/{request.query}"
        known = _read(self._cache.get(key))
        if known is None and embedder is not None:
            vector = embedder.embed_query(request.query)
            known = self._similar(scope, vector)
            self.counts.similar += known is not None
            if known is None:
                self._note(scope, _KnownQuery(vector, key))
        if known is not None:
            self.counts.hits += 1
            return known
        self.counts.misses += 1
        found = compute()
        self._cache.put(key, _written(found), self._spec.ttl_seconds)
        if (
            not is_whole()
        ):  # who removed something meanwhile could not forget what was not there yet
            self._cache.forget_keys(key)
        return found

    def invalidate(self, pattern: str) -> int:
        """Forget the answers of queries that match a pattern with `*`."""
        return self._cache.invalidate(f"*/{pattern}")

    def _similar(self, scope: str, vector: Any) -> ContextPack | None:
        least = self._spec.similar or 1.0
        near = [(float(vector @ each.vector), each.key) for each in self._queries.get(scope) or ()]
        for likeness, key in sorted(near, reverse=True):
            if likeness < least:
                return None
            known = _read(self._cache.get(key))
            if known is not None:
                return known
        return None

    def _note(self, scope: str, query: _KnownQuery) -> None:
        known = self._queries.get(scope) or ()
        self._queries.put(scope, (*known, query)[-self._spec.max_entries :])


def scope_of(
    principal: Principal,
    version: tuple[object, ...],
    settings: Mapping[str, Any],
    request: ContextRetrieverRequest,
) -> str:
    """Everything but the query that an answer depends on, as a digest; it starts with the workspace."""
    limits = request.offset, request.limit, request.maximum_total_characters, request.max_tokens
    parts = [
        [principal.workspace, principal.user, sorted(principal.groups), principal.sees_all],
        [str(each) for each in version],
        settings,
        [*limits, request.counter, request.shorten],
        __version__,  # another one may rank and write the same blocks in another way
    ]
    text = json.dumps(parts, sort_keys=True, default=repr)
    digest = blake2b(text.encode(errors="replace"), digest_size=16).hexdigest()
    return f"{key_start(principal.workspace)}{digest}"


class _Kept(BaseModel):
    """A pack, and what its blocks carry: the engine and formats use it as in the first answer."""

    pack: ContextPack
    facts: list[Candidate | None]


def _written(pack: ContextPack) -> bytes:
    """The whole pack, also what its JSON leaves out: the engine asks on where there is more."""
    kept = _Kept(pack=pack, facts=[block.carried for block in pack.blocks]).model_dump(mode="json")
    left_out = [each.model_dump() for each in pack.left_out]
    judged = asdict(pack.relevance) if pack.relevance else None
    kept["pack"] |= {"more": pack.more, "left_out": left_out, "relevance": judged}
    return json.dumps(kept).encode()


def _read(value: bytes | None) -> ContextPack | None:
    """The pack of these bytes; None for bytes that are none: a shared cache may be anybody's."""
    if value is None:
        return None
    try:
        kept = _Kept.model_validate_json(value)
    except ValidationError:
        return None
    blocks = [
        block if facts is None else block.carrying(facts)
        for block, facts in zip_longest(kept.pack.blocks, kept.facts[: len(kept.pack.blocks)])
    ]
    return kept.pack.model_copy(update={"blocks": blocks})
