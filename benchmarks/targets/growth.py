"""How time grows when one thing in the plan grows."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.measuring import processor_timed, timed
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
    yield from _ratios(name, _rounds(build, sizes, rounds, timed), median, at_most)


def order_of_growth(
    name: str,
    build: Callable[[int, int], Callable[[], Any]],
    sizes: Sequence[int],
    *,
    at_most: float,
    rounds: int,
) -> Iterator[Target]:
    """The same for a bound that only tells orders apart, on a machine that does other work as well.

    The fastest rounds in processor time: others take the processor away, and give back cold caches.
    """
    seconds = _rounds(build, sizes, rounds, processor_timed)
    yield from _ratios(name, seconds, min, at_most)


def _rounds(
    build: Callable[[int, int], Callable[[], Any]],
    sizes: Sequence[int],
    rounds: int,
    timed: Callable[[Callable[[], Any]], tuple[float, Any]],
) -> dict[int, list[float]]:
    seconds: dict[int, list[float]] = {size: [] for size in sizes}
    timed(build(sizes[0], rounds))
    for round_ in range(rounds):
        for size in sizes:
            spent, _ = timed(build(size, round_))
            seconds[size].append(spent)
    return seconds


def _ratios(
    name: str,
    seconds: dict[int, list[float]],
    typical: Callable[[list[float]], float],
    at_most: float,
) -> Iterator[Target]:
    first, *others = seconds
    for size in others:
        ratio = typical(seconds[size]) / typical(seconds[first])
        yield Target(f"{name}: time at {size:,} / at {first:,}", ratio, "x", at_most=at_most)
