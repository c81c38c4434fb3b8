"""What was removed long enough ago leaves the tables."""

from __future__ import annotations

import json
import sqlite3
from typing import Final

from biblicus_context.stores.sqlite.schema.rows import heading_text

_DOCUMENTS_AT_ONCE: Final = 2_000
"""More are swept only where one version removed them all; the others wait for the next batch."""

_FORGET_TEXT: Final = (
    "INSERT INTO words (words, rowid, text)"
    " SELECT 'delete', 2 * x.block, coalesce(x.indexed_text, x.text)"
    " FROM blocks b JOIN texts x ON x.block = b.row"
    " WHERE b.document IN (SELECT row FROM documents WHERE removed <= ?)"
)
_HEADINGS: Final = (
    "SELECT b.row, d.title, x.heading FROM documents d JOIN blocks b ON b.document = d.row"
    " JOIN texts x ON x.block = b.row WHERE d.removed <= ?"
)
_FORGET_HEADING: Final = "INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)"
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
    "DELETE FROM versions WHERE number < ?",
    "UPDATE space SET oldest = max(oldest, ?)",
)


def sweep_before(connection: sqlite3.Connection, moment: int) -> None:
    """Sweep what was removed by versions written before a moment, as much as fits into a batch."""
    (newest,) = connection.execute(
        "SELECT max(number) FROM versions WHERE written < ?", (moment,)
    ).fetchone()
    if newest is not None:
        sweep(connection, _fitting(connection, newest))


def sweep(connection: sqlite3.Connection, version: int) -> None:
    """Forget what only versions before this one show."""
    for row, title, heading in connection.execute(_HEADINGS, (version,)).fetchall():
        text = heading_text(title, json.loads(heading))
        if text:
            connection.execute(_FORGET_HEADING, (2 * row + 1, text))
    connection.execute(_FORGET_TEXT, (version,))
    for statement in _DELETIONS:
        connection.execute(statement, (version,))


def _fitting(connection: sqlite3.Connection, newest: int) -> int:
    """The last version up to which not too many documents have been removed."""
    removed = "SELECT removed, count(*) FROM documents WHERE removed <= ? GROUP BY removed"
    documents = 0
    for version, count in connection.execute(removed, (newest,)).fetchall():
        documents += count
        if documents >= _DOCUMENTS_AT_ONCE:
            return int(version)
    return newest
