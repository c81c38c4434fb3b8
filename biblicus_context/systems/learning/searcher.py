"""Where the assembler looks: any storage with these methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from biblicus_context import CodeUnit, Commit
from biblicus_context.systems.learning.models import Axis, Experience, Memory, Value
from biblicus_context.systems.typed_records import Hit


class Searcher(Protocol):
    """Each search returns hits of one kind of item, `limit` at most, the most relevant first.

    An experience without a surprise or a root cause is not on that axis.
    """

    async def search_memories(self, query: str, limit: int) -> Sequence[Hit[Memory]]: ...
    async def search_code(self, query: str, limit: int) -> Sequence[Hit[CodeUnit]]: ...
    async def search_experiences(
        self,
        query: str,
        limit: int,
        *,
        axis: Axis = "full",
        domain: str | None = None,
        strategy: str | None = None,
        outcome: str | None = None,
    ) -> Sequence[Hit[Experience]]: ...
    async def search_values(self, query: str, limit: int) -> Sequence[Hit[Value]]: ...
    async def search_commits(self, query: str, limit: int) -> Sequence[Hit[Commit]]: ...
