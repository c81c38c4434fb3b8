"""Vectors of queries for async callers: made once, and remembered by model and text."""

from __future__ import annotations

import asyncio
import struct
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import Final, Protocol, Self, runtime_checkable

from pydantic import ConfigDict, NonNegativeFloat, PositiveInt

from biblicus_context.base import (
    BestEffort,
    BoundedMemory,
    CheckedModel,
    SingleFlight,
    door,
    options_of,
    require,
)
from biblicus_context.embedders import Embedder
from biblicus_context.errors import EmbedderError, InputError

_LARGEST: Final = 3.4028235e38
"""The largest number of 32 bits."""


@runtime_checkable
class EmbeddingProvider(Protocol):
    """Makes vectors, for example by asking a server."""

    @property
    def model(self) -> str:
        """The name of the model; other vectors are of another name."""
        ...

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""
        ...

    async def embed(self, text: str) -> Sequence[float]:
        """The vector of a query."""
        ...

    async def embed_batch(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """The vectors of several queries."""
        ...


@runtime_checkable
class BytesCache(Protocol):
    """Where vectors are remembered; an `AnswerCache` is one. One that fails is skipped.

    Threads may call it at once. No call is waited for longer than two seconds.
    """

    def get(self, key: str) -> bytes | None:
        """The value of a key, or None."""
        ...

    def put(self, key: str, value: bytes, seconds: float) -> None:
        """Keep a value for that long."""
        ...


@door
@dataclass(frozen=True, slots=True)
class EmbedderProvider:
    """An embedder of this package as a provider; it works in a thread."""

    embedder: Embedder

    @property
    def model(self) -> str:
        """That of the embedder."""
        return self.embedder.model

    @property
    def dimensions(self) -> int:
        """Those of the embedder."""
        return self.embedder.dimensions

    async def embed(self, text: str) -> Sequence[float]:
        """The vector of a query."""
        row: list[float] = (await asyncio.to_thread(self.embedder.embed_query, text)).tolist()
        return row

    async def embed_batch(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """The vectors of several queries, one after another."""
        if isinstance(texts, str):  # it would be taken for its letters
            raise InputError("a list of texts is expected", place="texts", found=texts)
        return [await self.embed(text) for text in texts]


class CacheConfig(CheckedModel):
    """How many vectors are remembered, how long, and where."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    max_size: PositiveInt = 1000
    ttl: NonNegativeFloat = 3600
    """In seconds."""
    cache: BytesCache | None = None
    """One that outlives the process, such as a `StoredAnswerCache`; None: in this process."""


@door
class QueryVectors:
    """Remembers the vectors of a provider under `model:hash`."""

    def __init__(self, provider: EmbeddingProvider, config: CacheConfig | None = None) -> None:
        config = options_of(CacheConfig, config, {})
        self._provider = provider
        # An empty cache may be false.
        self._cache = _InProcess(config.max_size) if config.cache is None else config.cache
        waits = config.cache is not None
        self._calls = BestEffort("cache of vectors", self._cache, waits=waits)
        self._flights = SingleFlight[str, Sequence[float]]()
        self._seconds = config.ttl

    @classmethod
    def matching(
        cls,
        searched: Embedder | None,
        provider: EmbeddingProvider | None = None,
        config: CacheConfig | None = None,
        *,
        dimensions: int | None = None,
    ) -> Self | None:
        """The vectors of a provider, else of the embedder that embedded what is searched; None without both.

        A provider of another model than that embedder, or of other dimensions, is an InputError.
        """
        place = "embedding_provider"
        if provider is None and searched is not None:
            provider = EmbedderProvider(searched)
        if provider is not None:
            fix = "Pass an object with `model`, `dimensions`, and async `embed` and `embed_batch`."
            require(EmbeddingProvider, fix, embedding_provider=provider)
        found = provider and provider.dimensions
        if dimensions not in (None, found):
            problem = f"vectors of {dimensions} dimensions are expected"
            raise InputError(problem, place=place, found=found)
        if provider is None:
            return None
        if searched is not None and searched.model != provider.model:
            problem = f"what is searched was embedded by '{searched.model}'"
            fix = "Leave the provider out, or embed with the same model."
            raise InputError(problem, place=place, found=provider.model, fix=fix)
        return cls(provider, config)

    async def prepare(self, texts: Sequence[object]) -> None:
        """Embed texts together; a failure is left to the caller that needs one of them."""
        with suppress(EmbedderError):
            await self.of([text for text in texts if isinstance(text, str) and text.strip()])

    async def of(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """The vectors of these texts; only unknown ones are embedded, together.

        Texts that another call embeds now are waited for.
        """
        found = await self._flights.aget(texts, self._found)
        return [found[text] for text in texts]

    async def _found(self, texts: Sequence[str]) -> list[Sequence[float]]:
        remembered = partial(self._remembered, texts)
        found: dict[str, Sequence[float]] = await self._calls.acall(remembered, otherwise={})
        missing = [text for text in texts if text not in found]
        made = dict(zip(missing, await self._made(missing), strict=True))
        if made:
            await self._calls.acall(partial(self._remember, made), otherwise=None)
        found |= made
        return [found[text] for text in texts]

    def _remembered(self, texts: Sequence[str]) -> dict[str, Sequence[float]]:
        known = {text: self._unpacked(self._cache.get(self._key(text))) for text in texts}
        return {text: vector for text, vector in known.items() if vector is not None}

    def _remember(self, made: Mapping[str, Sequence[float]]) -> None:
        for text, vector in made.items():
            self._cache.put(self._key(text), _packed(vector), self._seconds)

    def _unpacked(self, value: bytes | None) -> Sequence[float] | None:
        """The vector of these bytes; None for bytes that are none: a shared cache may be anybody's."""
        size = self._provider.dimensions
        if not isinstance(value, bytes) or len(value) != 8 * size:
            return None
        vector = struct.unpack(f"<{size}d", value)
        return vector if _is_sound(vector) else None

    async def _made(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """An EmbedderError if the provider fails, or returns anything else than a vector for each text."""
        if not texts:
            return ()
        provider = self._provider
        try:
            one = len(texts) == 1
            made = [await provider.embed(texts[0])] if one else await provider.embed_batch(texts)
            vectors = [tuple(map(float, vector)) for vector in made]
        except Exception as error:  # the provider is the caller's, and asks a server
            problem = f"the provider of '{provider.model}' failed"
            raise EmbedderError(problem, found=type(error).__name__) from error
        sizes = [len(vector) for vector in vectors]
        if sizes != [provider.dimensions] * len(texts):
            problem = f"{len(texts)} vectors of {provider.dimensions} numbers are expected"
            raise EmbedderError(problem, place=f"provider of '{provider.model}'", found=sizes)
        for vector in vectors:
            if not _is_sound(vector):
                wrong = next(each for each in vector if not abs(each) <= _LARGEST)
                problem = "a number of a vector is not finite, or too large for 32 bits"
                raise EmbedderError(problem, place=f"provider of '{provider.model}'", found=wrong)
        return vectors

    def _key(self, text: str) -> str:
        digest = blake2b(text.encode(errors="replace"), digest_size=16).hexdigest()
        return f"{self._provider.model}:{digest}"


class _InProcess:
    """A cache in the memory of this process."""

    def __init__(self, entries: int) -> None:
        self._values = BoundedMemory[str, tuple[float, bytes]](entries)

    def get(self, key: str) -> bytes | None:
        """The value of a key, or None."""
        known = self._values.get(key)
        return known[1] if known and time.monotonic() < known[0] else None

    def put(self, key: str, value: bytes, seconds: float) -> None:
        """Keep a value for that long."""
        self._values.put(key, (time.monotonic() + seconds, value))


def _packed(vector: Sequence[float]) -> bytes:
    return struct.pack(f"<{len(vector)}d", *vector)


def _is_sound(vector: Sequence[float]) -> bool:
    """Whether all its numbers are finite, also as the 32 bits in which they are compared."""
    return all(abs(each) <= _LARGEST for each in vector)
