"""How near to the beginning of its document a candidate is."""

from __future__ import annotations

from pydantic import Field

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.rank.component import RankingQuery
from biblicus_context.spec.base import StrictSpec


class Position(StrictSpec):
    """1 for the first block of a document: summaries and introductions come first."""

    half_at: float = Field(
        default=5.0, gt=0, description="Number of blocks before it at which the score is 0.5."
    )

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """Less with every block before it."""
        del query
        return self.half_at / (self.half_at + candidate.position)
