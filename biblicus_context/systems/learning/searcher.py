"""Where the assembler looks; any storage can be searched that has these methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from biblicus_context.systems.learning.models import (
    Axis,
    CodeUnit,
    Commit,
    Experience,
    Hit,
    Memory,
    Value,
)


class Searcher(Protocol):
    """Five searches, each of which returns `limit` hits at most, the most relevant first."""

    async def search_memories(self, query: str, limit: int) -> Sequence[Hit[Memory]]:
        """Facts, preferences, decisions, error messages."""
        ...

    async def search_code(self, query: str, limit: int) -> Sequence[Hit[CodeUnit]]:
        """Functions, classes and methods."""
        ...

    async def search_experiences(
        self,
        query: str,
        limit: int,
        *,
        axis: Axis = "full",
        domain: str | None = None,
        strategy: str | None = None,
        outcome: str | None = None,
    ) -> Sequence[Hit[Experience]]:
        """Experiences, by the view that the axis names; only those that the other arguments name.

        An experience without a surprise or a root cause is not on that axis.
        """
        ...

    async def search_values(self, query: str, limit: int) -> Sequence[Hit[Value]]:
        """Principles."""
        ...

    async def search_commits(self, query: str, limit: int) -> Sequence[Hit[Commit]]:
        """Commits."""
        ...
