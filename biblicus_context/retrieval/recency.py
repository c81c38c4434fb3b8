"""How recent something is, from 1 for now (or later) down towards 0."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

_DAY: Final = timedelta(days=1)


def days_between(then: datetime, now: datetime) -> float:
    """Days that have passed; 0 for what lies ahead.

    >>> from datetime import UTC
    >>> days_between(datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, 12, tzinfo=UTC))
    1.5
    """
    return max(0.0, (now - then) / _DAY)


def hyperbolic(days: float) -> float:
    """1 / (1 + days): steep at first, and never nothing.

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
    """Falls evenly, to nothing at the end of the window.

    >>> linear(3, window_days=12)
    0.75
    """
    return max(0.0, 1 - days / window_days)
