"""The best ones first: the default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.select.selection import filled


@dataclass(frozen=True, slots=True)
class RankOrder:
    """Fills in order and passes over what does not fit."""

    def __call__(self, candidates: Sequence[Candidate], budget: int) -> list[Candidate]:
        """The candidates that fit, best first."""
        return filled(candidates, budget)
