"""The sources of one call: each is asked once, and one that fails or is slow has nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

from biblicus_context import ContextRetrieverRequest
from biblicus_context.systems.structured_log import warn

H = TypeVar("H")


class AskedOnce(Generic[H]):
    """Answers the requests of an assembly from searches; `hits` are what they found, by block id."""

    def __init__(
        self,
        searches: Mapping[str, partial[Any]],
        block_of: Callable[[str, H], dict[str, Any]],
        timeout: float,
    ) -> None:
        """A search takes `query` and returns hits; it has a keyword `limit`."""
        self._searches, self._block_of, self._timeout = searches, block_of, timeout
        self._asked: dict[str, asyncio.Task[list[dict[str, Any]]]] = {}
        self.hits: dict[str, H] = {}

    async def answer(self, request: ContextRetrieverRequest) -> list[dict[str, Any]]:
        """A page of the blocks of a source; the engine may ask again for a smaller one."""
        name = str(request.metadata["retriever"]).partition("/")[0]
        if name not in self._asked:
            self._asked[name] = asyncio.create_task(self._blocks(name, request.query))
        return (await self._asked[name])[request.offset :][: request.limit]

    async def _blocks(self, name: str, query: str) -> list[dict[str, Any]]:
        search = self._searches.get(name)
        if search is None:
            return []
        try:
            found: Sequence[H] = await asyncio.wait_for(search(query=query), self._timeout)
            blocks = [self._block_of(name, hit) for hit in found[: search.keywords["limit"]]]
        except Exception as error:  # a searcher of the caller's: the other sources still answer
            warn("source skipped", source=name, error=f"{type(error).__name__}: {error}")
            return []
        self.hits |= {
            each["evidence_item_id"]: hit for each, hit in zip(blocks, found, strict=False)
        }
        return blocks
