"""What a selection is, and the filling that selections share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from biblicus_context.retrieval.candidate import Candidate

Select: TypeAlias = Callable[[Sequence[Candidate], int], list[Candidate]]
"""Chooses from candidates, best first, those that fit a number of tokens; returns them best first.

The tokens of a candidate include its separator.
"""


def fill(candidates: Iterable[Candidate], budget: int) -> list[Candidate]:
    """Every candidate that fits into what the ones before it leave.

    A candidate that does not fit is skipped: a shorter one after it may fit.
    """
    chosen: list[Candidate] = []
    left = budget
    for candidate in candidates:
        if candidate.tokens <= left:
            chosen.append(candidate)
            left -= candidate.tokens
    return chosen


def in_order(chosen: Iterable[Candidate], candidates: Sequence[Candidate]) -> list[Candidate]:
    """The chosen candidates in the order of all of them."""
    ids = {candidate.id for candidate in chosen}
    return [candidate for candidate in candidates if candidate.id in ids]
