"""One workspace, open: its file, the connections to it and what is held of it in memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from biblicus_context.stores.errors import StoreError
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.sqlite.files.connections import (
    connected,
    open_checked,
    open_to_read,
    open_unwritable,
    transaction,
)
from biblicus_context.stores.sqlite.files.database_errors import told
from biblicus_context.stores.sqlite.files.folder import is_writable
from biblicus_context.stores.sqlite.files.open_files import identity
from biblicus_context.stores.sqlite.files.pool import Pool
from biblicus_context.stores.sqlite.read.reading import Reading, reading
from biblicus_context.stores.sqlite.schema import tables as schema

if TYPE_CHECKING:
    from biblicus_context.stores.sqlite.rank.search import Searches


class Space:
    """Reads run side by side, each in a transaction, so that all of it sees the same state."""

    def __init__(self, path: Path, readers: Pool) -> None:
        self.path = path
        self._readers = readers

    @cached_property
    def searches(self) -> Searches:
        """The searches, which load numpy."""
        from biblicus_context.stores.sqlite.rank.search import Searches  # noqa: PLC0415 - numpy is heavy

        return Searches(self.path)

    @contextmanager
    def reading(self, principal: Principal, at: int | None) -> Iterator[Reading]:
        """A read with the eyes of a principal."""
        with (
            told(str(self.path)),
            self._readers.lent() as connection,
            transaction(connection, "DEFERRED"),
        ):
            yield reading(connection, principal, at)

    def close(self) -> None:
        """Close what is idle now, and what is in use when it is not any more."""
        self._readers.close()


def nothing(path: Path) -> Space:
    """A workspace in which nothing was ever written; reads do not make a file of it."""
    return Space(path, Pool(_nothing))


def _nothing() -> sqlite3.Connection:
    connection = connected(":memory:")
    schema.migrate(connection)
    connection.execute("INSERT INTO space VALUES (1, '', '', 0, 0, 0, 0, NULL, 0)")
    return connection


class WrittenSpace(Space):
    """A workspace that has a file; in one process one write runs at a time, and others wait."""

    def __init__(self, path: Path, workspace: str) -> None:
        write = partial(open_checked, path, workspace)
        if is_writable(path):
            first = write()
            super().__init__(path, Pool(partial(self._own, partial(open_to_read, path))))
            self._writers = Pool(partial(self._own, write), first)
        else:
            read = partial(open_unwritable, path, workspace)
            super().__init__(path, Pool(partial(self._own, read), read()))
            self._writers = Pool(partial(self._own, write))
        self._identity = identity(path)
        self._lock = Lock()

    def is_there(self) -> bool:
        """Whether its file is still the one that was opened: an index may be deleted and made again."""
        return identity(self.path) == self._identity

    @contextmanager
    def writing(self, principal: Principal) -> Iterator[Reading]:
        """A read of the newest version, in a transaction that may write on top of it."""
        with (
            self._lock,
            told(str(self.path)),
            self._writers.lent() as connection,
            transaction(connection, "IMMEDIATE"),
        ):
            yield reading(connection, principal, None)

    def close(self) -> None:
        """Close what is idle now, and what is in use when it is not any more."""
        super().close()
        self._writers.close()

    def _own(self, connect: Callable[[], sqlite3.Connection]) -> sqlite3.Connection:
        """A connection to the file that was opened: what is held of it says nothing of another one."""
        connection = connect()
        if not self.is_there():
            connection.close()
            problem = "the file was replaced while it was open"
            raise StoreError(problem, place=str(self.path), fix="Ask again.")
        return connection
