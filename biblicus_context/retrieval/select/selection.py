"""What every selection is given, and the filling they share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from biblicus_context.retrieval.candidate import Candidate

Select: TypeAlias = Callable[[Sequence[Candidate], int], list[Candidate]]
"""Chooses among candidates, best first, those that fit so many tokens; the answer is best first.

The tokens of a candidate include its separator.
"""


def filled(candidates: Iterable[Candidate], budget: int) -> list[Candidate]:
    """Every candidate that fits what the ones before it leave.

    One that does not fit is passed over: a shorter one behind it may.
    """
    chosen: list[Candidate] = []
    left = budget
    for candidate in candidates:
        if candidate.tokens <= left:
            chosen.append(candidate)
            left -= candidate.tokens
    return chosen


def in_order(chosen: Iterable[Candidate], candidates: Sequence[Candidate]) -> list[Candidate]:
    """The chosen ones in the order in which all of them came."""
    ids = {candidate.id for candidate in chosen}
    return [candidate for candidate in candidates if candidate.id in ids]
