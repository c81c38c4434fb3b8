"""How time grows when one thing in the plan grows."""

from __future__ import annotations

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
    """Time at each size over time at the first; the fastest of some rounds, taken in turn."""
    fastest = dict.fromkeys(sizes, float("inf"))
    timed(build(sizes[0], rounds))
    for round_ in range(rounds):
        for size in sizes:
            seconds, _ = timed(build(size, round_))
            fastest[size] = min(fastest[size], seconds)
    first, *others = sizes
    for size in others:
        ratio = fastest[size] / fastest[first]
        yield Target(f"{name}: time at {size:,} / at {first:,}", ratio, "x", at_most=at_most)
