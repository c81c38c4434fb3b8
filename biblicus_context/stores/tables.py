"""What a database answers of a table that people already have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from biblicus_context.stores.principal import Principal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Ranking: TypeAlias = Mapping[str, float]
"""The ids of rows with their scores; higher is better."""
Filled: TypeAlias = Mapping[str, Sequence[object]]
"""Columns, each with the values of which a row has one."""


class Row(NamedTuple):
    """A row that is shown."""

    id: str
    text: str
    title: str
    seconds: float | None
    """When it changed last, since 1970."""
    metadata: dict[str, object]


class Table(Protocol):
    """One table, as a plan declares it; what a principal may not read is not found."""

    @property
    def dimensions(self) -> int | None:
        """Of the vectors, where the type of their column says so."""
        ...

    def rankings(
        self,
        principal: Principal,
        filters: Filled,
        query: str,
        terms: Sequence[str],
        vector: NDArray[np.float32] | None,
    ) -> Mapping[str, Ranking]:
        """The rows that each search finds: by words, and by vectors if there is one."""
        ...

    def rows(self, principal: Principal, filters: Filled, ids: Sequence[str]) -> Sequence[Row]:
        """The rows of these ids, as far as they are still there and the principal's; in any order."""
        ...

    def close(self) -> None:
        """Close the connections, unless others use them."""
        ...
