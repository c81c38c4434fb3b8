"""Words, sorted by stem: segments are made of what is recent, merged, and rid of what is removed."""

from __future__ import annotations

import heapq
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import count, groupby, pairwise
from typing import Final, NamedTuple

import numpy as np

from biblicus_context.base.arrays import Integers
from biblicus_context.stores.ranking.word_packs import counted_at_most
from biblicus_context.stores.sqlite.schema.word_packs import (
    MOST_BLOCKS,
    MOST_ENTRIES,
    Segment,
    stem_at,
)

_MOST_ALIKE: Final = 16
"""Segments of about the same size: more are merged."""
_MOST_COUNTED: Final = 255
_SHORT: Final = 1 << 16


_SELECT: Final = "SELECT place, parts, counts, offsets FROM postings WHERE place BETWEEN ? AND ?"
_REPLACE: Final = "INSERT OR REPLACE INTO postings VALUES (?, ?, ?, ?)"
_DELETE: Final = "DELETE FROM postings WHERE place BETWEEN ? AND ?"


class _Row(NamedTuple):
    """Of `postings`."""

    place: int
    parts: bytes
    counts: bytes
    offsets: bytes


def sort_recent(connection: sqlite3.Connection, segments: Sequence[Segment]) -> None:
    """Make a segment of the words that are recent, and merge it with those before it."""
    rows = connection.execute("SELECT parts, stems FROM recent_words ORDER BY first").fetchall()
    listed = np.frombuffer(b"".join(parts for parts, _ in rows), dtype="<u4").reshape(-1, 2)
    words = np.frombuffer(b"".join(stems for _, stems in rows), dtype="<u4")
    first, last = (listed[[0, -1], 0] >> 1).tolist()
    new = Segment(first, last, _free_number(segments))
    connection.executemany(_REPLACE, _sorted_rows(new, listed, words))
    connection.execute("INSERT INTO segments VALUES (?, ?, ?)", new)
    connection.execute("DELETE FROM recent_words")
    found = [*segments, new]
    while alike := _alike(found):
        found = [*found[: -len(alike)], _merged(connection, alike, _free_number(found))]


def _sorted_rows(segment: Segment, listed: Integers, words: Integers) -> Iterator[_Row]:
    """The rows of the parts of blocks, and of the stems that are in each."""
    sizes = listed[:, 1]
    order = _order(words)
    stems, parts = words[order], np.repeat(listed[:, 0], sizes)[order]
    places = np.arange(len(words), dtype=np.uint32)
    offsets = (places - np.repeat(np.cumsum(sizes, dtype=np.uint32) - sizes, sizes))[order]
    is_first = np.ones(len(words), dtype=np.bool_)
    is_first[1:] = (stems[1:] != stems[:-1]) | (parts[1:] != parts[:-1])
    starts = counted_at_most(_MOST_COUNTED, np.flatnonzero(is_first), len(words))
    stems, parts = stems[starts], parts[starts]
    ends = np.append(starts, len(words))
    counts = np.diff(ends).astype(np.uint8)
    form = "<u2" if offsets.max() < _SHORT else "<u4"
    packs = _Row(0, parts.astype("<u4").tobytes(), counts.tobytes(), offsets.astype(form).tobytes())
    lows = _rows_of(stems, parts)
    bounds = np.append(lows, len(stems))
    keys = zip(stems[lows].tolist(), (parts[lows] >> 1).tolist(), strict=True)
    width = len(packs.offsets) // len(words)
    entries, at = pairwise(bounds.tolist()), pairwise((width * ends[bounds]).tolist())
    for (stem, block), own, inside in zip(keys, entries, at, strict=True):
        yield _cut(packs, segment.place(stem, block), own, inside)


def _order(words: Integers) -> Integers:
    """The words sorted by stem, and each in its order: numbers of 16 bits are sorted several times as fast."""
    there = np.flatnonzero(np.bincount(words))
    ranks = np.zeros(int(there[-1]) + 1, dtype=np.min_scalar_type(len(there)))
    ranks[there] = np.arange(len(there))
    return np.argsort(ranks[words], kind="stable")


def _rows_of(stems: Integers, parts: Integers) -> Integers:
    """Where rows begin: at each stem, and after so many entries of it, but never inside of a block.

    A row is found by its first block, so no other row may begin with it.
    """
    is_first = np.ones(len(stems), dtype=np.bool_)
    is_first[1:] = stems[1:] != stems[:-1]
    firsts = np.flatnonzero(is_first)
    sizes = np.diff(firsts, append=len(stems))
    long = np.flatnonzero(sizes > MOST_ENTRIES)
    if not len(long):
        return firsts
    more = [np.arange(firsts[n], firsts[n] + sizes[n], MOST_ENTRIES)[1:] for n in long]
    is_first[1:] |= parts[1:] >> 1 != parts[:-1] >> 1
    blocks = np.append(np.flatnonzero(is_first), len(stems))
    rows = np.unique(
        np.concatenate([firsts, blocks[np.searchsorted(blocks, np.concatenate(more))]])
    )
    return rows[rows < len(stems)]


