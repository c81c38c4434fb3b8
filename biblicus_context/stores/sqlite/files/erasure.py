"""After a transaction that deleted: no file of the workspace holds the bytes any more.

The transaction overwrote what it deleted (`PRAGMA secure_delete`). Older copies are left in three
places, which are dealt with here, in this order:

- in the log, which keeps every page as it was written since the last checkpoint: it is truncated,
  which has to wait for readers of an older state;
- in the unused middle of pages. Where SQLite moves rows from page to page, copies of them are left
  there, which the later deletion of a row does not reach (measured: of 17,000 deleted rows, 13 were
  still readable). They are overwritten;
- in files that were derived from the database: they are removed.

`space.remains` is set by the transaction and reset last, so that an erasure that was interrupted is
finished by whoever opens or writes to the workspace next.
"""

from __future__ import annotations

import re
import sqlite3
import struct
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from biblicus_context.stores.sqlite.files.connections import (
    WAIT_SECONDS,
    open_briefly,
    transaction,
)
from biblicus_context.stores.sqlite.files.folder import log_bytes
from biblicus_context.stores.sqlite.files.open_files import overwrite_while_open, read_while_open
from biblicus_context.stores.sqlite.files.seal import seal_of

_ATTEMPTS: Final = 5
_AT_ONCE: Final = 256
"""Pages that are read at once."""
_HEADER_BYTES: Final = 100
_CELL_POINTERS: Final = {2: 12, 10: 8, 13: 8}
"""By the type of a page of a tree with contents: how long its header is.

Inner pages of tables (5) have row numbers alone; pages that are of no tree begin with a 0.
"""
_LOG_HEADER: Final = 32
_FRAME_HEADER: Final = 24
_LONG_LOG: Final = 16 * 1024 * 1024
_CONTENT: Final = re.compile(rb"[\x20-\xff]{2}")
"""What is left of a row. Old pointers, of which there are many, are pairs whose first byte is lower."""


def erase(connection: sqlite3.Connection, path: Path, patience: float) -> bool:
    """Erase what transactions deleted; False if that has to wait for a reader, or another writer.

    `patience` is how many seconds it may wait. The connection is one that can write, in no
    transaction.
    """
    with _waiting(connection, patience):
        try:
            return _erased(connection, path, patience)
        except (sqlite3.Error, OSError):  # busy, or no space: it stays due
            return False


