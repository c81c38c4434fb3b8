"""How near a candidate is to where the asking user works."""

from __future__ import annotations

from pydantic import Field

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.rank.component import RankingQuery, Share
from biblicus_context.spec.base import StrictSpec
from biblicus_context.spec.retriever_settings.placeholders import NameList


class Structure(StrictSpec):
    """1 - `step` for each step in the tree of documents to the nearest of the named ones."""

    near: NameList = Field(
        description="Documents by path or id; placeholders are allowed.",
        examples=[["{input.page}"]],
    )
    step: float = Field(default=0.1, gt=0, le=1, description="What each step takes off the score.")
    usual: Share = Field(default=0.5, description="The score if no document is named.")

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """Less with each step, and 0 outside of the tree."""
        if not self.near or candidate.document is None:
            return self.usual
        steps = query.distance(candidate.document, self.near)
        return 0.0 if steps is None else max(0.0, 1 - self.step * steps)


class Affinity(StrictSpec):
    """Counts what the asking user edited or viewed."""

    edited: Share = Field(default=1.0, description="The score of a document that the user edited.")
    viewed: Share = Field(default=0.5, description="The score of a document that the user viewed.")

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """The weight of what the user did with its document."""
        done = () if candidate.document is None else query.actions(candidate.document)
        return max(self.edited * ("edit" in done), self.viewed * ("view" in done))
