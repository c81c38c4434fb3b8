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


@contextmanager
def as_store_errors(file: str) -> Iterator[None]:
    """Turn an error of the database, or of the disk, into a StoreError about this file."""
    try:
        yield
    except sqlite3.Error as error:
        reason = str(error)
        lowered = reason.lower()
        for words, problem, fix in _KINDS:
            if any(word in lowered for word in words):
                raise StoreError(f"{problem} ({reason})", place=file, fix=fix) from error
        raise StoreError(f"the database failed ({reason})", place=file) from error
    except (
        UnicodeDecodeError
    ) as error:  # from a text in the file, or from a message of SQLite about it
        problem = "the file is damaged (a text in it is not UTF-8)"
        raise StoreError(problem, place=file, fix=REBUILD) from error
    except OSError as error:
        raise StoreError(f"cannot be read or written: {error.strerror}", place=file) from error
