"""How recent a candidate is, on one of three curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.rank.component import RankingQuery
from biblicus_context.retrieval.recency import days_between, exponential, hyperbolic, linear


@dataclass(frozen=True, slots=True)
class Recency:
    """1 for now; a candidate that does not say when it was changed counts as long ago.

    Since it was used: as a memory fades that is not called to mind again.
    """

    curve: Literal["hyperbolic", "exponential", "linear"] = "hyperbolic"
    half_life_days: Annotated[float, Field(gt=0)] = 7.0
    """Of the exponential curve."""
    window_days: Annotated[float, Field(gt=0)] = 30.0
    """Of the linear curve."""
    since: Literal["changed", "used"] = "changed"

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """The height of the curve at the candidate's age."""
        times = [candidate.changed, candidate.accessed if self.since == "used" else None]
        then = max(filter(None, times), default=None)
        if then is None:
            return 0.0
        days = days_between(then, query.now)
        if self.curve == "exponential":
            return exponential(days, self.half_life_days)
        if self.curve == "linear":
            return linear(days, self.window_days)
        return hyperbolic(days)
