"""Support: a block is scored together with its neighbours, or with the blocks it resembles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from biblicus_context.base.arrays import Flags, Integers, Numbers
from biblicus_context.errors import InputError
from biblicus_context.retrieval.fusion import Scores


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
    places = apart.cumsum()
    given = np.zeros(places[-1] + 1 if len(places) else 0)
    given[places] = scores[order]
    lent, alone = np.empty(len(order)), np.empty(len(order), dtype=np.bool_)
    lent[order] = _received(given, kernel)[places]
    is_far = apart > kernel.reach
    is_far[:-1] &= is_far[1:]
    alone[order] = is_far
    return Support(lent, alone)


def _apart(sequences: Integers, positions: Integers, far: int) -> Integers:
    """The distance of each block from the one before it; `far` if that is out of reach."""
    apart = np.full(len(positions), far)
    apart[1:] = np.minimum(positions[1:] - positions[:-1], far)
    apart[is_first(sequences)] = far
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


LENGTH: Final = 0.2
"""How much better a long block must be than a short one: score / tokens ** LENGTH."""


@dataclass(frozen=True, slots=True)
class ScoredBlocks:
    """Blocks by number, counting up, with the named parts of which each score is the sum."""

    numbers: Integers
    parts: Mapping[str, Numbers]
    totals: Numbers

    @classmethod
    def of(cls, scores: Scores[int]) -> Self:
        """The result of a fusion."""
        ids = np.asarray(scores.ids, dtype=np.int64)
        order = ids.argsort()
        parts = {name: np.asarray(column)[order] for name, column in scores.parts.items()}
        return cls(ids[order], parts, np.asarray(scores.totals)[order])

    def score_of(self, numbers: Integers) -> Numbers:
        """The scores of these blocks; 0 for one that is not here."""
        scores = np.zeros(len(numbers))
        if len(self.numbers):
            places = np.minimum(self.numbers.searchsorted(numbers), len(self.numbers) - 1)
            there = self.numbers[places] == numbers
            scores[there] = self.totals[places[there]]
        return scores

    def adding(self, name: str, numbers: Integers, added: Numbers) -> ScoredBlocks:
        """With one more part of every score; blocks that were not here have only this part."""
        together = distinct(self.numbers, numbers)
        own = together.searchsorted(self.numbers)
        size = len(together)
        parts = {each: _spread(column, own, size) for each, column in self.parts.items()}
        parts[name] = _spread(added, together.searchsorted(numbers), size)
        return ScoredBlocks(together, parts, _spread(self.totals, own, size) + parts[name])

    def times(self, factors: Numbers) -> ScoredBlocks:
        """Every score and its parts, multiplied by the factor of the block."""
        parts = {name: column * factors for name, column in self.parts.items()}
        return ScoredBlocks(self.numbers, parts, self.totals * factors)

    def for_length(self, tokens: Integers, exponent: float = LENGTH) -> ScoredBlocks:
        """Every score and its parts, divided by a power of the length of the block in tokens."""
        return self.times(np.maximum(tokens, 1) ** -exponent)

    def ranked(self) -> Integers:
        """The rows, best first; ties in the order of the numbers, which depends on no hash and no clock."""
        return (-self.totals).argsort(kind="stable")


def _spread(column: Numbers, places: Integers, size: int) -> Numbers:
    wide = np.zeros(size)
    wide[places] = column
    return wide


_FEWEST: Final = 3
"""With two blocks, each would only lend to the other."""
_NOTHING_OWN: Final = 1e-6
"""A shorter rest of a vector is a rounding error: the vector is what all have in common."""


@dataclass(frozen=True, slots=True)
class Resemblance:
    """`weight` x the mean score of the `nearest` blocks, weighted by cosine ** `power`.

    The mean of all vectors is subtracted first: in a corpus about one subject all blocks resemble
    each other, and only the differences tell which are about the same part of it.

    It counts less where fewer take part: of twenty blocks the ten nearest are half of the corpus, and
    resemble a block no more than the others do.
    """

    weight: float = 0.8
    nearest: int = 10
    among: int = 100
    """Only this many of the best blocks take part: their vectors must be read."""
    power: float = 2.0

    def support(self, scores: Numbers, vectors: ArrayLike) -> Numbers:
        """What the others lend each of these blocks; `vectors` has one row for each."""
        rows = np.asarray(vectors, dtype=np.float64)
        if rows.ndim != 2 or len(rows) != len(scores):
            raise InputError(
                f"{len(scores)} scores need one vector each",
                found=" x ".join(map(str, rows.shape)),
            )
        if len(rows) < _FEWEST:
            return np.zeros(len(scores))
        own = rows - rows.mean(axis=0)
        lengths = np.linalg.norm(own, axis=1, keepdims=True)
        unit = np.where(lengths > _NOTHING_OWN, own / np.maximum(lengths, _NOTHING_OWN), 0.0)
        # Not `unit @ unit.T`: its threads wait for each other, 8 ms of two cores for 0.4 ms of work,
        # and far more on a busy machine.
        weights = np.maximum(np.vecdot(unit[:, np.newaxis], unit), 0.0) ** self.power
        np.fill_diagonal(weights, 0.0)
        nearest = np.argsort(-weights, axis=1, kind="stable")[:, : self.nearest]
        near = np.take_along_axis(weights, nearest, axis=1)
        total = near.sum(axis=1)
        lent: Numbers = (near * scores[nearest]).sum(axis=1) / np.where(total == 0, 1, total)
        return self.weight * min(1.0, len(rows) / self.among) * lent


ALONE: Final = Resemblance()


def add_resemblance(
    blocks: ScoredBlocks, alone: Integers, vectors: ArrayLike, resemblance: Resemblance = ALONE
) -> ScoredBlocks:
    """With the part `resemblance` for these blocks; `vectors` has one row for each."""
    lent = resemblance.support(blocks.score_of(alone), vectors)
    return blocks.adding("resemblance", alone, lent)


def distinct(*numbers: Integers) -> Integers:
    """Each number of these arrays once, in rising order.

    np.unique does the same, and loads numpy.ma for it: 30 ms of every command that searches.

    >>> distinct(np.array([3, 1, 3]), np.array([2, 1])).tolist()
    [1, 2, 3]
    """
    ordered = np.concatenate(numbers) if len(numbers) > 1 else numbers[0].copy()
    ordered.sort()
    return ordered[is_first(ordered)]


def is_first(rising: Integers) -> Flags:
    """Whether each of these numbers is the first of those that are equal to it."""
    # Not np.diff, np.concatenate or np.append: written in Python, they take longer than short arrays do.
    flags = np.empty(len(rising), dtype=np.bool_)
    flags[:1] = True
    np.not_equal(rising[1:], rising[:-1], out=flags[1:])
    return flags
