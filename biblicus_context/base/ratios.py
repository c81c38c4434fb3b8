"""Ratios and weights as written, without binary rounding."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction


@lru_cache
def exactly(number: float) -> int | Fraction:
    """The decimal number as written: 0.1 is a tenth, not the nearest binary fraction."""
    if number == int(number):
        return int(number)
    from fractions import Fraction  # loads decimal; whole numbers need neither

    return Fraction(repr(number))


def part_of(whole: int, ratio: float) -> int:
    """The whole tokens in this part.

    >>> part_of(100, 0.29), int(100 * 0.29)
    (29, 28)
    """
    numerator, denominator = exactly(ratio).as_integer_ratio()
    return whole * numerator // denominator
