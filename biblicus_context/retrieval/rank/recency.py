"""How recent a candidate is, on one of three curves."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Final, Literal

from pydantic import Field

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.rank.component import RankingQuery

_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Recency:
    """1 for now; 0 for a candidate without a time.

    `since: used` also counts the last use, as a memory fades that is not recalled.
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


def days_between(then: datetime, now: datetime) -> float:
    """Days that have passed; 0 if `then` is in the future.

    >>> from datetime import UTC
    >>> days_between(datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, 12, tzinfo=UTC))
    1.5
    """
    return max(0.0, (now - then) / _DAY)


def hyperbolic(days: float) -> float:
    """1 / (1 + days): steep at first, never 0.

    >>> hyperbolic(1)
    0.5
    """
    return 1 / (1 + days)


def exponential(days: float, half_life_days: float) -> float:
    """Half as much after each half-life.

    >>> exponential(14, half_life_days=7)
    0.25
    """
    return float(0.5 ** (days / half_life_days))


def linear(days: float, window_days: float) -> float:
    """Falls evenly, to 0 at the end of the window.

    >>> linear(3, window_days=12)
    0.75
    """
    return max(0.0, 1 - days / window_days)
