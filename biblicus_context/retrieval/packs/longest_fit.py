"""Which texts of a ranking fit into a budget together."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import accumulate

from biblicus_context.text.counters import Counter


def longest_fit(
    texts: Sequence[str],
    *,
    join_with: str,
    counter: Counter,
    maximum: int,
    ranking: Sequence[int],
    required: Collection[int] = (),
) -> set[int]:
    """Positions of the required texts and of the longest start of the ranking that fits with them.

    The required texts must fit. A ranked text that is larger than what they leave is skipped: it
    could never be kept, and no text after it would be.
    """

    def size(positions: Iterable[int]) -> int:
        return counter.count(join_with.join(texts[position] for position in sorted(positions)))

    room = maximum - size(required)
    # Only a guess: tokens merge across a join, so the sum is near the joined count, not equal to it.
    # The probes below count the joined text itself.
    added = counter.count_many([texts[position] + join_with for position in ranking])
    possible = [
        (position, tokens)
        for position, tokens in zip(ranking, added, strict=True)
        if tokens <= room or counter.count(texts[position]) <= room
    ]
    candidates = [position for position, _ in possible]
    guess = bisect_right(list(accumulate(tokens for _, tokens in possible)), room)
    kept = _largest(
        lambda number: size([*required, *candidates[:number]]) <= maximum,
        near=max(1, guess),
        most=len(candidates),
    )
    return {*required, *candidates[:kept]}


def _largest(fits: Callable[[int], bool], *, near: int, most: int) -> int:
    """The largest number up to `most` that fits, searched outwards from a guess; 0 always fits."""
    low, high = 0, most + 1
    probe, step = near, 1
    while high - low > 1:
        if not low < probe < high:
            probe = (low + high) // 2
        if fits(probe):
            low, probe = probe, probe + step
        else:
            high, probe = probe, probe - step
        step *= 2
    return low