def _cut(packs: _Row, place: int, entries: tuple[int, int], words: tuple[int, int]) -> _Row:
    """The entries of one row; `words` is where their offsets are."""
    (low, high), (start, end) = entries, words
    return _Row(
        place,
        packs.parts[4 * low : 4 * high],
        packs.counts[low:high],
        packs.offsets[start:end],
    )


def _alike(segments: Sequence[Segment]) -> Sequence[Segment]:
    """The last segments, if too many of them are of about the same size; else none."""
    for most in sorted({_magnitude(each) for each in segments}):
        size = next(
            (n for n, each in enumerate(reversed(segments)) if _magnitude(each) > most),
            len(segments),
        )
        last = segments[len(segments) - size :]
        if size >= _MOST_ALIKE and last[-1].last - last[0].first < MOST_BLOCKS:
            return last
    return ()


def _magnitude(segment: Segment) -> int:
    return (segment.last - segment.first + 1).bit_length() // 3


def _free_number(segments: Iterable[Segment]) -> int:
    taken = {each.number for each in segments}
    return next(number for number in count() if number not in taken)


def _merged(connection: sqlite3.Connection, segments: Sequence[Segment], number: int) -> Segment:
    """Write one segment in place of these, which follow each other."""
    new = Segment(segments[0].first, segments[-1].last, number)
    rows = (connection.execute(_SELECT, each.places) for each in segments)
    by_stem = heapq.merge(*rows, key=lambda row: stem_at(row[0]))
    connection.executemany(
        _REPLACE,
        (
            row
            for stem, group in groupby(by_stem, key=lambda row: stem_at(row[0]))
            for row in _joined(new, stem, [*map(_Row._make, group)])
        ),
    )
    for each in segments:
        connection.execute(_DELETE, each.places)
        connection.execute("DELETE FROM segments WHERE number = ?", (each.number,))
    connection.execute("INSERT INTO segments VALUES (?, ?, ?)", new)
    return new


def _joined(segment: Segment, stem: int, rows: Sequence[_Row]) -> Iterator[_Row]:
    listed, counts = (
        b"".join([each.parts for each in rows]),
        b"".join([each.counts for each in rows]),
    )
    offsets = np.concatenate([offsets_of(each.counts, each.offsets) for each in rows])
    packs = _Row(0, listed, counts, offsets.tobytes())
    parts = np.frombuffer(listed, dtype="<u4")
    bounds = np.append(_rows_of(np.zeros(len(parts), dtype=np.int64), parts), len(parts))
    ends = np.append(0, np.cumsum(np.frombuffer(counts, dtype=np.uint8), dtype=np.int64))
    inside = pairwise((offsets.itemsize * ends[bounds]).tolist())
    for own, words in zip(pairwise(bounds.tolist()), inside, strict=True):
        yield _cut(packs, segment.place(stem, int(parts[own[0]]) >> 1), own, words)


def forget_sorted(
    connection: sqlite3.Connection,
    segments: Iterable[Segment],
    holding: Mapping[int, Collection[int]],
) -> None:
    """Drop the entries of blocks, which are named by each stem that they have."""
    for segment in segments:
        for stem, blocks in holding.items():
            own = [row for row in blocks if segment.first <= row <= segment.last]
            if own:
                _forget_entries(connection, segment, stem, own)
        if connection.execute(f"{_SELECT} LIMIT 1", segment.places).fetchone() is None:
            connection.execute("DELETE FROM segments WHERE number = ?", (segment.number,))


def _forget_entries(
    connection: sqlite3.Connection, segment: Segment, stem: int, blocks: Sequence[int]
) -> None:
    low, _ = segment.places_of(stem)
    # The last row that begins with the first of these blocks, or before it.
    begin = connection.execute(
        "SELECT coalesce(max(place), ?) FROM postings WHERE place BETWEEN ? AND ?",
        (low, low, segment.place(stem, min(blocks))),
    ).fetchone()[0]
    end = segment.place(stem, max(blocks))
    for place, *packs in connection.execute(_SELECT, (begin, end)).fetchall():
        kept = _without(segment, stem, blocks, _Row(place, *packs))
        if kept is None or kept.place != place:
            # The key tells of the first block.
            connection.execute(_DELETE, (place, place))
        if kept is not None:
            connection.execute(_REPLACE, kept)


def _without(segment: Segment, stem: int, blocks: Sequence[int], row: _Row) -> _Row | None:
    """A row without the entries of blocks; None if no entry is left."""
    parts = np.frombuffer(row.parts, dtype="<u4")
    keeps = ~np.isin(parts >> 1, blocks)
    if not keeps.any():
        return None
    counts = np.frombuffer(row.counts, dtype=np.uint8)
    offsets = offsets_of(row.counts, row.offsets)[np.repeat(keeps, counts)]
    place = segment.place(stem, int(parts[keeps][0]) >> 1)
    return _Row(place, parts[keeps].tobytes(), counts[keeps].tobytes(), offsets.tobytes())


def offsets_of(counts: bytes, offsets: bytes) -> Integers:
    """The offsets in a row, which are as short as they can be."""
    is_short = len(offsets) == 2 * sum(counts)
    return np.frombuffer(offsets, dtype="<u2" if is_short else "<u4")
