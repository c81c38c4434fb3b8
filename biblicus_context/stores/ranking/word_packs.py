"""Where every word is, packed: what a search by words reads, and no text.

A part of a block is 2 x its row for the text, and 2 x row + 1 for the title and the headings. The words of a
write are one row of `recent`; once there are many, they are sorted by stem into rows of `posting`.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from threading import Lock
from typing import Final, Self

import numpy as np

from biblicus_context.base.arrays import Integers
from biblicus_context.base.forks import child_lock
from biblicus_context.stores.errors import MalformedError
from biblicus_context.stores.ranking.postings import POSITION_BITS
from biblicus_context.stores.source import Occurrences
from biblicus_context.stores.words import MOST_KNOWN, IndexedText, KnownWords

MOST_ENTRIES: Final = 4096
"""Of a row of `posting`: what is removed leaves it at the same cost in a workspace of any size."""
_MOST_COUNTED: Final = 0xFFFF
_LONGEST_STEM: Final = 200
_HEADER: Final = struct.Struct("<III")


def stem_key(stem: str) -> bytes:
    """What a stem is found by; a long one by its digest, which begins with a byte that no text has."""
    encoded = stem.encode()
    if len(encoded) <= _LONGEST_STEM:
        return encoded
    return b"\xff" + blake2b(encoded, digest_size=16).digest()


@dataclass(frozen=True, slots=True)
class Entries:
    """Where one stem is: parts in rising order, how often it is in each, and at which words."""

    parts: Integers
    counts: Integers
    offsets: Integers

    def without(self, rows: Collection[int]) -> Entries:
        """The entries of other blocks than these."""
        keeps = ~np.isin(self.parts >> 1, [*rows])
        return Entries(
            self.parts[keeps], self.counts[keeps], self.offsets[np.repeat(keeps, self.counts)]
        )

    @property
    def occurrences(self) -> Occurrences:
        """Without the places of the words."""
        return Occurrences(self.parts.astype(np.int64), self.counts.astype(np.int64))

    @property
    def positions(self) -> Integers:
        """Part and offset of each occurrence, packed into one number that rises with both."""
        parts = np.repeat(self.parts.astype(np.int64), self.counts)
        return (parts << POSITION_BITS) + self.offsets

    @property
    def packed(self) -> tuple[bytes, bytes, bytes]:
        """As a row of `posting` keeps them."""
        return (
            self.parts.astype("<u4").tobytes(),
            self.counts.astype("<u2").tobytes(),
            self.offsets.astype("<u4").tobytes(),
        )

    @classmethod
    def unpacked(cls, parts: bytes, counts: bytes, offsets: bytes | None = None) -> Self:
        """Entries from a row of `posting`, which may be read without the offsets."""
        own = np.frombuffer(parts, "<u4"), np.frombuffer(counts, "<u2")
        places = NOWHERE.offsets if offsets is None else np.frombuffer(offsets, "<u4")
        is_whole = offsets is None or own[1].sum() == len(places)
        if len(own[0]) != len(own[1]) or not is_whole:
            raise MalformedError("a row of the index of words is malformed")
        return cls(*own, places)

    @classmethod
    def chained(cls, entries: Sequence[Entries]) -> Entries:
        """Those of several ranges of blocks, which follow each other."""
        if len(entries) == 1:
            return entries[0]
        return Entries(
            np.concatenate([each.parts for each in entries]),
            np.concatenate([each.counts for each in entries]),
            np.concatenate([each.offsets for each in entries]),
        )

    @property
    def rows(self) -> Iterator[Entries]:
        """Cut into rows of `posting`, but never inside of a block."""
        blocks = self.parts >> 1
        starts = [0]
        while len(blocks) - starts[-1] > MOST_ENTRIES:
            last = blocks[starts[-1] + MOST_ENTRIES - 1]
            starts.append(int(blocks.searchsorted(last, side="right")))
        ends = np.append(0, np.cumsum(self.counts, dtype=np.int64))
        for low, high in pairwise([*dict.fromkeys(starts), len(blocks)]):
            if high > low:
                yield Entries(
                    self.parts[low:high],
                    self.counts[low:high],
                    self.offsets[ends[low] : ends[high]],
                )


NOWHERE: Final = Entries(np.empty(0, np.uint32), np.empty(0, np.uint16), np.empty(0, np.uint32))


@dataclass(frozen=True, slots=True)
class WordPack:
    """The words of blocks in one range of rows: the entries of each stem."""

    first: int
    last: int
    stems: Mapping[bytes, int]
    """The place of each."""
    starts: Integers
    """Where the entries of each begin."""
    entries: Entries
    """Of all stems, one after the other."""
    ends: Integers
    """Where the offsets of each entry begin."""

    @property
    def nbytes(self) -> int:
        """Bytes in memory, about."""
        arrays = (self.starts, self.entries.parts, self.entries.counts, self.entries.offsets)
        return sum(each.nbytes for each in arrays) + self.ends.nbytes + 120 * len(self.stems)

    @property
    def words(self) -> int:
        """How many there are."""
        return len(self.entries.offsets)

    def of(self, stem: bytes) -> Entries | None:
        """Where a stem is."""
        place = self.stems.get(stem)
        if place is None:
            return None
        low, high = self.starts[place], self.starts[place + 1]
        own = self.entries
        return Entries(
            own.parts[low:high], own.counts[low:high], own.offsets[self.ends[low] : self.ends[high]]
        )

    def without(self, rows: Collection[int]) -> WordPack | None:
        """The words of other blocks than these; None if there are none."""
        found = {
            stem: kept for stem in self.stems if len((kept := self._of(stem).without(rows)).parts)
        }
        return packed_words(found) if found else None

    def _of(self, stem: bytes) -> Entries:
        found = self.of(stem)
        assert found is not None
        return found

    def moved(self, rows: int) -> WordPack:
        """The same words of blocks that are so many rows further."""
        own = self.entries
        entries = Entries(own.parts + np.uint32(2 * rows), own.counts, own.offsets)
        return WordPack(
            self.first + rows, self.last + rows, self.stems, self.starts, entries, self.ends
        )

    @property
    def data(self) -> bytes:
        """As a row of `recent` keeps it."""
        stems, own = [*self.stems], self.entries
        sizes = np.array([len(each) for each in stems], "<u2")
        header = _HEADER.pack(len(stems), len(own.parts), len(own.offsets))
        starts = self.starts.astype("<u4")
        return b"".join([header, sizes.tobytes(), b"".join(stems), starts.tobytes(), *own.packed])

    @classmethod
    def read(cls, first: int, last: int, data: bytes) -> Self:
        """The words of a row of `recent`."""
        try:
            return cls._read(first, last, data)
        except (struct.error, ValueError) as error:
            raise MalformedError("a row of the newest words is malformed") from error

    @classmethod
    def _read(cls, first: int, last: int, data: bytes) -> Self:
        count, parts, words = _HEADER.unpack_from(data)
        at = _HEADER.size
        sizes = np.frombuffer(data, "<u2", count, at)
        at += 2 * count
        bounds = at + np.append(0, np.cumsum(sizes, dtype=np.int64))
        listed = bounds.tolist()
        stems = {data[low:high]: n for n, (low, high) in enumerate(pairwise(listed))}
        at = listed[-1]
        starts = np.frombuffer(data, "<u4", count + 1, at)
        at += 4 * (count + 1)
        own = Entries(
            np.frombuffer(data, "<u4", parts, at),
            np.frombuffer(data, "<u2", parts, at + 4 * parts),
            np.frombuffer(data, "<u4", words, at + 6 * parts),
        )
        ends = np.append(0, np.cumsum(own.counts, dtype=np.int64))
        if len(stems) != count or starts[-1] != parts or ends[-1] != words:
            raise ValueError
        return cls(first, last, stems, starts, own, ends)


def packed_words(found: Mapping[bytes, Entries]) -> WordPack:
    """The words of a range of blocks, from the entries of each stem."""
    entries = Entries.chained([*found.values()])
    sizes = [len(each.parts) for each in found.values()]
    rows = entries.parts >> 1
    return WordPack(
        int(rows.min()),
        int(rows.max()),
        {stem: place for place, stem in enumerate(found)},
        np.append(0, np.cumsum(sizes, dtype=np.int64)),
        entries,
        np.append(0, np.cumsum(entries.counts, dtype=np.int64)),
    )


def merged(packs: Sequence[WordPack]) -> Iterator[tuple[bytes, Entries]]:
    """The entries of each stem in several packs, in the order of their blocks."""
    ordered = sorted(packs, key=lambda each: each.first)
    for stem in sorted({stem for each in ordered for stem in each.stems}):
        own = [found for each in ordered if (found := each.of(stem)) is not None]
        yield stem, Entries.chained(own)


class _Numbered:
    """Stems with numbers, in the order in which this process met them."""

    def __init__(self) -> None:
        self.keys: list[bytes] = []
        self._numbers: dict[bytes, int] = {}
        self.words = KnownWords(self._number)

    def _number(self, stem: str) -> int:
        key = stem_key(stem)
        number = self._numbers.setdefault(key, len(self.keys))
        if number == len(self.keys):
            self.keys.append(key)
        return number


class WordIndexer:
    """Finds the words of blocks; what it knows of words makes the next ones faster."""

    def __init__(self) -> None:
        self._known = _Numbered()
        self._lock: Lock = child_lock()

    def indexed(self, blocks: Iterable[IndexedText]) -> tuple[WordPack | None, dict[int, int]]:
        """The words of blocks in rising rows, and how many each has; None without any word."""
        with self._lock:
            if len(self._known.words) > MOST_KNOWN:
                self._known = _Numbered()
            known = self._known
            numbers: list[int] = []
            parts: list[int] = []
            sizes: list[int] = []
            counts: dict[int, int] = {}
            for row, *texts in blocks:
                start = len(numbers)
                for part, text in enumerate(texts, start=2 * row):
                    before = len(numbers)
                    numbers.extend(known.words.of(text))
                    parts.append(part)
                    sizes.append(len(numbers) - before)
                counts[row] = len(numbers) - start
            if not numbers:
                return None, counts
            return _inverted(
                np.array(numbers), np.array(parts), np.array(sizes), known.keys
            ), counts


def _inverted(
    numbers: Integers, parts: Integers, sizes: Integers, keys: Sequence[bytes]
) -> WordPack:
    """Words in the order of texts, sorted by stem."""
    order = np.argsort(numbers.astype(np.min_scalar_type(int(numbers.max()))), kind="stable")
    places = np.arange(len(numbers)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    own, at, offsets = numbers[order], np.repeat(parts, sizes)[order], places[order]
    is_first = np.ones(len(own), dtype=np.bool_)
    is_first[1:] = (own[1:] != own[:-1]) | (at[1:] != at[:-1])
    starts = counted_at_most(_MOST_COUNTED, np.flatnonzero(is_first), len(own))
    stems = own[starts]
    begins = np.flatnonzero(np.append(True, stems[1:] != stems[:-1]))
    rows = parts >> 1
    counts = np.diff(starts, append=len(own))
    return WordPack(
        int(rows.min()),
        int(rows.max()),
        {keys[number]: place for place, number in enumerate(stems[begins].tolist())},
        np.append(begins, len(stems)),
        Entries(at[starts].astype(np.uint32), counts.astype(np.uint16), offsets.astype(np.uint32)),
        np.append(0, np.cumsum(counts, dtype=np.int64)),
    )


def counted_at_most(most: int, starts: Integers, end: int) -> Integers:
    """Where entries begin, with more of them where a stem is in a part more often than an entry counts."""
    sizes = np.diff(starts, append=end)
    if sizes.max(initial=0) <= most:
        return starts
    more = [
        np.arange(starts[n] + most, starts[n] + sizes[n], most)
        for n in np.flatnonzero(sizes > most)
    ]
    return np.sort(np.concatenate([starts, *more]))
