"""What a corpus finds, in the terms that other libraries share: texts with an id, a score and metadata."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from biblicus_context.corpora.retriever import CorpusRetriever
from biblicus_context.errors import InputError
from biblicus_context.retrieval.packs.facts import facts_of
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest


class FoundText(NamedTuple):
    """One hit."""

    id: str
    text: str
    score: float | None
    metadata: dict[str, Any]


@dataclass(frozen=True)
class OutwardSearch:
    """A retriever over a corpus with a number of hits, as other libraries ask for them."""

    retriever: CorpusRetriever
    limit: int = 5
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        if type(self.limit) is not int or self.limit < 1:
            raise InputError("limit must be at least 1", place="limit", found=self.limit)

    def found(self, query: str) -> list[FoundText]:
        """The hits of a query, best first; as many as fill `max_tokens`, where that is set."""
        request = ContextRetrieverRequest(query=query, limit=self.limit, max_tokens=self.max_tokens)
        return [*map(_found, self.retriever(request).blocks)]

    async def afound(self, query: str) -> list[FoundText]:
        """The same in a thread, as a search computes for some milliseconds."""
        import asyncio  # a tenth of a start, and few programs are asynchronous

        return await asyncio.to_thread(self.found, query)


def _found(block: ContextPackBlock) -> FoundText:
    return FoundText(block.evidence_item_id, block.text, block.score, dict(_metadata(block)))


def _metadata(block: ContextPackBlock) -> Iterator[tuple[str, Any]]:
    """Its own, and where it comes from; what is not known is left out."""
    yield from (block.metadata or {}).items()
    facts = facts_of(block)
    known = {
        "source": block.source,
        "title": facts.title,
        "heading": " > ".join(facts.heading),
        "lines": list(facts.lines) if facts.lines else None,
        "score": block.score,
    }
    yield from ((name, value) for name, value in known.items() if value not in (None, ""))
