"""Where stems are, out of the index of words."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from biblicus_context.base.arrays import Integers
from biblicus_context.stores.ranking.postings import POSITION_BITS, counted
from biblicus_context.stores.source import Occurrences
from biblicus_context.stores.sqlite.schema.word_packs import Segment
from biblicus_context.stores.sqlite.write import vocabulary
from biblicus_context.stores.sqlite.write.sorted_words import offsets_of
from biblicus_context.stores.sqlite.write.word_index import segments

_SORTED: Final = "SELECT parts, counts FROM postings WHERE place BETWEEN ? AND ?"
_WITH_OFFSETS: Final = "SELECT parts, counts, offsets FROM postings WHERE place BETWEEN ? AND ?"
_NOWHERE: Final = np.empty(0, dtype=np.int64)


class _Recent(NamedTuple):
    """The words of the newest blocks."""

    parts: Integers
    ends: Integers
    """Of each part, in all words."""
    starts: Integers
    stems: Integers


class IndexedWords:
    """What one read needs of the index."""

    def __init__(self, connection: sqlite3.Connection, stems: Sequence[str]) -> None:
        self._connection = connection
        self._numbers = vocabulary.known(connection, stems) if stems else {}

    def occurrences(self, stem: str) -> Occurrences:
        """Where a stem is, and how often."""
        number = self._numbers.get(stem)
        if number is None:
            return Occurrences(_NOWHERE, _NOWHERE)
        parts, counts = list[bytes](), list[bytes]()
        for segment in self._segments:
            for packed, own in self._connection.execute(_SORTED, segment.places_of(number)):
                _require(len(packed) == 4 * len(own))
                parts.append(packed)
                counts.append(own)
        newest, _ = self._recent_parts(number)
        if not parts:
            return counted(newest)
        found = Occurrences(
            np.frombuffer(b"".join(parts), dtype="<u4").astype(np.int64),
            np.frombuffer(b"".join(counts), dtype=np.uint8).astype(np.int64),
        )
        if not len(newest):
            return found
        recent = counted(newest)
        return Occurrences(*map(np.concatenate, zip(found, recent, strict=True)))

    def positions(self, stem: str) -> Integers:
        """Part and offset of each occurrence, packed into one number that rises with both."""
        number = self._numbers.get(stem)
        if number is None:
            return _NOWHERE
        found = []
        for segment in self._segments:
            rows = self._connection.execute(_WITH_OFFSETS, segment.places_of(number))
            for packed, counts, offsets in rows:
                size = sum(counts)
                _require(len(packed) == 4 * len(counts))
                _require(len(offsets) in (2 * size, 4 * size))
                parts = np.frombuffer(packed, dtype="<u4").astype(np.int64) << POSITION_BITS
                every = np.repeat(parts, np.frombuffer(counts, dtype=np.uint8))
                found.append(every + offsets_of(counts, offsets))
        parts, at = self._recent_parts(number)
        return np.concatenate([*found, (parts << POSITION_BITS) + at])

    @cached_property
    def _segments(self) -> list[Segment]:
        return segments(self._connection)

    @cached_property
    def _recent(self) -> _Recent:
        rows = self._connection.execute(
            "SELECT parts, stems FROM recent_words ORDER BY first"
        ).fetchall()
        packs = [b"".join(each) for each in zip(*rows, strict=True)] or [b"", b""]
        _require(len(packs[0]) % 8 == 0 and len(packs[1]) % 4 == 0)
        listed = np.frombuffer(packs[0], dtype="<u4").reshape(-1, 2)
        sizes = listed[:, 1].astype(np.int64)
        ends = sizes.cumsum()
        stems = np.frombuffer(packs[1], dtype="<u4")
        _require(len(stems) == sizes.sum())
        return _Recent(listed[:, 0].astype(np.int64), ends, ends - sizes, stems)

    def _recent_parts(self, number: int) -> tuple[Integers, Integers]:
        """The part and the offset of each occurrence."""
        recent = self._recent
        words = (recent.stems == number).nonzero()[0]
        owners = recent.ends.searchsorted(words, side="right")
        return recent.parts[owners], words - recent.starts[owners]


def _require(is_whole: object) -> None:
    """Refuse what no release writes."""
    if not is_whole:
        raise sqlite3.DatabaseError("a row of the index of words is malformed")
