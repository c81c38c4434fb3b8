"""The index of words: every word of a block is added with it, and leaves with it."""

from __future__ import annotations

import json
import sqlite3
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from itertools import chain, pairwise
from typing import Final, Self, TypeAlias

from biblicus_context.stores.sqlite.schema.word_packs import (
    Segment,
    numbers,
    packed,
    segment_at,
    stem_at,
)
from biblicus_context.stores.sqlite.with_numpy import arrays
from biblicus_context.stores.sqlite.write import vocabulary
from biblicus_context.stores.words import IndexedText, heading_text

_WORDS_OF_A_ROW: Final = 8192
"""Of `recent_words`: a removal writes a row again, and so does the next small write."""
_MOST_RECENT: Final = 1 << 18
"""Words that every search reads: a twentieth of a millisecond for each stem."""
_MOST_RECENT_OF_AN_INGEST: Final = 1 << 20
_WORTH_SORTING: Final = 1 << 15
BLOCKS_AT_ONCE: Final = 1000
_LARGE_WRITE: Final = 1 << 15
"""Words of a write that belongs to an ingest: more will come."""
_HAS: Final = "SELECT 1 FROM postings WHERE place BETWEEN ? AND ? LIMIT 1"
_RECENT: Final = "SELECT parts, stems FROM recent_words"


def indexed_text(row: tuple[int, str, str, str]) -> IndexedText:
    """A block from its row, its text, the title of its document, and its headings as JSON."""
    block, text, title, heading = row
    return IndexedText(block, text, heading_text(title, json.loads(heading)))


class _RecentWords:
    """A row of `recent_words`: whole blocks."""

    def __init__(self, parts: array[int] | None = None, stems: array[int] | None = None) -> None:
        self.parts = numbers() if parts is None else parts
        self.stems = numbers() if stems is None else stems

    @classmethod
    def read(cls, connection: sqlite3.Connection, first: int) -> Self:
        """The row whose first block this is."""
        return cls(
            *map(numbers, connection.execute(f"{_RECENT} WHERE first = ?", (first,)).fetchone())
        )

    @classmethod
    def last(cls, connection: sqlite3.Connection) -> Self:
        """The last row if it is short, else a new one."""
        row = connection.execute(f"{_RECENT} ORDER BY first DESC LIMIT 1").fetchone()
        return cls(*map(numbers, row)) if row and len(row[1]) < 4 * _WORDS_OF_A_ROW else cls()

    @property
    def last_block(self) -> int:
        """The row of its last block."""
        return self.parts[-2] >> 1

    def add(self, part: int, stems: array[int]) -> None:
        """Add a part of a block that is the last one, or follows it."""
        self.stems += stems
        self.parts.extend((part, len(stems)))

    def write(self, connection: sqlite3.Connection) -> None:
        """Write it in place of what it was read from."""
        if self.parts:
            row = self.parts[0] >> 1, packed(self.parts), packed(self.stems)
            connection.execute("INSERT OR REPLACE INTO recent_words VALUES (?, ?, ?)", row)


def add(connection: sqlite3.Connection, blocks: Iterable[IndexedText]) -> dict[int, int]:
    """Add blocks, which follow all that were added before; returns how many words each has."""
    rows = vocabulary.rows_by_word(connection)
    stems, counts = numbers(), dict[int, int]()
    parts: list[tuple[int, int]] = []
    for block, *texts in blocks:
        start = len(stems)
        for part, text in enumerate(texts, start=2 * block):
            before = len(stems)
            stems.extend(rows.of(text))
            if len(stems) > before:
                parts.append((part, len(stems) - before))
        counts[block] = len(stems) - start
    vocabulary.keep(connection, rows)
    if stems:
        _append(connection, parts, stems)
        most = _MOST_RECENT if len(stems) < _LARGE_WRITE else _MOST_RECENT_OF_AN_INGEST
        if count_recent(connection) >= most and find_spec("numpy") is not None:
            _sort(connection)
    return counts


def _append(
    connection: sqlite3.Connection, parts: Iterable[tuple[int, int]], stems: array[int]
) -> None:
    recent, start = _RecentWords.last(connection), 0
    for part, size in parts:
        if len(recent.stems) >= _WORDS_OF_A_ROW and part >> 1 != recent.last_block:
            recent.write(connection)
            recent = _RecentWords()
        recent.add(part, stems[start : start + size])
        start += size
    recent.write(connection)


def tidy(connection: sqlite3.Connection) -> None:
    """Sort what is recent, unless it is little."""
    if count_recent(connection) >= _WORTH_SORTING and find_spec("numpy") is not None:
        _sort(connection)


def is_tidy(connection: sqlite3.Connection) -> bool:
    """Whether there is nothing to sort."""
    return count_recent(connection) < _WORTH_SORTING


def count_recent(connection: sqlite3.Connection) -> int:
    """How many words are not sorted by stem."""
    (size,) = connection.execute(
        "SELECT coalesce(sum(length(stems)), 0) / 4 FROM recent_words"
    ).fetchone()
    return int(size)


