"""Short blocks first, where they are worth as much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.select.selection import filled, in_order


@dataclass(frozen=True, slots=True)
class ValuePerToken:
    """Fills by score / tokens ** exponent; an exponent of 0 is the order of rank."""

    exponent: Annotated[float, Field(ge=0, le=4)] = 1.0

    def __call__(self, candidates: Sequence[Candidate], budget: int) -> list[Candidate]:
        """The candidates that fit, best first."""
        worth = sorted(candidates, key=self._worth, reverse=True)
        return in_order(filled(worth, budget), candidates)

    def _worth(self, candidate: Candidate) -> float:
        return candidate.score / float(max(1, candidate.tokens) ** self.exponent)
