"""How much each source of a combined retriever counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.rank.component import RankingQuery, Share


@dataclass(frozen=True, slots=True)
class FoundBy:
    """A priority for each source of a combined retriever; of several that found a block the best counts."""

    priorities: Mapping[str, Share]
    usual: Share = 0.5

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """The best priority of the sources that found it."""
        del query
        found = [self.priorities[name] for name in candidate.found_by if name in self.priorities]
        return max(found, default=self.usual)
