"""The tokens of the last writes: one that is made again, as its answer was lost, is not done twice."""

from __future__ import annotations

import sqlite3
from typing import Final

from biblicus_context.stores.source import Applied

_KEPT: Final = 1000
"""Versions: who repeats a write does so before many others wrote."""


def applied(connection: sqlite3.Connection, token: str) -> Applied | None:
    """What the write with this token made; None if it was not done."""
    row = connection.execute(
        "SELECT version, removes FROM tokens WHERE token = ?", (token,)
    ).fetchone()
    return None if row is None else Applied(row[0], bool(row[1]))


def note(connection: sqlite3.Connection, token: str, made: Applied) -> None:
    """Note a write, in its transaction."""
    connection.execute("INSERT INTO tokens VALUES (?, ?, ?)", (token, *made))
    connection.execute("DELETE FROM tokens WHERE version <= ?", (made.version - _KEPT,))
