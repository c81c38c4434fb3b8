"""Storages of memories: what the engine needs of one, and one over a corpus of this package."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Protocol, runtime_checkable

from biblicus_context.base import door
from biblicus_context.corpora import ModelStore
from biblicus_context.systems.memory.models import Memory, MemoryQuery, RelatedMemory, SearchResult
from biblicus_context.systems.memory.synchronous import SynchronousStore


@runtime_checkable
class StorageClient(Protocol):
    """Whatever keeps memories; one workspace never sees those of another one.

    It raises `StoreError`, whose message is logged and not returned.
    """

    async def search_memories(
        self, workspace_id: str, query: MemoryQuery
    ) -> Sequence[SearchResult]:
        """The memories that match, most similar first; with a `rank` if they are ranked."""
        ...

    async def get_memory_relationships(
        self, memory_id: str, workspace_id: str
    ) -> Sequence[RelatedMemory]:
        """The memories that one relation leads to, in either direction."""
        ...


@door
class MemoryStore(ModelStore[Memory]):
    """A `StorageClient` over a corpus; each workspace is a tenant of its own."""

    model = Memory
    name = "memories"

    remember_many = ModelStore[Memory].put
    forget = ModelStore[Memory].remove
    forget_workspace = ModelStore[Memory].clear

    @property
    def sync(self) -> SynchronousStore:
        """The methods that write, for callers that are not async."""
        return SynchronousStore(self)

    async def remember(self, memory: Memory, workspace_id: str) -> None:
        """Write a memory, in place of the one with its id; it is found at once."""
        await self.put([memory], workspace_id)

    async def update(self, model_id: str, workspace_id: str, **changes: Any) -> bool:
        """Change fields of a memory; one with a new `content` is as new as this change."""
        now = {"updated_at": datetime.now(UTC)} if "content" in changes else {}
        return await super().update(model_id, workspace_id, **now | changes)

    async def search_memories(self, workspace_id: str, query: MemoryQuery) -> list[SearchResult]:
        """The memories that match, as the plan ranks them."""
        settings = {
            **query.settings,
            "vector": query.vector,
            "limit": query.settings.get("limit") if query.fills_budget else query.limit,
            "max_tokens": query.token_budget if query.fills_budget else None,
            "whole_within": query.token_budget,
            "filters": {**query.settings.get("filters", {}), **_filters(query)},
        }
        found = await self.search(query.text, workspace_id, **settings)
        return [
            SearchResult(e.model, e.similarity, e.score, excerpt=e.text if e.is_part else "")
            for e in found
        ]

    async def get_memory_relationships(
        self, memory_id: str, workspace_id: str
    ) -> list[RelatedMemory]:
        """The memories that one relation leads to, in either direction."""
        (found,) = await self.get_relationships_of([memory_id], workspace_id)
        return found

    async def get_relationships_of(
        self, memory_ids: Sequence[str], workspace_id: str
    ) -> list[list[RelatedMemory]]:
        """The same for each of many memories, in a few reads."""
        found = await self.related_to(memory_ids, workspace_id)
        return [[RelatedMemory(*each) for each in related] for related in found]


def _filters(query: MemoryQuery) -> dict[str, object]:
    conditions = {
        "kind": [*query.memory_types],
        "created": {"from": query.date_from, "to": query.date_to},
        "min_confidence": query.min_confidence,
        "conversation": query.conversation_id,
    }
    return {name: each for name, each in conditions.items() if each not in (None, [])}
