"""Which blocks contain a stem, and how often."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from biblicus_context.base.arrays import Flags, Integers
from biblicus_context.retrieval.smoothing import is_first
from biblicus_context.stores.ranking.columns import Columns
from biblicus_context.stores.source import Occurrences

POSITION_BITS: Final = 31
"""The position of an occurrence is `part << POSITION_BITS | offset`: the next word has the next number."""
_BYTE: Final = 255


class Postings(NamedTuple):
    """The blocks that contain some stems, by ordinal, and how often in which part of them."""

    ordinals: Integers
    in_text: Integers
    in_heading: Integers

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.ordinals.nbytes + self.in_text.nbytes + self.in_heading.nbytes

    def among(self, flags: Flags) -> Postings:
        """Those of the flagged blocks."""
        there = flags[self.ordinals]
        return Postings(self.ordinals[there], self.in_text[there], self.in_heading[there])


def postings_of(columns: Columns, flags: Flags, found: Occurrences) -> Postings:
    """The flagged blocks in which a stem occurs."""
    ordinals = columns.ordinals_of(found.parts >> 1)
    visible = flags[ordinals] & (ordinals >= 0)
    parts, counts = found
    if not np.logical_and.reduce(visible):
        ordinals, parts, counts = ordinals[visible], parts[visible], counts[visible]
    firsts = is_first(ordinals).nonzero()[0]
    if not len(firsts):
        return Postings(ordinals, ordinals, ordinals)
    headings = np.add.reduceat(counts * (parts & 1), firsts)
    texts = np.add.reduceat(counts, firsts) - headings
    # In one byte if that holds them, as it mostly does: many are cached.
    if np.maximum.reduce(texts) <= _BYTE:
        texts = texts.astype(np.uint8)
    if np.maximum.reduce(headings) <= _BYTE:
        headings = headings.astype(np.uint8)
    return Postings(ordinals[firsts], texts, headings)


def count_of(columns: Columns, flags: Flags, found: Occurrences) -> int:
    """How many flagged blocks have a stem: what is asked of every word of a text."""
    ordinals = columns.ordinals_of(found.parts >> 1)
    seen = np.zeros(len(flags), dtype=np.bool_)
    seen[ordinals[ordinals >= 0]] = True
    return int(np.count_nonzero(seen & flags))


def phrase(positions: Sequence[Integers]) -> Occurrences:
    """Where stems follow each other directly, from the positions of each."""
    found = positions[0]
    for distance, each in enumerate(positions[1:], start=1):
        found = np.intersect1d(found, each - distance, assume_unique=True)
    return counted(found >> POSITION_BITS)


def counted(every: Integers) -> Occurrences:
    """Parts in rising order, one for each occurrence, as parts with their counts."""
    firsts = is_first(every).nonzero()[0]
    counts = np.empty(len(firsts), dtype=np.int64)
    counts[:-1] = firsts[1:]
    counts[-1:] = len(every)
    return Occurrences(every[firsts], counts - firsts)
