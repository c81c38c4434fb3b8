"""Ratios and weights as their author wrote them, free of binary rounding."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache


@lru_cache
def exactly(number: float) -> int | Fraction:
    """The decimal number that was written: 0.1 is a tenth, not its nearest binary fraction."""
    return int(number) if number == int(number) else Fraction(repr(number))


def part_of(whole: int, ratio: float) -> int:
    """The whole tokens in this part.

    >>> part_of(100, 0.29), int(100 * 0.29)
    (29, 28)
    """
    return int(whole * exactly(ratio))
