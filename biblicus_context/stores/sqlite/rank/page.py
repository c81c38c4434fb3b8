"""A page of a ranking."""

from __future__ import annotations

from dataclasses import dataclass

from biblicus_context.stores import checks


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
