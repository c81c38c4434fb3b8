"""The most score for the budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.select.choice import filled, in_order


@dataclass(frozen=True, slots=True)
class Knapsack:
    """The choice with the highest sum of scores, found by dynamic programming.

    It is exact up to `cells` (candidates x tokens of budget). Above, the candidates that rank lowest
    are left out, and then tokens are counted in larger units, rounded up: it still always fits.
    """

    cells: Annotated[int, Field(ge=1)] = 1_000_000

    def __call__(self, candidates: Sequence[Candidate], budget: int) -> list[Candidate]:
        """The candidates that together are worth most, best first."""
        fitting = [each for each in candidates if 0 <= each.tokens <= budget]
        worthy = [each for each in fitting if each.score > 0][: self._most(budget)]
        unit = max(1, -(-len(worthy) * budget // self.cells))
        sizes = [-(-each.tokens // unit) for each in worthy]
        chosen = _best(sizes, [each.score for each in worthy], budget // unit)
        kept = [worthy[place] for place in chosen]
        left = budget - sum(each.tokens for each in kept)
        ids = {each.id for each in kept}
        rest = filled((each for each in fitting if each.id not in ids), left)
        return in_order([*kept, *rest], candidates)

    def _most(self, budget: int) -> int:
        """How many candidates can take part if tokens are counted one by one, but at least 64."""
        return max(64, self.cells // max(1, budget))


def _best(sizes: Sequence[int], values: Sequence[float], room: int) -> list[int]:
    """The places of the items with the highest sum of values that fit the room."""
    rows = [[0.0] * (room + 1)]
    for size, value in zip(sizes, values, strict=True):
        before = rows[-1]
        taken = [total + value for total in before[: room + 1 - size]]
        rows.append(before[:size] + list(map(max, before[size:], taken)))
    chosen: list[int] = []
    for place in range(len(sizes) - 1, -1, -1):
        if rows[place + 1][room] > rows[place][room]:
            chosen.append(place)
            room -= sizes[place]
    return chosen[::-1]
