"""Support from neighbours: what stands beside a good block is more likely to be good."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biblicus_context.base.arrays import Flags, Integers, Numbers
from biblicus_context.retrieval.smoothing.kernel import Kernel


class Support(NamedTuple):
    """What blocks are lent, in their order."""

    lent: Numbers
    alone: Flags
    """Which of them have no other within reach."""


def support_from_neighbours(
    sequences: Integers, positions: Integers, scores: Numbers, kernel: Kernel
) -> Support:
    """What each of these blocks is lent by the others; one without a score may be lent as well.

    >>> talk, places = np.array([1, 1, 1]), np.array([6, 7, 8])
    >>> support_from_neighbours(talk, places, np.array([0.0, 1.0, 0.0]), Kernel(0.6, 0.5, 1)).lent
    array([0.6, 0. , 0.6])
    """
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
    """How far each block stands behind the one before it; `far` where nothing reaches so far."""
    apart = np.minimum(np.diff(positions, prepend=0), far)
    apart[np.diff(sequences, prepend=-1) != 0] = far
    return apart


def _received(given: Numbers, kernel: Kernel) -> Numbers:
    """For each place the sum of what the others lend it; near to far, so that mirrors are equal."""
    lent = np.zeros(len(given))
    for distance in range(1, min(kernel.reach, len(given) - 1) + 1):
        share = kernel.lent(distance)
        both = np.zeros(len(given))
        both[distance:] += given[:-distance]
        both[:-distance] += given[distance:]
        lent += share * both
    return lent
