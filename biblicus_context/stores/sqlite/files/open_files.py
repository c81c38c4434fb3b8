"""The database files that this process has open, which it must not open in any other way.

POSIX takes all locks of a process on a file away when it closes any handle of that file. SQLite knows
that of its own handles, and not of others: without its lock, another process that closes the database
takes itself for the last one, and deletes the log that this process goes on writing into.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from threading import RLock
from typing import Final, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")
Identity: TypeAlias = tuple[int, int]


class Connection(sqlite3.Connection):
    """A connection that can be known of without being kept."""


_LOCK: Final = RLock()
_OPEN: Final[WeakKeyDictionary[sqlite3.Connection, Identity | None]] = WeakKeyDictionary()


def identity(path: Path) -> Identity | None:
    """What sets a file apart from another one of the same name; None where there is none."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino


def opened(path: Path, connect: Callable[[], sqlite3.Connection]) -> sqlite3.Connection:
    """A connection to a file, which is known to be open until nobody has the connection any more."""
    with _LOCK:
        connection = connect()
        _OPEN[connection] = identity(path)
        return connection


def unless_open(path: Path, read: Callable[[], T]) -> T | None:
    """What is read of a file with a handle of its own; None where this process has it open."""
    with _LOCK:
        here = identity(path)
        return None if here is not None and here in _OPEN.values() else read()
