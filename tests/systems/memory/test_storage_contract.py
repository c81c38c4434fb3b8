"""Every storage keeps the contract of storages."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from biblicus_context.systems.memory import (
    Memory,
    MemoryQuery,
    MemoryStore,
    RelatedMemory,
    Relationship,
    SearchResult,
    StorageClient,
)
from biblicus_context.testing.memory_store import InMemoryStore
from biblicus_context.testing.storage_client import StorageClientContract


class TestMemoryStore(StorageClientContract):
    def storage(
        self,
        memories: Mapping[str, Sequence[Memory]],
        relationships: Mapping[str, Sequence[Relationship]],
    ) -> StorageClient:
        store = MemoryStore.open(InMemoryStore())

        async def fill() -> None:
            for workspace, each in memories.items():
                await store.remember_many(each, workspace)
            for workspace, arrows in relationships.items():
                for arrow in arrows:
                    await store.relate(arrow, workspace)

        asyncio.run(fill())
        return store


class Lists:
    """The smallest storage there is."""

    def __init__(
        self,
        memories: Mapping[str, Sequence[Memory]],
        relationships: Mapping[str, Sequence[Relationship]],
    ) -> None:
        self._memories = memories
        self._relationships = relationships

    async def search_memories(self, workspace_id: str, query: MemoryQuery) -> list[SearchResult]:
        asked = query
        found = [
            each
            for each in self._memories.get(workspace_id, ())
            if (not asked.memory_types or each.type in asked.memory_types)
            and (not asked.date_from or (each.created_at and each.created_at >= asked.date_from))
            and (not asked.date_to or (each.created_at and each.created_at <= asked.date_to))
            and (each.confidence or 0) >= (asked.min_confidence or 0)
            and asked.conversation_id in (None, each.conversation_id)
        ]
        return [SearchResult(each, 0.5) for each in found[: asked.limit]]

    async def get_memory_relationships(
        self, memory_id: str, workspace_id: str
    ) -> list[RelatedMemory]:
        known = {each.id: each for each in self._memories.get(workspace_id, ())}
        near = []
        for arrow in self._relationships.get(workspace_id, ()):
            if memory_id in (arrow.source, arrow.target):
                other = arrow.target if arrow.source == memory_id else arrow.source
                near.append(RelatedMemory(known[other], arrow))
        return near


class TestLists(StorageClientContract):
    def storage(
        self,
        memories: Mapping[str, Sequence[Memory]],
        relationships: Mapping[str, Sequence[Relationship]],
    ) -> StorageClient:
        return Lists(memories, relationships)
