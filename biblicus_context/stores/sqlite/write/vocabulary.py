"""The stems of all blocks, each with a number; and which of them are spelt like another word.

Each stem is numbered as it is written. That misspelt words are compared with it too costs more: for a
small write it is done at once, for a large one it waits for `prepare`. Until then, searches read all stems.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable
from typing import Final, NamedTuple, cast
from weakref import WeakKeyDictionary, ref

from biblicus_context.stores.words import MOST_KNOWN, KnownWords

FEW: Final = 500
"""Up to this many blocks of a write, its stems are compared at once."""
LONGEST_STEM: Final = 64
"""Longest stem that misspelt words are compared with; longer ones are hashes and the like."""

_NUMBERS: Final = "SELECT stem, row FROM stems WHERE stem IN (SELECT value FROM json_each(?))"
_ROWS: Final = "SELECT row, stem FROM stems WHERE row IN (SELECT value FROM json_each(?))"
_SPELL: Final = (
    "INSERT INTO spellings (rowid, stem) SELECT row, '  ' || stem || ' ' FROM stems"
    " WHERE row > (SELECT spelt FROM space) AND length(stem) <= ?"
)
_FORGET_SPELLING: Final = "INSERT INTO spellings (spellings, rowid, stem) VALUES ('delete', ?, ?)"
# FTS5 keeps deleted entries, with their words, until its segments are merged. Its own option
# `secure-delete` would do without the merge, but needs SQLite 3.42, and older ones could then no
# longer read the file.
_MERGE: Final = "INSERT INTO spellings (spellings) VALUES ('optimize')"
_MARK: Final = "UPDATE space SET spelt = (SELECT coalesce(max(row), 0) FROM stems)"


def known(connection: sqlite3.Connection, stems: Iterable[str]) -> dict[str, int]:
    """The numbers of those of these stems that are there."""
    return dict(connection.execute(_NUMBERS, (json.dumps([*stems]),)).fetchall())


class StemRows(NamedTuple):
    """The rows of stems by word, as a connection that writes knows them."""

    rows: KnownWords[int]
    of: tuple[int, int]
    """The state of the table in which they are right."""


_ROWS_BY_WORD: Final[WeakKeyDictionary[sqlite3.Connection, StemRows]] = WeakKeyDictionary()


def rows_by_word(connection: sqlite3.Connection) -> KnownWords[int]:
    """The row of the stem of each word, added where it is missing, in the transaction that is open.

    An ingest looks up each word once, not with each batch.
    """
    known = _ROWS_BY_WORD.get(connection)
    if known is not None and known.of == _state(connection) and len(known.rows) <= MOST_KNOWN:
        return known.rows
    there = ref(connection)  # what is kept for a connection must not keep it open
    return KnownWords(lambda stem: _row(there(), stem))


def keep(connection: sqlite3.Connection, rows: KnownWords[int]) -> None:
    """Use these again, unless another connection writes or the transaction is rolled back."""
    _ROWS_BY_WORD[connection] = StemRows(rows, _state(connection))


def _state(connection: sqlite3.Connection) -> tuple[int, int]:
    """What changes when another connection commits, and when what this one added is taken back."""
    (others,) = connection.execute("PRAGMA data_version").fetchone()
    (last,) = connection.execute("SELECT coalesce(max(row), 0) FROM stems").fetchone()
    return others, last


def _row(connection: sqlite3.Connection | None, stem: str) -> int:
    assert connection is not None
    row = connection.execute("SELECT row FROM stems WHERE stem = ?", (stem,)).fetchone()
    if row is None:
        row = (connection.execute("INSERT INTO stems (stem) VALUES (?)", (stem,)).lastrowid,)
    return cast("int", row[0])


def is_complete(connection: sqlite3.Connection) -> bool:
    """Whether misspelt words are compared with every stem by an index."""
    (missing,) = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM stems WHERE row > (SELECT spelt FROM space))"
    ).fetchone()
    return not missing


def listed(connection: sqlite3.Connection) -> list[str]:
    """The stems that misspelt words are compared with."""
    rows = connection.execute("SELECT stem FROM stems WHERE length(stem) <= ?", (LONGEST_STEM,))
    return [stem for (stem,) in rows]


def complete(connection: sqlite3.Connection) -> None:
    """Have misspelt words compared with every stem, in the transaction that is open."""
    connection.execute(_SPELL, (LONGEST_STEM,))
    connection.execute(_MARK)


def forget(connection: sqlite3.Connection, numbers: Collection[int]) -> None:
    """Drop stems that no block has any more."""
    rows = connection.execute(_ROWS, (json.dumps([*numbers]),)).fetchall()
    if not rows:
        return
    (spelt,) = connection.execute("SELECT spelt FROM space").fetchone()
    many = connection.executemany
    spellings = [
        (row, f"  {stem} ") for row, stem in rows if row <= spelt and len(stem) <= LONGEST_STEM
    ]
    many(_FORGET_SPELLING, spellings)
    _ROWS_BY_WORD.pop(connection, None)
    many("DELETE FROM stems WHERE row = ?", ((row,) for row, _ in rows))
    # A number may be given to another stem later, which has to be compared too.
    connection.execute(
        "UPDATE space SET spelt = min(spelt, (SELECT coalesce(max(row), 0) FROM stems))"
    )
    if spellings:
        connection.execute(_MERGE)
