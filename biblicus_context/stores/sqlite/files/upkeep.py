"""What keeps a workspace's file small."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from biblicus_context.stores.sqlite.files.connections import transaction
from biblicus_context.stores.sqlite.rank import vocabulary
from biblicus_context.stores.sqlite.schema.packing import pack_anew
from biblicus_context.stores.sqlite.write.cleanup import sweep

# An index keeps what it was told to forget until its pieces are merged.
_FORGET_WORDS: Final = (
    "INSERT INTO words (words) VALUES ('optimize')",
    "DELETE FROM usage WHERE block_id NOT IN (SELECT id FROM blocks)",
)
_PATIENCE_MILLISECONDS: Final = 1000
"""How long readers of an older state may keep the log from being cut; the next writer cuts it."""


def vacuum(connection: sqlite3.Connection, database: Path) -> None:
    """Forget all versions but the newest, every trace of them, and give the space back."""
    with transaction(connection):
        (newest,) = connection.execute("SELECT version FROM space").fetchone()
        sweep(connection, newest)
        for statement in _FORGET_WORDS:
            connection.execute(statement)
        vocabulary.make_anew(connection)
        pack_anew(connection)
    connection.execute("VACUUM")
    connection.execute(f"PRAGMA busy_timeout = {_PATIENCE_MILLISECONDS}")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for file in database.parent.glob(f"{database.stem}.*.vectors"):
        file.unlink(missing_ok=True)
