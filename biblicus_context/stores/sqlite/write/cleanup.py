"""What was removed long enough ago leaves the tables, and the file shrinks.

A removal only marks rows: reads that are pinned to an older version still see them. They are deleted
later, a few with each write, or all at once by a vacuum.
"""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Final

from biblicus_context.stores.sqlite.files.connections import transaction
from biblicus_context.stores.sqlite.files.seal import seal_of
from biblicus_context.stores.sqlite.rank import vocabulary
from biblicus_context.stores.sqlite.schema.packing import repack
from biblicus_context.stores.sqlite.schema.rows import heading_text

_DOCUMENTS_AT_ONCE: Final = 2_000
"""More are deleted at once only if one version removed them all; the others wait for the next write."""

# `words` has no contents of its own (content=''): FTS5 removes a row only if it is given the very
# text that was indexed. Another text, or a title that changed, would damage the index silently.
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


def clean_before(connection: sqlite3.Connection, moment: int) -> None:
    """Delete what versions before this moment removed, as much as one write should take on."""
    (newest,) = connection.execute(
        "SELECT max(number) FROM versions WHERE written < ?", (moment,)
    ).fetchone()
    if newest is not None:
        clean(connection, _last_that_fits(connection, newest))


def clean(connection: sqlite3.Connection, version: int) -> None:
    """Delete what only versions before this one show."""
    for row, title, heading in connection.execute(_HEADINGS, (version,)).fetchall():
        text = heading_text(title, json.loads(heading))
        if text:
            connection.execute(_FORGET_HEADING, (2 * row + 1, text))
    connection.execute(_FORGET_TEXT, (version,))
    for statement in _DELETIONS:
        connection.execute(statement, (version,))


# `space` keeps counting, so that no row number and no version is ever given out again.
_CLEAR: Final = (
    "INSERT INTO words (words) VALUES ('delete-all')",
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
    "UPDATE space SET version = version + 1, oldest = version + 1, source = NULL, is_partial = 0",
)


def clear(connection: sqlite3.Connection, now: int) -> int:
    """Delete everything, and return the version that this makes; a vacuum removes the traces."""
    for statement in _CLEAR:
        connection.execute(statement)
    (version,) = connection.execute("SELECT version FROM space").fetchone()
    connection.execute("INSERT INTO versions VALUES (?, ?)", (version, now))
    return int(version)


def _last_that_fits(connection: sqlite3.Connection, newest: int) -> int:
    """The last version up to which not too many documents have been removed."""
    removed = "SELECT removed, count(*) FROM documents WHERE removed <= ? GROUP BY removed"
    documents = 0
    for version, count in connection.execute(removed, (newest,)).fetchall():
        documents += count
        if documents >= _DOCUMENTS_AT_ONCE:
            return int(version)
    return newest


# FTS5 keeps deleted entries until its segments are merged: without this, deleted words stay in the
# file and can be read from it.
_OPTIMIZE: Final = (
    "INSERT INTO words (words) VALUES ('optimize')",
    "DELETE FROM usage WHERE block_id NOT IN (SELECT id FROM blocks)",
    "DELETE FROM activity WHERE document_id NOT IN (SELECT id FROM documents)",
)
_PATIENCE_MILLISECONDS: Final = 1000
"""How long a checkpoint waits for readers of an older state; the next writer truncates the log."""


def vacuum(connection: sqlite3.Connection, database: Path) -> None:
    """Delete all versions but the newest, every trace of them, and free the space."""
    with transaction(connection):
        (newest,) = connection.execute("SELECT version FROM space").fetchone()
        clean(connection, newest)
        for statement in _OPTIMIZE:
            connection.execute(statement)
        vocabulary.rebuild(connection)
        repack(connection)
    connection.execute("VACUUM")
    connection.execute(f"PRAGMA busy_timeout = {_PATIENCE_MILLISECONDS}")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    # Derived files may contain embeddings of deleted blocks.
    for file in database.parent.glob(f"{database.stem}.*.vectors"):
        file.unlink(missing_ok=True)
        seal_of(file).unlink(missing_ok=True)
