"""Stems that are spelt like a term, and how much each of them counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from biblicus_context.base.arrays import Integers
from biblicus_context.stores.ranking.needles import Spelling

LONGEST_STEM: Final = 64
"""Longest stem that misspelt words are compared with; longer ones are hashes and the like."""
MOST_COMPARED: Final = 500_000
"""Pairs of a term and a stem that one query compares: a twentieth of a second."""


def alike(stem: str, candidates: Iterable[str], similarity: float) -> tuple[Spelling, ...]:
    """The stem itself, and every candidate that is like it.

    One wrong, missing, additional or swapped letter of n makes two stems 1 - 1/n alike.
    """
    from rapidfuzz import process  # 47 modules, and few searches allow for misspelt words
    from rapidfuzz.distance import OSA

    scored = process.extract(
        stem,
        [*candidates],
        scorer=OSA.normalized_similarity,
        processor=None,
        score_cutoff=similarity,
        limit=None,
    )
    found = {other: score for other, score, _ in scored if score >= similarity}
    return tuple(Spelling((each,), weight) for each, weight in sorted({**found, stem: 1.0}.items()))


def trigrams(stem: str) -> set[str]:
    """The runs of three letters of a stem, with the spaces around it."""
    padded = f"  {stem} "
    return {padded[n : n + 3] for n in range(len(padded) - 2)}


def sharing(found: Sequence[Integers], stem: str, most: int) -> list[int]:
    """The numbers that are in a fifth of the lists of a stem's trigrams, those in most of them first.

    Any stem of four letters with one mistake is.
    """
    shared = np.bincount(np.concatenate(found)) if found else np.zeros(0, dtype=np.int64)
    rows = np.flatnonzero((shared > 0) & (shared * 5 >= len(trigrams(stem))))
    if len(rows) > most:
        # Stable, so that the same stems are taken each time.
        rows = rows[np.argsort(-shared[rows], kind="stable")[:most]]
    listed: list[int] = rows.tolist()
    return listed


class StemIndex:
    """Stems by trigram, in memory; what is alike has most of its trigrams in common."""

    def __init__(self, stems: Sequence[str]) -> None:
        self.stems = stems
        holding = defaultdict[str, list[int]](list)
        for number, stem in enumerate(stems):
            for each in trigrams(stem):
                holding[each].append(number)
        self._holding = {each: np.array(rows, dtype=np.int64) for each, rows in holding.items()}

    def __len__(self) -> int:
        return len(self.stems)

    @property
    def nbytes(self) -> int:
        """Bytes in memory, about."""
        return 100 * len(self.stems) + sum(each.nbytes for each in self._holding.values())

    def holding(self, wanted: Iterable[str]) -> list[Integers]:
        """The numbers of the stems with each trigram."""
        return [self._holding[each] for each in wanted if each in self._holding]

    def texts(self, numbers: Iterable[int]) -> Mapping[int, str]:
        """The stems with these numbers."""
        return {each: self.stems[each] for each in numbers}

    def like(self, stems: Sequence[str]) -> dict[str, list[str]]:
        """For each stem those that share a fifth of its trigrams."""
        most = max(1, MOST_COMPARED // max(1, len(stems)))
        rows = {each: sharing(self.holding(trigrams(each)), each, most) for each in stems}
        return {each: [self.stems[row] for row in own] for each, own in rows.items()}
