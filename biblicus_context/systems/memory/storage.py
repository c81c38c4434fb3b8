"""The storage of memories: two methods are enough for the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from biblicus_context.systems.memory.models import ContextOptions, RelatedMemory, SearchResult


@dataclass(frozen=True, slots=True)
class MemoryQuery:
    """What is searched: a text, its vector, or both."""

    text: str
    vector: Sequence[float] | None = None
    options: ContextOptions = field(default_factory=ContextOptions)
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Those of the retriever `recall` of the plan; only a corpus of this package uses them."""


class StorageClient(Protocol):
    """Whatever keeps memories; one workspace never sees those of another one."""

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
