"""Memories in a corpus of this package."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Self

from biblicus_context import Corpus, Embedder, Principal, Store
from biblicus_context.systems.memory.models import Memory
from biblicus_context.systems.memory.results import RelatedMemory, Relationship, SearchResult
from biblicus_context.systems.memory.storage import MemoryQuery


class MemoryStore:
    """A `StorageClient` over a corpus; each workspace is a tenant of its own."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    @classmethod
    def open(cls, place: str | Path | Store, *, embedder: Embedder | None = None) -> Self:
        """The memories in a folder, or in an open store."""
        return cls(Corpus.open_records(place, name="memories", embedder=embedder))

    async def remember(self, memory: Memory, workspace_id: str) -> None:
        """Write a memory, in place of the one with its id; it is found at once."""
        await self.remember_many([memory], workspace_id)

    async def remember_many(self, memories: Iterable[Memory], workspace_id: str) -> None:
        """Write memories, all of them or none."""
        records = [each.as_record() for each in memories]
        await to_thread(self._as(workspace_id).put, records)

    async def relate(self, relationship: Relationship, workspace_id: str) -> None:
        """Write an arrow between two memories."""
        await to_thread(self._as(workspace_id).relate, [relationship])

    async def update(self, memory_id: str, workspace_id: str, **changes: Any) -> bool:
        """Change fields of a memory; False if there is no such memory."""
        alias = {name: each.alias or name for name, each in Memory.model_fields.items()}
        named = {alias.get(name, name): value for name, value in changes.items()}
        return await to_thread(self._as(workspace_id).update, memory_id, **named)

    async def forget(self, memory_ids: Sequence[str], workspace_id: str) -> None:
        """Remove memories with their relations."""
        await to_thread(self._as(workspace_id).remove, memory_ids)

    async def forget_workspace(self, workspace_id: str) -> None:
        """Remove all memories of a workspace; no byte of them stays in the store."""
        await to_thread(self._as(workspace_id).clear)

    def export_lines(self, workspace_id: str) -> Iterator[str]:
        """Every memory with its relationships as a line of JSON, one at a time in memory."""
        return self._as(workspace_id).export_lines()

    def import_lines(self, lines: Iterable[str], workspace_id: str) -> int:
        """Write what `export_lines` returned, and return the number of memories."""
        return self._as(workspace_id).import_lines(lines).records

    async def search_memories(self, workspace_id: str, query: MemoryQuery) -> list[SearchResult]:
        """The memories that match, as the plan ranks them."""
        return await to_thread(_found, self._as(workspace_id), query)

    async def get_memory_relationships(
        self, memory_id: str, workspace_id: str
    ) -> list[RelatedMemory]:
        """The memories that one relation leads to, in either direction."""
        return await to_thread(_related, self._as(workspace_id), memory_id)

    def close(self) -> None:
        """Close the store."""
        self.corpus.close()

    def _as(self, workspace_id: str) -> Corpus:
        return self.corpus.for_principal(Principal(workspace_id))


def _found(corpus: Corpus, query: MemoryQuery) -> list[SearchResult]:
    until = query.date_to and query.date_to + timedelta(microseconds=1)
    times = {"from": query.date_from, "before": until}
    conditions = {
        "kind": [*query.memory_types],
        "created": {name: time for name, time in times.items() if time},
        "min_confidence": query.min_confidence,
        "conversation": query.conversation_id,
    }
    own = {name: each for name, each in conditions.items() if each not in (None, [], {})}
    known = {name: each for name, each in query.settings.items() if name != "query"}
    settings = {
        **known,
        "filters": {**known.get("filters", {}), **own},
        "limit": None if query.max_tokens else query.limit,
    }
    given = {"vector": query.vector}
    hits = corpus.search(query.text, max_tokens=query.max_tokens, **given, **settings)
    memories = {each.id: Memory.model_validate(each) for each in corpus.records_of(hits)}
    likeness = corpus.likeness(query.text, hits, **given)
    return [
        SearchResult(memories[hit.document.id], score, hit.score, excerpt=hit.block.text)
        for hit, score in zip(hits, likeness, strict=True)
    ]


def _related(corpus: Corpus, memory_id: str) -> list[RelatedMemory]:
    arrows = corpus.relations([memory_id], direction="both")
    ends = [each.target if each.source == memory_id else each.source for each in arrows]
    known = {each.id: Memory.model_validate(each) for each in corpus.get(ends)}
    found = [(known[end], arrow) for end, arrow in zip(ends, arrows, strict=True)]
    return [RelatedMemory(*each) for each in found if each[0].superseded_by is None]
