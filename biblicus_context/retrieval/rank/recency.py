"""How recent a candidate is, on one of three curves."""

from __future__ import annotations

from datetime import datetime, timedelta
from math import exp
from typing import Final, Literal

from pydantic import Field

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.rank.weighted_sum import RankingQuery, Share
from biblicus_context.spec.base import StrictSpec

_UNITS: Final = {"day": timedelta(days=1), "hour": timedelta(hours=1)}


class Recency(StrictSpec):
    """1 for now, less with age; all figures are in days, or in hours with `per: hour`.

    `since: used` also counts the last use, as a memory fades that is not recalled.
    """

    curve: Literal["hyperbolic", "exponential", "linear"] = Field(
        default="hyperbolic",
        description="How the score falls with age: hyperbolic, exponential or linear.",
    )
    per: Literal["day", "hour"] = Field(
        default="day", description="Unit of age, half_life, decay and window."
    )
    half_life: float = Field(
        default=7.0, gt=0, description="Age at which the exponential curve is at 0.5."
    )
    decay: float | None = Field(
        default=None,
        gt=0,
        description="Of the exponential curve, in place of half_life: e^(-decay x age).",
    )
    window: float = Field(default=30.0, gt=0, description="Age at which the linear curve is at 0.")
    since: Literal["changed", "used"] = Field(
        default="changed",
        description="What makes a block recent: its last change, or the later one of last change "
        "and last use.",
    )
    usual: Share = Field(default=0.0, description="The score of a block without a time.")

    def __call__(self, candidate: Candidate, query: RankingQuery) -> float:
        """The height of the curve at the candidate's age."""
        times = [candidate.changed, candidate.accessed if self.since == "used" else None]
        then = max(filter(None, times), default=None)
        if then is None:
            return self.usual
        age = age_in(_UNITS[self.per], then, query.now)
        if self.curve == "linear":
            return linear(age, self.window)
        if self.curve == "hyperbolic":
            return hyperbolic(age)
        return exponential(age, self.half_life) if self.decay is None else exp(-self.decay * age)


def age_in(unit: timedelta, then: datetime, now: datetime) -> float:
    """Days, or hours, that have passed; 0 if `then` is in the future.

    >>> from datetime import UTC
    >>> age_in(timedelta(days=1), datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, 12, tzinfo=UTC))
    1.5
    """
    return max(0.0, (now - then) / unit)


def hyperbolic(age: float) -> float:
    """1 / (1 + age): steep at first, never 0.

    >>> hyperbolic(1)
    0.5
    """
    return 1 / (1 + age)


def exponential(age: float, half_life: float) -> float:
    """Half as much after each half-life.

    >>> exponential(14, half_life=7)
    0.25
    """
    return float(0.5 ** (age / half_life))


def linear(age: float, window: float) -> float:
    """Falls evenly, to 0 at the end of the window.

    >>> linear(3, window=12)
    0.75
    """
    return max(0.0, 1 - age / window)
