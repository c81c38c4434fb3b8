"""What was removed leaves the tables: at once, or when no version that is kept shows it any more.

A removal only marks rows: reads that are pinned to an older version still see them. A sweep deletes
those that no kept version shows. What it leaves in the files is erased after its transaction, see
`files/erasure.py`.
"""

from __future__ import annotations

import sqlite3
from typing import Final

from biblicus_context.stores.sqlite.schema.ended import MOST_VERSIONS, end_all, note_ended
from biblicus_context.stores.sqlite.schema.packing import repack, repack_if_sparse
from biblicus_context.stores.sqlite.write import word_index

_WORDS: Final = (
    "SELECT b.row, coalesce(x.indexed_text, x.text), d.title, x.heading"
    " FROM documents d JOIN blocks b ON b.document = d.row JOIN texts x ON x.block = b.row"
    " WHERE d.removed <= ?"
)
_DELETIONS: Final = (
    "DELETE FROM vectors WHERE row IN (SELECT (m.number << 40) + b.row FROM models m, blocks b"
    " WHERE b.document IN (SELECT row FROM documents WHERE removed <= ?))",
    "DELETE FROM texts WHERE block IN (SELECT row FROM blocks"
    " WHERE document IN (SELECT row FROM documents WHERE removed <= ?))",
    "DELETE FROM blocks WHERE document IN (SELECT row FROM documents WHERE removed <= ?)",
    "DELETE FROM tags WHERE document IN (SELECT row FROM documents WHERE removed <= ?)",
    "DELETE FROM readers WHERE document IN (SELECT row FROM documents WHERE removed <= ?)",
    "DELETE FROM documents WHERE removed <= ?",
    "DELETE FROM relations WHERE removed <= ?",
)
_END: Final = "UPDATE space SET oldest = max(oldest, ?)"
_FORGET_TIMES: Final = "DELETE FROM versions WHERE number < ?"
_REMOVALS: Final = (
    "SELECT min(removed), max(removed) FROM (SELECT removed FROM documents WHERE removed IS NOT NULL"
    " UNION ALL SELECT removed FROM relations WHERE removed IS NOT NULL)"
)
_LAST_ENDED: Final = "SELECT number FROM versions WHERE written <= ? ORDER BY number DESC LIMIT 1"
_WRITTEN: Final = "SELECT written FROM versions WHERE number <= ? ORDER BY number DESC LIMIT 1"


def sweep(connection: sqlite3.Connection, now: int, keep: int) -> bool:
    """Delete what only versions show that ended `keep` microseconds ago, in the open transaction.

    Returns whether there is something to erase after the transaction. A write that removes nothing
    pays for two look-ups.
    """
    first, last = connection.execute(_REMOVALS).fetchone()
    if first is None:
        return _is_due(connection, now)
    (written,) = connection.execute(_WRITTEN, (last,)).fetchone()
    connection.execute(
        "UPDATE space SET remains = max(coalesce(remains, 0), ?) WHERE remains IS NOT 0",
        (written + keep,),
    )
    ended = connection.execute(_LAST_ENDED, (now - keep,)).fetchone()
    if ended is None or ended[0] < first:
        return _is_due(connection, now)
    clean(connection, ended[0])
    return True


def note(connection: sqlite3.Connection, until: int) -> None:
    """Note when what was removed is to be erased, in the open transaction."""
    if connection.execute(_REMOVALS).fetchone()[0] is not None:
        connection.execute("UPDATE space SET remains = ? WHERE remains IS NOT 0", (until,))


def forget_times(connection: sqlite3.Connection, newest: int) -> None:
    """Forget when versions were written that nobody can read any more, in the open transaction."""
    connection.execute(_FORGET_TIMES, (newest - MOST_VERSIONS,))


def _is_due(connection: sqlite3.Connection, now: int) -> bool:
    """Whether an earlier erasure was interrupted, or waited for a reader."""
    (remains,) = connection.execute("SELECT remains FROM space").fetchone()
    return remains is not None and remains <= now


def clean(connection: sqlite3.Connection, version: int) -> None:
    """Delete what only versions before this one show, the words in the index included."""
    note_ended(connection, version)
    _forget_words(connection, version)
    before = connection.total_changes
    for statement in _DELETIONS:
        connection.execute(statement, (version,))
    is_changed = connection.total_changes > before
    connection.execute(_END, (version,))
    if is_changed:
        repack_if_sparse(connection)


def _forget_words(connection: sqlite3.Connection, version: int) -> None:
    rows = connection.execute(_WORDS, (version,))
    while some := rows.fetchmany(word_index.BLOCKS_AT_ONCE):
        word_index.forget(connection, [*map(word_index.indexed_text, some)])


# `space` keeps counting, so that no row number and no version is ever given out again.
_CLEAR: Final = (
    *word_index.CLEAR,
    "DELETE FROM documents",
    "DELETE FROM tags",
    "DELETE FROM readers",
    "DELETE FROM blocks",
    "DELETE FROM texts",
    "DELETE FROM columns",
    "DELETE FROM vectors",
    "DELETE FROM models",
    "DELETE FROM relations",
    "DELETE FROM usage",
    "DELETE FROM activity",
    "DELETE FROM versions",
    "DELETE FROM tokens",
    "UPDATE space SET version = version + 1, oldest = version + 1, source = NULL, is_partial = 0",
    "UPDATE space SET repacked = version",
)


def clear(connection: sqlite3.Connection, now: int) -> int:
    """Delete everything, and return the version that this makes; to be erased after the transaction."""
    for statement in _CLEAR:
        connection.execute(statement)
    (version,) = connection.execute("SELECT version FROM space").fetchone()
    end_all(connection, version)
    connection.execute("INSERT INTO versions VALUES (?, ?)", (version, now))
    connection.execute("UPDATE space SET remains = 0")  # the file shrinks as well
    return int(version)


_FORGET_COUNTS: Final = (
    "DELETE FROM usage WHERE block_id NOT IN (SELECT id FROM blocks)",
    "DELETE FROM activity WHERE document_id NOT IN (SELECT id FROM documents)",
)


def clean_all(connection: sqlite3.Connection) -> None:
    """Delete all versions but the newest, and pack and index again what is left."""
    (newest,) = connection.execute("SELECT version FROM space").fetchone()
    clean(connection, newest)
    end_all(connection, newest)
    connection.execute(_FORGET_TIMES, (newest,))
    for statement in _FORGET_COUNTS:
        connection.execute(statement)
    word_index.rebuild(connection)
    repack(connection)
    connection.execute("UPDATE space SET remains = 0")
