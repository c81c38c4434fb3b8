"""Searches of a program as the sources of one call: each is asked once, and one that fails has nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, NamedTuple, TypeVar

from biblicus_context.assembly import Citation, ContextAssemblyResult
from biblicus_context.base import door, line_of
from biblicus_context.corpora import RelevantItems
from biblicus_context.retrieval import (
    ContextPack,
    ContextPackBlock,
    ContextRetrieverRequest,
    Relevance,
)
from biblicus_context.systems.learning.structured_log import log_warning

H = TypeVar("H")
_LOGGER: Final = "biblicus_context.sources"


@dataclass(frozen=True, slots=True)
class SourceSearch(Generic[H]):
    """A search of a program, and the block of each hit."""

    search: Callable[..., Awaitable[Sequence[H]]]
    """It is called with the keywords `query` and `limit`."""
    limit: int
    block_of: Callable[[H], ContextPackBlock]


class PlacedHit(NamedTuple, Generic[H]):
    """A hit in a result."""

    hit: H
    citation: Citation
    text: str
    """As it is written there, with what its format adds."""


@door
class SourceSearches(Generic[H]):
    """Answers the requests of one assembly; pass `answer` as its `retriever_override`.

    The name of a source is that of a retriever of the plan. A source that raises an error, or takes
    longer than `timeout_seconds`, is logged, named in `skipped`, and has nothing.

    >>> async def notes(query, limit): return ["Tea is hot."]
    >>> def block_of(text): return ContextPackBlock(evidence_item_id="n1", text=text)
    >>> found = SourceSearches({"notes": SourceSearch(notes, 5, block_of)}, timeout_seconds=2)
    >>> found.hits
    {}
    """

    def __init__(self, sources: Mapping[str, SourceSearch[H]], *, timeout_seconds: float) -> None:
        self._sources, self._timeout = sources, timeout_seconds
        self._asked: dict[str, asyncio.Task[tuple[list[ContextPackBlock], Relevance | None]]] = {}
        self.hits: dict[str, H] = {}
        """What the searches found, by the id of its block."""
        self.skipped: dict[str, str] = {}
        """Why a source has nothing, in words for users: never the text of an error."""

    async def answer(self, request: ContextRetrieverRequest) -> ContextPack:
        """All blocks of a source after an offset: the limit of the source counts, not that of the plan."""
        name = str(request.metadata["retriever"]).partition("/")[0]
        if name not in self._asked:
            self._asked[name] = asyncio.create_task(self._blocks(name, request.query))
        blocks, relevance = await self._asked[name]
        page = blocks[request.offset :]
        return ContextPack(text="", evidence_count=len(page), blocks=page, relevance=relevance)

    def placed_in(self, result: ContextAssemblyResult) -> list[PlacedHit[H]]:
        """The hits that an assembly placed, in the order of the text."""
        texts = [
            result.messages[span.message]["content"][piece.start : piece.end]
            for span in result.spans
            for piece in span.pieces
            if piece.is_block
        ]
        both = zip(result.citations, texts, strict=True)
        return [PlacedHit(self.hits[each.evidence], each, text) for each, text in both]

    async def _blocks(
        self, name: str, query: str
    ) -> tuple[list[ContextPackBlock], Relevance | None]:
        """The blocks of a source, and whether any is relevant, if it says so."""
        source = self._sources.get(name)
        if source is None:
            return [], None
        try:
            asked = source.search(query=query, limit=source.limit)
            answer = await asyncio.wait_for(asked, self._timeout)
            found = answer[: source.limit]
            blocks = [source.block_of(hit) for hit in found]
        # A search of the caller's: the other sources still answer.
        except (Exception, asyncio.CancelledError) as error:
            if _is_being_cancelled():
                raise
            # The text of an error may have an address with its password.
            is_late = isinstance(error, TimeoutError)
            said = f"took longer than {self._timeout:g} s" if is_late else type(error).__name__
            self.skipped[name] = said if is_late else f"failed with {said}"
            log_warning(_LOGGER, "source skipped", source=name, error=said, at=line_of(error))
            return [], None
        both: Any = zip(blocks, found, strict=True)
        self.hits |= {block.evidence_item_id: hit for block, hit in both}
        return blocks, answer.relevance if isinstance(answer, RelevantItems) else None


def _is_being_cancelled() -> bool:
    """Whether the call that asks was cancelled, and not only something inside a search."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
