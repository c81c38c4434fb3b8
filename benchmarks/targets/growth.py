"""How time grows when one thing in the plan grows."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.measuring import timed
from benchmarks.targets import Target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


def growth(
    name: str,
    build: Callable[[int, int], Callable[[], Any]],
    sizes: Sequence[int],
    *,
    at_most: float,
    rounds: int,
) -> Iterator[Target]:
    """Time at each size over time at the first; medians of rounds in which sizes take turns.

    Not the fastest rounds: one lucky round at the small size is more than a bound of 1.2 forgives.
    """
    seconds: dict[int, list[float]] = {size: [] for size in sizes}
    timed(build(sizes[0], rounds))
    for round_ in range(rounds):
        for size in sizes:
            spent, _ = timed(build(size, round_))
            seconds[size].append(spent)
    first, *others = sizes
    for size in others:
        ratio = median(seconds[size]) / median(seconds[first])
        yield Target(f"{name}: time at {size:,} / at {first:,}", ratio, "x", at_most=at_most)
