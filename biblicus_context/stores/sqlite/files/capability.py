"""Whether the SQLite of this Python can hold a store."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import cache
from typing import Final

from biblicus_context.stores.errors import StoreError

OLDEST: Final = (3, 37, 0)
"""The first release with STRICT tables."""


@cache
def require_capable() -> None:
    """Refuse a Python whose SQLite lacks what the tables need."""
    with closing(sqlite3.connect(":memory:")) as connection:
        reason = lack(connection, sqlite3.sqlite_version_info)
    if reason is not None:
        raise StoreError(
            f"the SQLite of this Python cannot hold a store: {reason}",
            found=sqlite3.sqlite_version,
            fix="Use a Python whose SQLite is 3.37 or later and has FTS5, as most have.",
        )


def lack(connection: sqlite3.Connection, version: tuple[int, ...]) -> str | None:
    """What is missing, found by trying it on an empty database."""
    if version < OLDEST:
        return f"it is older than {'.'.join(map(str, OLDEST))}"
    try:
        # Tables of older releases are made and left again.
        connection.execute("CREATE VIRTUAL TABLE a USING fts5 (b, tokenize='porter unicode61')")
        connection.execute("CREATE VIRTUAL TABLE c USING fts5 (d, tokenize='trigram')")
        connection.execute("SELECT value FROM json_each('[1]')")
    except sqlite3.Error as error:
        return str(error)
    return None
