"""The storage of memories: two methods are enough for the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from biblicus_context.systems.memory.models import SearchOptions
from biblicus_context.systems.memory.results import RelatedMemory, SearchResult


class StorageError(Exception):
    """Raised by storages; its message is logged, and not returned."""


class MemoryQuery(SearchOptions):
    """What is searched: a text, its vector, or both."""

    text: str = ""
    vector: Sequence[float] | None = None
    max_tokens: int | None = None
    """No more memories are wanted than fill this many tokens."""
    settings: Mapping[str, Any] = {}
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