def _erased(connection: sqlite3.Connection, path: Path, patience: float) -> bool:
    (due,) = connection.execute("SELECT remains FROM space").fetchone()
    if due == 0:  # a file of a release that did not overwrite what it deleted
        connection.execute("VACUUM")
    for _ in range(_ATTEMPTS):
        written = None if due == 0 else _written_since(connection, path)
        (is_busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if is_busy:
            return False
        for file in path.parent.glob(f"{path.stem}.*.vectors"):
            file.unlink(missing_ok=True)
            seal_of(file).unlink(missing_ok=True)
        if _finished(path, due, written, patience):
            return True
    return False


class _Written(NamedTuple):
    """What was written since the last time that nothing was left in any page."""

    writes: int
    pages: frozenset[int]


def _written_since(connection: sqlite3.Connection, path: Path) -> _Written | None:
    """The pages of all writes since then; None if the log does not have all of them any more.

    Copies of rows are left only in pages that a write changed. The log has all of these until it begins
    again, which SQLite does at a time of its own: then it has fewer writes than were counted.
    """
    (writes,) = connection.execute("SELECT unswept FROM space").fetchone()
    logged = _logged(path.with_name(f"{path.name}-wal")) if writes >= 0 else None
    if logged is None or logged.writes < writes:
        return None
    return logged._replace(writes=writes)


def _logged(log: Path) -> _Written | None:
    """The writes in a log and their pages; None for a long one: the whole file is read as fast."""
    if not log.exists() or log.stat().st_size > _LONG_LOG:
        return None
    data = log.read_bytes()
    if len(data) < _LOG_HEADER:
        return _Written(0, frozenset())
    size, salts = int.from_bytes(data[8:12]), data[16:24]
    pages, writes = set[int](), 0
    for start in range(_LOG_HEADER, len(data) - size, _FRAME_HEADER + size):
        page, committed = struct.unpack_from(">II", data, start)
        if data[start + 8 : start + 16] != salts:  # of an earlier round of the log
            break
        pages.add(page)
        writes += committed > 0
    return _Written(writes, frozenset(pages))


def _finished(path: Path, due: int | None, written: _Written | None, patience: float) -> bool:
    """Overwrite what is left in pages, and note that nothing remains; False if the log is in use again.

    The trap: SQLite does not know of these changes. They are safe because nobody reads the middle of a
    page, nobody else can write while this transaction is open, and the log is empty, so the file has
    the newest state of each page. Its commit makes all other connections drop the pages that they
    cached, with which the copies would come back; this connection, which keeps its own, is closed.
    """
    with closing(open_briefly(path)) as connection, _waiting(connection, patience):
        # Should the power fail before this is on the disk, the same is done once more.
        connection.execute("PRAGMA synchronous = NORMAL")
        with transaction(connection):
            if log_bytes(path):
                return False
            (writes,) = connection.execute("SELECT unswept FROM space").fetchone()
            is_known = written is not None and written.writes == writes
            for place in leftovers(path, written.pages if written and is_known else None):
                overwrite_while_open(path, *place)
            connection.execute(
                "UPDATE space SET erased = CASE WHEN remains IS NOT ?1 THEN erased ELSE version END,"
                " remains ="
                " CASE WHEN remains IS NOT ?1 THEN remains"  # something was removed meanwhile
                " WHEN EXISTS (SELECT 1 FROM documents WHERE removed IS NOT NULL)"
                " OR EXISTS (SELECT 1 FROM relations WHERE removed IS NOT NULL)"
                " THEN max(remains, 1) END, unswept = 0",
                (due,),
            )
    return True


class Leftover(NamedTuple):
    """Bytes of a file that nothing uses."""

    start: int
    length: int


def leftovers(path: Path, pages: Collection[int] | None = None) -> Iterator[Leftover]:
    """The unused middles of these pages, or of all, that hold what may be left of a row."""
    header = read_while_open(path, _HEADER_BYTES, 0)
    size = int.from_bytes(header[16:18]) if len(header) == _HEADER_BYTES else 0
    size = size if size != 1 else 65_536
    if not size:
        return
    for place, data in _read(path, size, pages):
        for page in range(0, len(data) - size + 1, size):
            start, end = _middle(data, page, size, _HEADER_BYTES if place + page == 0 else 0)
            middle = data[start:end]
            if middle.count(0) < len(middle) and _CONTENT.search(middle):
                yield Leftover(place + start, end - start)


def _read(path: Path, size: int, pages: Collection[int] | None) -> Iterator[tuple[int, bytes]]:
    """These pages, or all, and where in the file they begin."""
    if pages is not None:
        for page in sorted(pages):
            yield (page - 1) * size, read_while_open(path, size, (page - 1) * size)
        return
    place = 0
    while data := read_while_open(path, _AT_ONCE * size, place):
        yield place, data
        place += _AT_ONCE * size


def _middle(data: bytes, page: int, size: int, header: int) -> tuple[int, int]:
    """Where a page is unused, between its list of cells and its cells; nowhere in a page of no tree."""
    begin = page + header
    pointers = _CELL_POINTERS.get(data[begin])
    if pointers is None:
        return page, page
    cells, content = struct.unpack_from(">HH", data, begin + 3)
    return begin + pointers + 2 * cells, page + (content or size)


@contextmanager
def _waiting(connection: sqlite3.Connection, seconds: float) -> Iterator[None]:
    """Let the connection wait for others no longer than that."""
    connection.execute(f"PRAGMA busy_timeout = {int(1000 * seconds)}")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA busy_timeout = {int(1000 * WAIT_SECONDS)}")
