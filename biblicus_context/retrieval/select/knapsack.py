"""The most score for the budget."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from operator import gt
from typing import Final

from pydantic import Field

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.select.greedy import ValuePerToken
from biblicus_context.retrieval.select.selection import fill, in_order
from biblicus_context.spec.base import StrictSpec

_FEWEST: Final = 16
"""At least this many candidates are compared, whatever `cells` allows."""


class Knapsack(StrictSpec):
    """The choice with the highest sum of scores, found by dynamic programming.

    Exact up to `cells` (candidates x tokens of budget). Above that, time and memory stay bounded in
    two ways: only candidates whose score per token is near the one at which the budget is full are
    compared, and tokens are counted in larger units, rounded up. The choice always fits, and is
    never worth less than a greedy one.
    """

    cells: int = Field(
        default=1_000_000,
        ge=1,
        le=10_000_000,
        description="Blocks x tokens up to which the choice is exact; above, it is nearly so.",
    )

    def __call__(self, candidates: Sequence[Candidate], budget: int) -> list[Candidate]:
        """The candidates that together are worth most, best first."""
        greedy = [fill(candidates, budget), ValuePerToken()(candidates, budget)]
        if len(greedy[0]) == len(candidates):
            return greedy[0]
        return max(self._compared(candidates, budget), *greedy, key=_worth)

    def _compared(self, candidates: Sequence[Candidate], budget: int) -> list[Candidate]:
        fitting = [each for each in candidates if 0 <= each.tokens <= budget]
        sure, open_ones = self._parted([each for each in fitting if each.score > 0], budget)
        room = budget - sum(each.tokens for each in sure)
        # Sizes are rounded up and the room down: what fits in units fits in tokens.
        unit = max(1, -(-len(open_ones) * room // self.cells))
        sizes = [-(-each.tokens // unit) for each in open_ones]
        chosen = _best(sizes, [each.score for each in open_ones], room // unit)
        kept = [*sure, *(open_ones[place] for place in chosen)]
        left = budget - sum(each.tokens for each in kept)
        ids = {each.id for each in kept}
        rest = fill((each for each in fitting if each.id not in ids), left)
        return in_order([*kept, *rest], candidates)

    def _parted(
        self, worthy: Sequence[Candidate], budget: int
    ) -> tuple[list[Candidate], list[Candidate]]:
        """The candidates worth so much per token that they are taken, and those to compare."""
        densest = sorted(worthy, key=_density, reverse=True)
        whole = sum(total <= budget for total in accumulate(each.tokens for each in densest))
        limit = _density(densest[whole]) if whole < len(densest) else 0.0
        taken = {each.id: each.tokens for each in densest[:whole]}
        nearest = sorted(densest, key=lambda each: abs(each.score - limit * each.tokens))
        room = budget - sum(taken.values())
        for number, each in enumerate(nearest):
            room += taken.get(each.id, 0)
            if number >= _FEWEST and (number + 1) * room > self.cells:
                return [one for one in nearest[number:] if one.id in taken], nearest[:number]
        return [], nearest


def _density(candidate: Candidate) -> float:
    return candidate.score / max(1, candidate.tokens)


def _worth(chosen: Sequence[Candidate]) -> float:
    """The sum of scores; a candidate with a score of 0 or less only fills what would stay empty."""
    return sum(each.score for each in chosen if each.score > 0)


def _best(sizes: Sequence[int], values: Sequence[float], room: int) -> list[int]:
    """The positions of the items with the highest sum of values that fit into the room."""
    totals = [0.0] * (room + 1)
    # One byte for each item and room, not a row of totals: a tenth of the memory.
    improved: list[bytes] = []
    for size, value in zip(sizes, values, strict=True):
        taken = [total + value for total in totals[: room + 1 - size]]
        improved.append(bytes(map(gt, taken, totals[size:])))
        totals[size:] = map(max, totals[size:], taken)
    chosen: list[int] = []
    for place in range(len(sizes) - 1, -1, -1):
        if room >= sizes[place] and improved[place][room - sizes[place]]:
            chosen.append(place)
            room -= sizes[place]
    return chosen[::-1]
