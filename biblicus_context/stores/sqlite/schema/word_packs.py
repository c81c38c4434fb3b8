"""Where every word is, packed: what a search by words reads, and no text.

A word is its stem's row in `stems`. It is in a part of a block: 2 x row for the text, 2 x row + 1 for the
title and the headings. All numbers are unsigned and little-endian.

- `recent_words` has the words of the newest blocks as they were written, a few thousand in a row:
  `parts` (32 bits) is part, number of words, part, number of words ...; `stems` (32 bits) is the words.
  So a write appends to one row, whatever words it has.
- Once there are many, they are sorted by stem into a segment: rows of `postings`, each with up to
  1,024 entries of one stem. `parts` (32 bits) rises, `counts` (8 bits) says how often the stem is
  there, `offsets` (16 bits, or 32 if they need it) is at which words. More than 255 times takes several entries. A row is
  short, so that what is removed can leave it at the same cost in a workspace of any size.
- `segments` says which blocks each segment has: ranges that do not overlap. Segments are merged as they grow in
  number, so that a search looks each stem up in a few places.
"""

from __future__ import annotations

import sys
from array import array
from typing import Final, NamedTuple

MOST_ENTRIES: Final = 1024
"""Of a row of `postings`."""
STEM_BITS: Final = 26
ROW_BITS: Final = 24
MOST_BLOCKS: Final = 1 << ROW_BITS
"""Of a segment."""


class Segment(NamedTuple):
    """A row of `segments`."""

    first: int
    """The row of its first block."""
    last: int
    number: int

    def place(self, stem: int, row: int) -> int:
        """The key in `postings` of entries of a stem that begin with this block."""
        return (self.number << STEM_BITS | stem) << ROW_BITS | row - self.first

    def places_of(self, stem: int) -> tuple[int, int]:
        """The lowest and the highest key of a stem."""
        low = (self.number << STEM_BITS | stem) << ROW_BITS
        return low, low + MOST_BLOCKS - 1

    @property
    def places(self) -> tuple[int, int]:
        """The lowest and the highest key of all stems."""
        low = self.number << STEM_BITS + ROW_BITS
        return low, low + (1 << STEM_BITS + ROW_BITS) - 1


def stem_at(place: int) -> int:
    """The stem of a key in `postings`."""
    return place >> ROW_BITS & (1 << STEM_BITS) - 1


def segment_at(place: int) -> int:
    """The number of the segment of a key in `postings`."""
    return place >> STEM_BITS + ROW_BITS


def numbers(packed: bytes = b"") -> array[int]:
    """Numbers of 32 bits."""
    found = array("I", packed)
    if sys.byteorder == "big":
        found.byteswap()
    return found


def packed(numbers: array[int]) -> bytes:
    """The same as bytes."""
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers.tobytes()
