"""Selections that fill the budget one candidate after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.select.selection import fill, in_order


@dataclass(frozen=True, slots=True)
class RankOrder:
    """Fills in order, and skips what does not fit: the default."""

    def __call__(self, candidates: Sequence[Candidate], budget: int) -> list[Candidate]:
        """The candidates that fit, best first."""
        return fill(candidates, budget)


@dataclass(frozen=True, slots=True)
class ValuePerToken:
    """Fills by score / tokens ** exponent; an exponent of 0 is the order of rank."""

    exponent: Annotated[float, Field(ge=0, le=4)] = 1.0

    def __call__(self, candidates: Sequence[Candidate], budget: int) -> list[Candidate]:
        """The candidates that fit, best first."""
        densest = sorted(candidates, key=self._density, reverse=True)
        return in_order(fill(densest, budget), candidates)

    def _density(self, candidate: Candidate) -> float:
        return candidate.score / float(max(1, candidate.tokens) ** self.exponent)
