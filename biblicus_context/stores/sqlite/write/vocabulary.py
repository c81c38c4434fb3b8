"""The stems that misspelt words are compared with: those of all blocks, or of all but the newest.

The stems of a small batch are added as it is written. For a large batch that would take a third of
the time of the write, so it waits for `prepare`, which reads the stems of all batches from the
full-text index at once. Until then, searches read them there.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Final

from biblicus_context.stores.sqlite.schema.rows import heading_text
from biblicus_context.stores.sqlite.schema.tables import LONGEST_STEM
from biblicus_context.stores.words import STEMMER

FEW: Final = 500
"""Up to this many blocks are split into stems again; for more, the index is read."""

_INDEXED: Final = "SELECT term FROM word_counts WHERE length(term) <= ?"
_TEXTS: Final = (
    "SELECT d.title, x.heading, coalesce(x.indexed_text, x.text)"
    " FROM blocks b JOIN documents d ON d.row = b.document JOIN texts x ON x.block = b.row"
    " WHERE b.row > (SELECT spelt FROM space)"
)
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


def rebuild(connection: sqlite3.Connection) -> None:
    """Drop stems that no block contains any more."""
    connection.execute("DELETE FROM stems")
    connection.execute("INSERT INTO spellings (spellings) VALUES ('delete-all')")
    _add(connection, indexed(connection))


def _missing(connection: sqlite3.Connection) -> int:
    (blocks,) = connection.execute("SELECT blocks - spelt FROM space").fetchone()
    return int(blocks)


def _of_newest(connection: sqlite3.Connection) -> Iterator[str]:
    rows = connection.execute(_TEXTS).fetchall()
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
