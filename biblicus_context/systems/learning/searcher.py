"""Where the assembler looks: any storage with these methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from biblicus_context.corpora import RelevantItem
from biblicus_context.systems.learning.code_unit import CodeUnit
from biblicus_context.systems.learning.commit import Commit
from biblicus_context.systems.learning.models import Axis, Experience, Memory, Value

Floor: TypeAlias = Literal["auto"] | float | Mapping[str, float] | None
"""What `min_score` of a retriever may be; None finds the best there is."""


@runtime_checkable
class Searcher(Protocol):
    """Each search returns items of one kind, `limit` at most, the most relevant first.

    An experience without a surprise or a root cause is not on that axis.
    """

    async def search_memories(self, query: str, limit: int) -> Sequence[RelevantItem[Memory]]: ...
    async def search_code(self, query: str, limit: int) -> Sequence[RelevantItem[CodeUnit]]: ...
    async def search_experiences(
        self,
        query: str,
        limit: int,
        *,
        axis: Axis = "full",
        domain: str | None = None,
        strategy: str | None = None,
        outcome: str | None = None,
    ) -> Sequence[RelevantItem[Experience]]: ...
    async def search_values(self, query: str, limit: int) -> Sequence[RelevantItem[Value]]: ...
    async def search_commits(self, query: str, limit: int) -> Sequence[RelevantItem[Commit]]: ...


@runtime_checkable
class KnownAreas(Protocol):
    """A searcher that can list what its experiences are about, so that an unknown name is reported."""

    async def domains(self) -> Sequence[str]: ...
    async def strategies(self) -> Sequence[str]: ...


@runtime_checkable
class KnownPrinciples(Protocol):
    """A searcher that finds the values nearest to a domain, also where none is about the query's words."""

    async def search_principles(self, query: str, limit: int) -> Sequence[RelevantItem[Value]]: ...


@runtime_checkable
class WithFloors(Protocol):
    """A searcher whose demand of relevance can be set for a call."""

    def with_floor(self, floor: Floor) -> Searcher: ...
