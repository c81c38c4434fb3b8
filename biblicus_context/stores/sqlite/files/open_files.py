"""The database files that this process has open, which it must not open in any other way.

The trap: when a process closes any descriptor of a file, POSIX drops all locks that the process has on
that file, also those of other descriptors. SQLite takes care of its own descriptors, but cannot know
of a plain `open(path)` here. Once its lock is gone, another process that closes the database believes
to be the last one, and deletes the log that this process still writes to: committed data is lost.
So a header is read with `unless_open`, and never while a connection to the file exists.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from threading import RLock
from typing import Final, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")
Identity: TypeAlias = tuple[int, int]


class Connection(sqlite3.Connection):
    """A connection that can be referenced weakly, which the class of the standard library cannot."""


_LOCK: Final = RLock()
_OPEN: Final[WeakKeyDictionary[sqlite3.Connection, Identity | None]] = WeakKeyDictionary()
_DESCRIPTORS: Final[dict[tuple[int, Identity], int]] = {}
"""By process and file. A child of a fork leaves those of its parent alone."""


def identity(path: Path) -> Identity | None:
    """What tells a file from another one at the same path; None without a file."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino


def opened(path: Path, connect: Callable[[], sqlite3.Connection]) -> sqlite3.Connection:
    """A connection to a file, which counts as open until the connection is garbage."""
    with _LOCK:
        _close_unneeded()
        connection = connect()
        _OPEN[connection] = identity(path)
        return connection


def unless_open(path: Path, read: Callable[[], T]) -> T | None:
    """What `read` returns, which opens and closes the file; None if this process has it open."""
    with _LOCK:
        _close_unneeded()
        here = identity(path)
        return None if here is not None and here in _OPEN.values() else read()


def read_while_open(path: Path, size: int, offset: int) -> bytes:
    """Bytes of a file that this process has open; what they are read with is closed after the connections."""
    with _LOCK:
        descriptor = _descriptor(path)
        os.lseek(descriptor, offset, os.SEEK_SET)
        return os.read(descriptor, size)


def overwrite_while_open(path: Path, offset: int, size: int) -> None:
    """Zeros in place of these bytes of a file that this process has open."""
    with _LOCK:
        descriptor = _descriptor(path)
        os.lseek(descriptor, offset, os.SEEK_SET)
        os.write(descriptor, bytes(size))
        os.fsync(descriptor)


def _descriptor(path: Path) -> int:
    here = identity(path)
    if here is None:
        raise FileNotFoundError(path)
    key = os.getpid(), here
    if key not in _DESCRIPTORS:
        _DESCRIPTORS[key] = os.open(path, os.O_RDWR)
    return _DESCRIPTORS[key]


def _close_unneeded() -> None:
    """Close the descriptors of files that no connection is open to."""
    needed, process = {*_OPEN.values()}, os.getpid()
    for key in [key for key in _DESCRIPTORS if key[0] == process and key[1] not in needed]:
        os.close(_DESCRIPTORS.pop(key))
