"""Errors of SQLite and of the disk become errors that a user can act on."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from biblicus_context.stores.errors import StoreError

REBUILD: Final = "Move it away, and ingest again."
_BUSY: Final = "Another process has been writing for a long time: try again."
_KINDS: Final = (
    (("locked", "busy"), "another process keeps the file busy", _BUSY),
    (("malformed", "not a database", "corrupt"), "the file is damaged", REBUILD),
    (("full",), "no space is left to write the file", "Make room, and try again."),
    (("disk i/o",), "the disk refused", "Check its free space and your limits, and try again."),
    (("readonly", "unable to open"), "the file cannot be opened to write", "Check who owns it."),
)


FAILURES: Final = (sqlite3.Error, UnicodeDecodeError, OSError)
"""What SQLite and the disk raise; the second is from a text in the file, or a message about it."""


@contextmanager
def as_store_errors(file: str) -> Iterator[None]:
    """Turn an error of the database, or of the disk, into a StoreError about this file."""
    try:
        yield
    except FAILURES as error:
        raise store_error(file, error) from error


def store_error(file: str, error: Exception) -> StoreError:
    """What a user can act on."""
    if isinstance(error, OSError):
        return StoreError(f"cannot be read or written: {error.strerror}", place=file)
    if isinstance(error, UnicodeDecodeError):
        problem = "the file is damaged (a text in it is not UTF-8)"
        return StoreError(problem, place=file, fix=REBUILD)
    reason = str(error)
    for words, problem, fix in _KINDS:
        if any(word in reason.lower() for word in words):
            return StoreError(f"{problem} ({reason})", place=file, fix=fix)
    return StoreError(f"the database failed ({reason})", place=file)
