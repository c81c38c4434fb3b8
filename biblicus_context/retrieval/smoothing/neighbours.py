"""Support from neighbours: a block next to a good block is more likely to be good."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from biblicus_context.base.arrays import Flags, Integers, Numbers


@dataclass(frozen=True, slots=True)
class Kernel:
    """`weight * decay ** (distance - 1)` of a score, up to `reach` places away, on both sides.

    >>> Kernel(0.6, 0.5, 4).lent(2)
    0.3
    """

    weight: float
    decay: float
    reach: int
    part: float | None = None
    """The part of a sequence that it reaches at most."""

    def within(self, length: int) -> Kernel:
        """The kernel for a sequence of so many blocks: it reaches no further than a part of it.

        >>> TURNS.within(20).reach, TURNS.within(500).reach, BLOCKS.within(3).reach
        (4, 12, 2)
        """
        if self.part is None:
            return self
        return replace(self, reach=min(self.reach, max(1, round(length * self.part))))

    def lent(self, distance: int) -> float:
        """The share of its score that a block lends to one at this distance."""
        return self.weight * self.decay ** (distance - 1) if 1 <= distance <= self.reach else 0.0


TURNS: Final = Kernel(weight=0.6, decay=0.88, reach=12, part=0.2)
"""For turns: they are short, and one subject takes many of them, but not all of a short talk."""
BLOCKS: Final = Kernel(weight=0.3, decay=0.5, reach=2)
"""For the blocks of a document, each of which can be read alone."""


class Support(NamedTuple):
    """What blocks are lent, in their order."""

    lent: Numbers
    alone: Flags
    """Which of them have no other within reach."""


def support_from_neighbours(
    sequences: Integers, positions: Integers, scores: Numbers, kernel: Kernel
) -> Support:
    """What the other blocks lend each of these; a block without a score may be lent some as well.

    >>> talk, places = np.array([1, 1, 1]), np.array([6, 7, 8])
    >>> support_from_neighbours(talk, places, np.array([0.0, 1.0, 0.0]), Kernel(0.6, 0.5, 1)).lent
    array([0.6, 0. , 0.6])
    """
    # All sequences are laid out on one line, with gaps wider than the reach between them, so that
    # one shift of the line serves every block at once.
    order = np.lexsort((positions, sequences))
    apart = _apart(sequences[order], positions[order], kernel.reach + 1)
    places = np.cumsum(apart)
    given = np.zeros(places[-1] + 1 if len(places) else 0)
    given[places] = scores[order]
    lent, alone = np.empty(len(order)), np.empty(len(order), dtype=np.bool_)
    lent[order] = _received(given, kernel)[places]
    is_far = apart > kernel.reach
    alone[order] = is_far & np.append(is_far[1:], True)
    return Support(lent, alone)


def _apart(sequences: Integers, positions: Integers, far: int) -> Integers:
    """The distance of each block from the one before it; `far` if that is out of reach."""
    apart = np.minimum(np.diff(positions, prepend=0), far)
    apart[np.diff(sequences, prepend=-1) != 0] = far
    return apart


def _received(given: Numbers, kernel: Kernel) -> Numbers:
    """For each position what the others lend it, summed from near to far.

    Both sides are added before they are weighted: sums in another order differ in the last bit, and
    blocks in mirrored positions would no longer tie.
    """
    lent = np.zeros(len(given))
    for distance in range(1, min(kernel.reach, len(given) - 1) + 1):
        share = kernel.lent(distance)
        both = np.zeros(len(given))
        both[distance:] += given[:-distance]
        both[:-distance] += given[distance:]
        lent += share * both
    return lent