def forget(connection: sqlite3.Connection, blocks: Sequence[IndexedText]) -> None:
    """Drop every word of these blocks, and the stems that no other block has."""
    last_sorted = max((each.last for each in segments(connection)), default=0)
    _forget_recent(connection, sorted(each.row for each in blocks if each.row > last_sorted))
    stems = {each.row: each.stems for each in blocks}
    rows = vocabulary.known(connection, set().union(*stems.values()))
    holding: dict[int, set[int]] = {}
    for block, own in stems.items():
        if block <= last_sorted:
            for stem in own & rows.keys():
                holding.setdefault(rows[stem], set()).add(block)
    if holding:
        arrays().forget_sorted(connection, segments(connection), holding)
    vocabulary.forget(connection, _unused(connection, rows.values()))


def segments(connection: sqlite3.Connection) -> list[Segment]:
    """All segments, in the order of their blocks."""
    rows = connection.execute("SELECT first, last, number FROM segments ORDER BY first")
    return [Segment._make(row) for row in rows]


def _sort(connection: sqlite3.Connection) -> None:
    arrays().sort_recent(connection, segments(connection))


def _forget_recent(connection: sqlite3.Connection, rows: Sequence[int]) -> None:
    """Drop the words of these blocks, in rising order, from what is recent."""
    if not rows:
        return
    ordered = connection.execute("SELECT first FROM recent_words ORDER BY first")
    firsts = [first for (first,) in ordered]
    for first, end in pairwise([*firsts, rows[-1] + 1]):
        own = {*rows[bisect_left(rows, first) : bisect_left(rows, end)]}
        if own:
            _forget_in_row(connection, first, own)


def _forget_in_row(connection: sqlite3.Connection, first: int, rows: set[int]) -> None:
    old, kept, start = _RecentWords.read(connection, first), _RecentWords(), 0
    for part, size in zip(old.parts[::2], old.parts[1::2], strict=True):
        if part >> 1 not in rows:
            kept.add(part, old.stems[start : start + size])
        start += size
    # Its key is the row of a block, which may be one of those that leave.
    connection.execute("DELETE FROM recent_words WHERE first = ?", (first,))
    kept.write(connection)


def _unused(connection: sqlite3.Connection, stems: Iterable[int]) -> list[int]:
    """Those of these stems that no block has."""
    ranges = segments(connection)
    unsorted = [
        stem
        for stem in stems
        if not any(connection.execute(_HAS, each.places_of(stem)).fetchone() for each in ranges)
    ]
    if unsorted:
        for (data,) in connection.execute("SELECT stems FROM recent_words"):
            used = {*numbers(data)}
            unsorted = [stem for stem in unsorted if stem not in used]
    return unsorted


def rebuild(connection: sqlite3.Connection) -> None:
    """Make the index again from the texts."""
    for statement in CLEAR:
        connection.execute(statement)
    rows = connection.execute(
        "SELECT b.row, coalesce(x.indexed_text, x.text), d.title, x.heading FROM blocks b"
        " JOIN documents d ON d.row = b.document JOIN texts x ON x.block = b.row ORDER BY b.row"
    )
    while some := rows.fetchmany(BLOCKS_AT_ONCE):
        add(connection, map(indexed_text, some))
    tidy(connection)
    vocabulary.complete(connection)


CLEAR: Final = (
    "DELETE FROM recent_words",
    "DELETE FROM postings",
    "DELETE FROM segments",
    "DELETE FROM stems",
    "INSERT INTO spellings (spellings) VALUES ('delete-all')",
    "UPDATE space SET spelt = 0",
)
"""Forgets all words."""


def problems(connection: sqlite3.Connection) -> list[str]:
    """What is wrong with the index, one sentence each."""
    known = {stem for (stem,) in connection.execute("SELECT row FROM stems")}
    counted: Counter[int] = Counter()
    malformed = 0
    for sizes in chain(_recent_sizes(connection, known), _sorted_sizes(connection, known)):
        if sizes is None:
            malformed += 1
            continue
        for part, size in sizes:
            counted[part >> 1] += size
    words = dict(connection.execute("SELECT row, words FROM blocks"))
    found = {
        "rows of the index of words that are malformed": malformed,
        "blocks with other words in the index than in their table": sum(
            counted[row] != size for row, size in words.items()
        ),
        "blocks in the index of words that do not exist": len(counted.keys() - words.keys()),
    }
    return [f"{number} {problem}" for problem, number in found.items() if number]


_Sizes: TypeAlias = Iterable[tuple[int, int]]
"""Parts of blocks, and how many words of them were found."""


def _recent_sizes(connection: sqlite3.Connection, known: set[int]) -> Iterator[_Sizes | None]:
    for parts, stems in connection.execute(_RECENT):
        if len(parts) % 8 or len(stems) % 4:
            yield None
            continue
        listed, words = numbers(parts), numbers(stems)
        is_whole = sum(listed[1::2]) == len(words) and known >= {*words}
        yield zip(listed[::2], listed[1::2], strict=True) if is_whole else None


def _sorted_sizes(connection: sqlite3.Connection, known: set[int]) -> Iterator[_Sizes | None]:
    ranges = {each.number: each for each in segments(connection)}
    for place, parts, counts, offsets in connection.execute("SELECT * FROM postings"):
        segment = ranges.get(segment_at(place))
        if (
            len(parts) != 4 * len(counts)
            or len(offsets) not in (2 * sum(counts), 4 * sum(counts))
            or segment is None
        ):
            yield None
            continue
        listed = numbers(parts)
        is_inside = segment.first <= listed[0] >> 1 and listed[-1] >> 1 <= segment.last
        is_whole = is_inside and stem_at(place) in known
        yield zip(listed, counts, strict=True) if is_whole else None
