"""Contexts of memories: a header, an item for each memory."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from benchmarks.attacks.structured.said import HEADINGS, Refused, Said, Written, marks
from biblicus_context.systems.memory import (
    ContextEngine,
    Memory,
    RelatedMemory,
    Relationship,
    SearchResult,
)
from biblicus_context.testing.store_samples import day

_MARKS: Final = re.compile(rf"Relevant (?:context|memories)|- |\[.*\] |{HEADINGS}|Key information:")


class _Storage:
    """Finds the same memories, whatever is asked."""

    def __init__(self, said: Said) -> None:
        self._said = said

    def _memory(self, number: int) -> Memory:
        if number != 1:
            return Memory(
                id=f"m{number}", content=f"Usual memory {number}.", created_at=day(number + 1)
            )
        say = self._said
        return Memory(
            id=say("id"),
            content=say("content"),
            type=say("type"),
            created_at=day(2),
            conversation_id=say("conversation"),
            source=say("source"),
            tags=(say("tag"),),
            metadata={"note": say("metadata")},
        )

    async def search_memories(self, workspace_id: str, query: object) -> Sequence[SearchResult]:
        return [SearchResult(self._memory(number), 0.9) for number in range(3)]

    async def get_memory_relationships(
        self, memory_id: str, workspace_id: str
    ) -> Sequence[RelatedMemory]:
        said = self._said
        related = Memory(
            id="r", content=said("related content"), type=said("related type"), created_at=day(9)
        )
        return [RelatedMemory(related, Relationship(memory_id, "r", said("relation")))]


async def memory(said: Said) -> Written:
    """A chat, and a detailed context with metadata."""
    engine, written = ContextEngine(_Storage(said)), []
    for template, metadata in (("chat", False), ("detailed", False)):
        found = await engine.build_context(
            "query",
            "acme",
            template=template,
            include_metadata=metadata,
            include_relationships=True,
            token_budget=50_000,
        )
        if not found.ok:
            raise Refused(found.error.type)
        built = found.value
        written.append(marks(built.context, _MARKS, len(built.memories)))
    return Written(tuple(mark for each in written for mark in each.structure))
