"""After a transaction that deleted: no file of the workspace holds the bytes any more.

The transaction overwrote what it deleted (`PRAGMA secure_delete`). Older copies are left in three
places, which are dealt with here, in this order:

- in the log, which keeps every page as it was written since the last checkpoint: it is truncated,
  which has to wait for readers of an older state;
- in the unused middle of pages. Where SQLite moves rows from page to page, copies of them stay behind
  there, which the later deletion of a row does not reach (measured: of 17,000 deleted rows, 13 were
  still readable). Pages are searched for them, and the file is made anew if there are any;
- in files that were derived from the database: they are removed.

`space.remains` is set by the transaction and reset last, so that an erasure that was interrupted is
finished by whoever opens or writes to the workspace next.
"""

from __future__ import annotations

import re
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from biblicus_context.stores.sqlite.files.connections import WAIT_SECONDS, transaction
from biblicus_context.stores.sqlite.files.open_files import read_while_open
from biblicus_context.stores.sqlite.files.seal import seal_of

_ATTEMPTS: Final = 3
_AT_ONCE: Final = 256
"""Pages that are read at once."""
_HEADER_BYTES: Final = 100
_CELL_POINTERS: Final = {2: 12, 5: 12, 10: 8, 13: 8}
"""By the type of a page of a tree: how long its header is. Other pages begin with a 0."""
_CONTENT: Final = re.compile(rb"[\x20-\xff]{3}")
"""What is left of a row. Old pointers, of which there are many, are pairs whose first byte is lower."""


def erase(connection: sqlite3.Connection, path: Path, patience: float) -> bool:
    """Erase what transactions deleted; False if that has to wait for a reader, or another writer.

    `patience` is how many seconds it may wait. The connection is one that can write, in no
    transaction.
    """
    with _waiting(connection, patience):
        try:
            return _erased(connection, path)
        except (sqlite3.Error, OSError):  # busy, or no space: it stays due
            return False


def _erased(connection: sqlite3.Connection, path: Path) -> bool:
    (due,) = connection.execute("SELECT remains FROM space").fetchone()
    is_old = due == 0  # of a release that did not overwrite what it deleted
    for _ in range(_ATTEMPTS):
        (is_busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if is_busy:
            return False
        if not is_old and not has_leftovers(path):
            break
        connection.execute("VACUUM")
        is_old = False
    else:
        return False
    for file in path.parent.glob(f"{path.stem}.*.vectors"):
        file.unlink(missing_ok=True)
        seal_of(file).unlink(missing_ok=True)
    _reset(connection, due)
    return True


def _reset(connection: sqlite3.Connection, due: int | None) -> None:
    """Note that nothing remains, unless something was removed meanwhile or an older version is kept."""
    # Should the power fail before this is on the disk, the same is done once more.
    connection.execute("PRAGMA synchronous = NORMAL")
    try:
        with transaction(connection):
            connection.execute(
                "UPDATE space SET remains ="
                " CASE WHEN EXISTS (SELECT 1 FROM documents WHERE removed IS NOT NULL)"
                " OR EXISTS (SELECT 1 FROM relations WHERE removed IS NOT NULL)"
                " THEN max(remains, 1) END WHERE remains = ?",
                (due,),
            )
    finally:
        connection.execute("PRAGMA synchronous = FULL")


def has_leftovers(path: Path) -> bool:
    """Whether the unused middle of a page holds what may be left of a row."""
    header = read_while_open(path, _HEADER_BYTES, 0)
    size = int.from_bytes(header[16:18]) if len(header) == _HEADER_BYTES else 0
    size = size if size != 1 else 65_536
    if not size:
        return False
    step, place = _AT_ONCE * size, 0
    while data := read_while_open(path, step, place):
        for start in range(0, len(data) - size + 1, size):
            unused = _unused(data, start, size, _HEADER_BYTES if place + start == 0 else 0)
            if unused.count(0) < len(unused) and _CONTENT.search(unused):
                return True
        place += step
    return False


def _unused(data: bytes, page: int, size: int, header: int) -> bytes:
    """The bytes of a page between its list of cells and its cells; of a page of no tree, nothing."""
    begin = page + header
    pointers = _CELL_POINTERS.get(data[begin])
    if pointers is None:
        return b""
    cells, content = struct.unpack_from(">HH", data, begin + 3)
    return data[begin + pointers + 2 * cells : page + (content or size)]


@contextmanager
def _waiting(connection: sqlite3.Connection, seconds: float) -> Iterator[None]:
    """Let the connection wait for others no longer than that."""
    connection.execute(f"PRAGMA busy_timeout = {int(1000 * seconds)}")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA busy_timeout = {int(1000 * WAIT_SECONDS)}")
