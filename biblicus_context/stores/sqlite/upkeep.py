"""What keeps a workspace's file small and sound."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from biblicus_context.stores.sqlite.connections import transaction
from biblicus_context.stores.sqlite.sweep import sweep

# An index keeps what it was told to forget until its pieces are merged.
_FORGET_WORDS: Final = (
    "INSERT INTO words (words) VALUES ('optimize')",
    "DELETE FROM stems",
    "INSERT INTO spellings (spellings) VALUES ('delete-all')",
    "INSERT INTO stems (stem) SELECT term FROM word_counts WHERE length(term) <= 64",
    "INSERT INTO spellings (rowid, stem) SELECT row, '  ' || stem || ' ' FROM stems",
    "DELETE FROM usage WHERE block_id NOT IN (SELECT id FROM blocks)",
)
_SOUND_INDEX: Final = (
    "INSERT INTO words (words) VALUES ('integrity-check')",
    "INSERT INTO spellings (spellings) VALUES ('integrity-check')",
)
_UNSOUND: Final = {
    "SELECT count(*) FROM blocks WHERE row NOT IN (SELECT block FROM texts)": "blocks without text",
    "SELECT count(*) FROM blocks WHERE document NOT IN (SELECT row FROM documents)": (
        "blocks without a document"
    ),
    "SELECT count(*) FROM blocks WHERE 2 * row NOT IN (SELECT id FROM words_docsize)": (
        "blocks that are not in the full-text index"
    ),
    "SELECT count(*) FROM vectors WHERE row & 0xFFFFFFFFFF NOT IN (SELECT row FROM blocks)": (
        "embeddings without a block"
    ),
}


def vacuum(connection: sqlite3.Connection, database: Path) -> None:
    """Forget all versions but the newest, every trace of them, and give the space back."""
    with transaction(connection):
        (newest,) = connection.execute("SELECT version FROM space").fetchone()
        sweep(connection, newest)
        for statement in _FORGET_WORDS:
            connection.execute(statement)
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for file in database.parent.glob(f"{database.stem}.*.vectors"):
        file.unlink(missing_ok=True)


def problems(connection: sqlite3.Connection) -> list[str]:
    """What is wrong with a file that could be opened."""
    found = [text for (text,) in connection.execute("PRAGMA integrity_check") if text != "ok"]
    if found:
        return found
    try:
        for statement in _SOUND_INDEX:
            connection.execute(statement)
    except sqlite3.DatabaseError as error:
        found.append(f"the full-text index is damaged ({error})")
    for question, answer in _UNSOUND.items():
        (count,) = connection.execute(question).fetchone()
        found += [f"{count} {answer}"] if count else []
    return found
