"""What a retriever found and leaves out, each with the setting or the limit that bound."""

from __future__ import annotations

from typing import NamedTuple

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.packs.pack import Cause, LeftOutBlock


class LeftOut(NamedTuple):
    """A candidate that is not placed."""

    candidate: Candidate
    cause: Cause
    figure: int | None = None
    detail: str = ""
    score: float | None = None
    """Of what is below `min_score`: how similar it is."""

    @property
    def block(self) -> LeftOutBlock:
        """As a pack reports it."""
        # Half of a page may be left out, and all of it is typed: nothing is left to check.
        return LeftOutBlock.model_construct(
            evidence_item_id=self.candidate.id,
            cause=self.cause,
            figure=self.figure,
            detail=self.detail,
            score=self.score,
        )
