"""A store's file as older releases wrote it."""

from __future__ import annotations

import sqlite3
from typing import Final

_LATER: Final = {
    16: ("DROP TABLE tokens",),
    15: ("ALTER TABLE space DROP COLUMN unswept",),
    14: (
        "DROP TABLE recent_words",
        "DROP TABLE segments",
        "DROP TABLE postings",
        "CREATE VIRTUAL TABLE words USING fts5"
        " (text, content='', tokenize='porter unicode61 remove_diacritics 2')",
        "CREATE VIRTUAL TABLE word_places USING fts5vocab (words, instance)",
        "CREATE VIRTUAL TABLE word_counts USING fts5vocab (words, row)",
        "INSERT INTO words (rowid, text) SELECT 2 * block, coalesce(indexed_text, text) FROM texts",
        "INSERT INTO words (rowid, text)"
        " SELECT 2 * b.row + 1, d.title || ' ' || (SELECT group_concat(value, ' ')"
        " FROM json_each(x.heading)) FROM texts x JOIN blocks b ON b.row = x.block"
        " JOIN documents d ON d.row = b.document",
        "UPDATE space SET spelt = blocks",
    ),
    13: ("DROP TABLE ended", "ALTER TABLE space DROP COLUMN erased"),
    12: (
        "ALTER TABLE space DROP COLUMN remains",
        "ALTER TABLE space DROP COLUMN repacked",
    ),
    11: ("ALTER TABLE space DROP COLUMN is_partial",),
    10: (
        "DROP INDEX documents_restricted",
        "ALTER TABLE documents DROP COLUMN own_readers",
    ),
    9: (
        "DROP INDEX documents_by_parent",
        "CREATE INDEX documents_by_parent ON documents (parent) WHERE parent IS NOT NULL",
    ),
    8: ("DROP INDEX documents_by_superseder",),
    7: ("DROP INDEX documents_by_conversation",),
    6: ("DROP TABLE activity",),
    5: (
        "DROP INDEX documents_by_parent",
        "DROP INDEX documents_with_an_end",
        "ALTER TABLE documents DROP COLUMN parent",
        "ALTER TABLE documents DROP COLUMN position",
        "ALTER TABLE documents DROP COLUMN superseded_by",
        "ALTER TABLE documents DROP COLUMN valid_from",
        "ALTER TABLE documents DROP COLUMN valid_to",
    ),
    4: ("ALTER TABLE space DROP COLUMN spelt",),
    3: ("ALTER TABLE space DROP COLUMN source",),
    2: ("DROP TABLE columns",),
    1: (
        "DROP TABLE stems",
        "DROP TABLE spelling_places",
        "DROP TABLE spellings",
        "DROP TABLE word_counts",
    ),
}
"""What the version after each one added."""


def take_back(connection: sqlite3.Connection, version: int) -> None:
    """Without whatever came after a version."""
    for earlier, additions in _LATER.items():
        if earlier >= version:
            for addition in additions:
                connection.execute(addition)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.commit()
