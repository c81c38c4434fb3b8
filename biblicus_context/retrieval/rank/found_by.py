"""How much each source of a combined retriever counts."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.rank.component import RankingQuery, Share
from biblicus_context.spec.base import StrictSpec


class FoundBy(StrictSpec):
    """A priority for each source of a combined retriever; of several that found a block the best counts."""

    priorities: Mapping[str, Share] = Field(
        description="The score of each source, by its name.", examples=[{"tickets": 0.9}]
    )
    usual: Share = Field(default=0.5, description="The score of any other source.")

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """The best priority of the sources that found it."""
        del query
        found = [self.priorities[name] for name in candidate.found_by if name in self.priorities]
        return max(found, default=self.usual)
