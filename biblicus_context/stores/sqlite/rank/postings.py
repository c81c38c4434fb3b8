"""Which blocks contain a stem, and how often, read from the full-text index."""

from __future__ import annotations

import sqlite3
from typing import Final, NamedTuple

import numpy as np

from biblicus_context.base.arrays import Flags, Integers
from biblicus_context.stores.sqlite.rank.columns import Columns, integers
from biblicus_context.stores.sqlite.rank.stemmer import Stems

_OCCURRENCES: Final = "SELECT group_concat(doc) FROM word_places WHERE term = ?"
_POSITIONS: Final = "SELECT group_concat(doc), group_concat(offset) FROM word_places WHERE term = ?"
_POSITION_BITS: Final = 31


class Postings(NamedTuple):
    """The blocks that contain some stems, by ordinal, and how often in which part of them."""

    ordinals: Integers
    in_text: Integers
    in_heading: Integers

    def among(self, flags: Flags) -> Postings:
        """Those of the flagged blocks."""
        there = flags[self.ordinals]
        return Postings(self.ordinals[there], self.in_text[there], self.in_heading[there])


def find_postings(
    connection: sqlite3.Connection, columns: Columns, flags: Flags, stems: Stems
) -> Postings:
    """The flagged blocks in which these stems follow each other directly."""
    every = _of_word(connection, stems[0]) if len(stems) == 1 else _of_phrase(connection, stems)
    every.sort()  # cheap, since they are nearly in order
    firsts = _firsts(every)
    # Index rows: 2 x row is the text of a block, 2 x row + 1 its title and headings (tables.py).
    parts, counts = every[firsts], np.diff(firsts, append=len(every))
    ordinals = columns.ordinals_of(parts >> 1)
    visible = flags[ordinals] & (ordinals >= 0)
    ordinals, parts, counts = ordinals[visible], parts[visible], counts[visible]
    firsts = _firsts(ordinals)
    if not len(firsts):
        return Postings(ordinals, ordinals, ordinals)
    headings = np.add.reduceat(counts * (parts & 1), firsts)
    texts = np.add.reduceat(counts, firsts) - headings
    return Postings(ordinals[firsts], _small(texts), _small(headings))


def count_blocks(
    connection: sqlite3.Connection, columns: Columns, flags: Flags, stems: Stems
) -> int:
    """How many flagged blocks have these stems: what is asked of every word of a text."""
    if len(stems) > 1:
        return len(find_postings(connection, columns, flags, stems).ordinals)
    rows = _of_word(connection, stems[0]) >> 1
    ordinals = columns.ordinals_of(rows)
    seen = np.zeros(len(flags), dtype=np.bool_)
    seen[ordinals[ordinals >= 0]] = True
    return int(np.count_nonzero(seen & flags))


def _firsts(rising: Integers) -> Integers:
    """The index of the first of each run of equal values."""
    return np.flatnonzero(np.concatenate([[True], rising[1:] != rising[:-1]])[: len(rising)])


def _small(counts: Integers) -> Integers:
    """The counts in the smallest type that holds them, mostly one byte: many are cached."""
    return counts.astype(np.min_scalar_type(counts.max()))


def _of_word(connection: sqlite3.Connection, stem: str) -> Integers:
    return integers(connection.execute(_OCCURRENCES, (stem,)).fetchone()[0])


def _of_phrase(connection: sqlite3.Connection, stems: Stems) -> Integers:
    found = _positions(connection, stems[0])
    for distance, stem in enumerate(stems[1:], start=1):
        found = np.intersect1d(found, _positions(connection, stem) - distance, assume_unique=True)
    return found >> _POSITION_BITS


def _positions(connection: sqlite3.Connection, stem: str) -> Integers:
    """Document and offset of each occurrence, packed into one number that rises with both.

    So the next word of a phrase is the same number plus one.
    """
    documents, offsets = connection.execute(_POSITIONS, (stem,)).fetchone()
    return (integers(documents) << _POSITION_BITS) + integers(offsets)
