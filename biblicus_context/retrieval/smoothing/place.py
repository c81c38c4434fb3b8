"""Support from neighbours: what stands beside a good block is more likely to be good."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from biblicus_context.retrieval.smoothing.kernel import Kernel


class Spot(NamedTuple):
    """A place in a sequence: a turn of a session, a block of a document."""

    sequence: str
    position: int


def support_from_neighbours(scores: Mapping[Spot, float], kernel: Kernel) -> dict[Spot, float]:
    """What each spot is lent by the others; also spots without a score, where one is in reach.

    >>> support_from_neighbours({Spot("talk", 7): 1.0}, Kernel(0.6, 0.5, 1))
    {Spot(sequence='talk', position=6): 0.6, Spot(sequence='talk', position=8): 0.6}
    """
    sequences: defaultdict[str, dict[int, float]] = defaultdict(dict)
    for spot, score in scores.items():
        sequences[spot.sequence][spot.position] = score
    return {
        Spot(sequence, position): support
        for sequence, given in sequences.items()
        for run in _runs(sorted(given), kernel.reach)
        for position, support in _support(run, given, kernel)
    }


def _runs(positions: Sequence[int], reach: int) -> Iterator[list[int]]:
    """Positions (there is one at least) so near each other that they lend to the same spots."""
    run: list[int] = []
    for position in positions:
        if run and position - run[-1] > 2 * reach:
            yield run
            run = []
        run.append(position)
    yield run


def _support(
    run: Sequence[int], given: Mapping[int, float], kernel: Kernel
) -> Iterator[tuple[int, float]]:
    first = run[0] - kernel.reach
    scores = [given.get(place, 0.0) for place in range(first, run[-1] + kernel.reach + 1)]
    before = _from_before(scores, kernel)
    behind = reversed(_from_before(scores[::-1], kernel))
    for offset, (one, other) in enumerate(zip(before, behind, strict=True)):
        if one or other:
            yield first + offset, kernel.weight * (one + other)


def _from_before(scores: Sequence[float], kernel: Kernel) -> list[float]:
    """For each place the sum of `decay ** (distance - 1)` of the scores before it, within reach."""
    reach, decay = kernel.reach, kernel.decay
    faded = decay**reach
    received: list[float] = []
    given, last = 0.0, -reach
    for place, score in enumerate(scores):
        received.append(given)
        if score:
            last = place
        gone = scores[place - reach] * faded if place >= reach else 0.0
        # What rounding leaves of scores that are out of reach is dropped.
        given = given * decay + score - gone if place < last + reach else 0.0
    return received
