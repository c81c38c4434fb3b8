"""The stems that misspelt words are compared with: those of all blocks, or of all but the newest.

The stems of a small batch are added as it is written. For a large batch that would take a third of
the time of the write, so it waits for `prepare`, which reads the stems of all batches from the
full-text index at once. Until then, searches read them there.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from biblicus_context.stores.sqlite.schema.rows import heading_text
from biblicus_context.stores.sqlite.schema.tables import LONGEST_STEM
from biblicus_context.stores.words import STEMMER

FEW: Final = 500
"""Up to this many blocks are split into stems again; for more, the index is read."""

_MERGE: Final = "INSERT INTO spellings (spellings) VALUES ('optimize')"
_INDEXED: Final = "SELECT term FROM word_counts WHERE length(term) <= ?"
_TEXTS: Final = (
    "SELECT d.title, x.heading, coalesce(x.indexed_text, x.text)"
    " FROM blocks b JOIN documents d ON d.row = b.document JOIN texts x ON x.block = b.row"
    " WHERE b.row > (SELECT spelt FROM space)"
)
_REMOVED: Final = (
    "SELECT d.title, x.heading, coalesce(x.indexed_text, x.text)"
    " FROM documents d JOIN blocks b ON b.document = d.row JOIN texts x ON x.block = b.row"
    " WHERE d.removed <= ?"
)
_IS_USED: Final = "SELECT 1 FROM word_places WHERE term = ? LIMIT 1"
_ROWS_OF: Final = "SELECT row, stem FROM stems WHERE stem IN (SELECT value FROM json_each(?))"
_FORGET_SPELLING: Final = "INSERT INTO spellings (spellings, rowid, stem) VALUES ('delete', ?, ?)"
_SPELL: Final = (
    "INSERT INTO spellings (rowid, stem) SELECT row, '  ' || stem || ' ' FROM stems WHERE row > ?"
)


def is_complete(connection: sqlite3.Connection) -> bool:
    """Whether it has the stems of every block."""
    return _missing(connection) == 0


def indexed(connection: sqlite3.Connection) -> list[str]:
    """The stems of every block, from the full-text index, all of which is read."""
    return [stem for (stem,) in connection.execute(_INDEXED, (LONGEST_STEM,))]


def complete(connection: sqlite3.Connection) -> None:
    """Add what is missing, in the transaction that is open."""
    missing = _missing(connection)
    if missing:
        _add(connection, _of_newest(connection) if missing <= FEW else indexed(connection))


def stems_of_removed(connection: sqlite3.Connection, version: int) -> list[str] | None:
    """The stems of blocks that versions up to this one removed; None if there are too many blocks."""
    rows = connection.execute(_REMOVED, (version,)).fetchmany(FEW + 1)
    return None if len(rows) > FEW else [*_stems(rows)]


def forget(connection: sqlite3.Connection, stems: Collection[str] | None) -> None:
    """Drop those of these stems that no block contains any more; None: of all stems."""
    if stems is None:
        rebuild(connection)
        return
    gone = [each for each in stems if connection.execute(_IS_USED, (each,)).fetchone() is None]
    rows = connection.execute(_ROWS_OF, (json.dumps(gone),)).fetchall()
    if not rows:
        return
    many = connection.executemany
    many(_FORGET_SPELLING, ((row, f"  {stem} ") for row, stem in rows))
    many("DELETE FROM stems WHERE row = ?", ((row,) for row, _ in rows))
    connection.execute(_MERGE)


def rebuild(connection: sqlite3.Connection) -> None:
    """Drop stems that no block contains any more."""
    connection.execute("DELETE FROM stems")
    connection.execute("INSERT INTO spellings (spellings) VALUES ('delete-all')")
    _add(connection, indexed(connection))
    connection.execute(_MERGE)


def _missing(connection: sqlite3.Connection) -> int:
    (blocks,) = connection.execute("SELECT blocks - spelt FROM space").fetchone()
    return int(blocks)


def _of_newest(connection: sqlite3.Connection) -> Iterator[str]:
    return _stems(connection.execute(_TEXTS).fetchall())


def _stems(rows: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    stems = STEMMER.all_stems(
        f"{heading_text(title, json.loads(heading))} {text}" for title, heading, text in rows
    )
    return (stem for stem in sorted(stems) if len(stem) <= LONGEST_STEM)


def _add(connection: sqlite3.Connection, stems: Iterable[str]) -> None:
    (last,) = connection.execute("SELECT coalesce(max(row), 0) FROM stems").fetchone()
    rows = ((stem,) for stem in stems)
    connection.executemany("INSERT OR IGNORE INTO stems (stem) VALUES (?)", rows)
    connection.execute(_SPELL, (last,))
    connection.execute("UPDATE space SET spelt = blocks")
