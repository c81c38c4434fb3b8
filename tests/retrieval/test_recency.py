"""How recent something is, on three curves."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, strategies as st

from biblicus_context.retrieval.rank.recency import age_in, exponential, hyperbolic, linear
from tests.retrieval import sparingly

NOW = datetime(2026, 5, 8, 12, tzinfo=UTC)
DAY = timedelta(days=1)
ages = st.floats(0, 1e5)
CURVES = {
    "hyperbolic": hyperbolic,
    "exponential": lambda days: exponential(days, 7),
    "linear": lambda days: linear(days, 30),
}
every_curve = pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES)


@every_curve
@sparingly
@given(ages, ages)
def test_a_curve_falls_from_one_and_stays_above_nothing(curve, one: float, other: float) -> None:  # type: ignore[no-untyped-def]  # any of the curves
    assert curve(0) == 1
    assert 0 <= curve(max(one, other)) <= curve(min(one, other)) <= 1


def test_half_of_it_is_left_after_a_day_a_half_life_or_half_a_window() -> None:
    assert hyperbolic(1) == exponential(7, 7) == linear(15, 30) == 0.5


def test_nothing_is_left_at_the_end_of_a_window() -> None:
    assert linear(30, 30) == linear(31, 30) == 0


@sparingly
@given(st.timedeltas(timedelta(0), timedelta(days=10_000)))
def test_days_are_counted_with_their_hours(age: timedelta) -> None:
    assert age_in(DAY, NOW - age, NOW) == pytest.approx(age.total_seconds() / 86_400)


def test_what_lies_ahead_is_as_recent_as_now() -> None:
    assert age_in(DAY, NOW + timedelta(days=3), NOW) == 0


def test_time_zones_make_no_difference() -> None:
    there = NOW.astimezone(timezone(timedelta(hours=9)))
    assert age_in(DAY, there, NOW) == 0
