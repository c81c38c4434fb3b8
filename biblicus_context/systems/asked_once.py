"""The sources of one call: each is asked once, and one that fails or is slow has nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from biblicus_context import ContextPack, ContextPackBlock, ContextRetrieverRequest
from biblicus_context.systems.structured_log import warn

H = TypeVar("H")


@dataclass(frozen=True, slots=True)
class Source(Generic[H]):
    """A search, and the block of each hit that it finds."""

    search: Callable[..., Awaitable[Sequence[H]]]
    """With the keywords `query` and `limit`."""
    limit: int
    block_of: Callable[[H], ContextPackBlock]


class AskedOnce(Generic[H]):
    """Answers the requests of an assembly from searches; `hits` are what they found, by block id."""

    def __init__(self, sources: Mapping[str, Source[H]], timeout: float) -> None:
        self._sources, self._timeout = sources, timeout
        self._asked: dict[str, asyncio.Task[list[ContextPackBlock]]] = {}
        self.hits: dict[str, H] = {}

    async def answer(self, request: ContextRetrieverRequest) -> ContextPack:
        """All blocks of a source after an offset: the limit of the call counts, not that of the plan."""
        name = str(request.metadata["retriever"]).partition("/")[0]
        if name not in self._asked:
            self._asked[name] = asyncio.create_task(self._blocks(name, request.query))
        page = (await self._asked[name])[request.offset :]
        return ContextPack(text="", evidence_count=len(page), blocks=page)

    async def _blocks(self, name: str, query: str) -> list[ContextPackBlock]:
        source = self._sources.get(name)
        if source is None:
            return []
        try:
            asked = source.search(query=query, limit=source.limit)
            found = (await asyncio.wait_for(asked, self._timeout))[: source.limit]
            blocks = [source.block_of(hit) for hit in found]
        except Exception as error:  # a searcher of the caller's: the other sources still answer
            problem = "took too long" if isinstance(error, TimeoutError) else str(error)
            warn("source skipped", source=name, error=f"{type(error).__name__}: {problem}")
            return []
        both: Any = zip(blocks, found, strict=True)
        self.hits |= {block.evidence_item_id: hit for block, hit in both}
        return blocks
