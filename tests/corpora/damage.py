"""What disks and other programs do to an index."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path


def damaged(store: Path) -> None:
    """Take rows of its index of words from the one workspace of a store."""
    (database,) = store.glob("*.db")
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("DELETE FROM documents")
        connection.execute("UPDATE recent_words SET parts = x'00'")
        connection.commit()
