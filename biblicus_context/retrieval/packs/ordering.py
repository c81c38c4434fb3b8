"""Orders of the blocks in a pack."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def best_at_both_ends(ranked: Sequence[T]) -> list[T]:
    """Best first, second best last, and so on inwards: models read the middle least.

    >>> best_at_both_ends([1, 2, 3, 4, 5])
    [1, 3, 5, 4, 2]
    """
    return [*ranked[::2], *reversed(ranked[1::2])]


def by_score(blocks: Sequence[T], score: Callable[[T], float | None]) -> list[T]:
    """Highest score first; blocks without a score, or with NaN, keep their order at the end."""

    def key(block: T) -> tuple[bool, float]:
        value = score(block)
        if value is None or math.isnan(value):
            return (True, 0.0)
        return (False, -value)

    return sorted(blocks, key=key)


def by_source(blocks: Sequence[T], source: Callable[[T], str | None]) -> list[T]:
    """Blocks grouped by source, sources in the order of their best block.

    >>> by_source(["b1", "a1", "b2"], source=lambda block: block[0])
    ['b1', 'b2', 'a1']
    """
    order: dict[str | None, int] = {}
    for block in blocks:
        order.setdefault(source(block), len(order))
    return sorted(blocks, key=lambda block: order[source(block)])
