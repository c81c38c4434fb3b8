"""How near a candidate is to where the asking user works."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.rank.component import RankingQuery, Share


@dataclass(frozen=True, slots=True)
class Structure:
    """1 - `step` for each step in the tree of documents to the nearest of the named ones."""

    near: tuple[str, ...]
    """Documents by path or id, as in `["{input.page}"]`."""
    step: Annotated[float, Field(gt=0, le=1)] = 0.1
    usual: Share = 0.5
    """The score if no document is named."""

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """Less with each step, and 0 outside of the tree."""
        if not self.near or candidate.document is None:
            return self.usual
        steps = query.distance(candidate.document, self.near)
        return 0.0 if steps is None else max(0.0, 1 - self.step * steps)


@dataclass(frozen=True, slots=True)
class Affinity:
    """Counts what the asking user edited or viewed."""

    edited: Share = 1.0
    viewed: Share = 0.5

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """The weight of what the user did with its document."""
        done = () if candidate.document is None else query.actions(candidate.document)
        return max(self.edited * ("edit" in done), self.viewed * ("view" in done))
