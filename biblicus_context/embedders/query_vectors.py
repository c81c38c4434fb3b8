"""Vectors of queries for async callers: made once, and remembered by model and text."""

from __future__ import annotations

import asyncio
import struct
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from typing import Protocol, Self, runtime_checkable

from pydantic import ConfigDict, NonNegativeFloat, PositiveInt

from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.base.checked_model import CheckedModel
from biblicus_context.base.doors import door
from biblicus_context.base.options import options_of, require
from biblicus_context.embedders.embedder import Embedder
from biblicus_context.errors import EmbedderError, InputError


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
    """Where vectors are remembered; an `AnswerCache` is one."""

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
        """The vectors of these texts; only unknown ones are embedded, together."""
        known = {text: self._cache.get(self._key(text)) for text in texts}
        found: dict[str, Sequence[float]] = {
            text: _unpacked(value) for text, value in known.items() if value is not None
        }
        missing = [text for text in known if text not in found]
        for text, vector in zip(missing, await self._made(missing), strict=True):
            self._cache.put(self._key(text), _packed(vector), self._seconds)
            found[text] = vector
        return [found[text] for text in texts]

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


def _unpacked(value: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(value) // 8}d", value)
