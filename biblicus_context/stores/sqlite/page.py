"""A page of a ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from biblicus_context.stores import checks
from biblicus_context.stores.answers import Hit


@dataclass(frozen=True, slots=True)
class Page:
    """Which hits of a ranking are wanted."""

    offset: int
    limit: int

    def __post_init__(self) -> None:
        checks.whole(self.offset, "offset")
        checks.whole(self.limit, "limit")

    @property
    def end(self) -> int:
        """How much of the ranking has to be known."""
        return self.offset + self.limit

    def of(self, ranking: Sequence[Hit]) -> tuple[Hit, ...]:
        """The page, out of a ranking that is known as far as its end."""
        return tuple(ranking[self.offset : self.end])
