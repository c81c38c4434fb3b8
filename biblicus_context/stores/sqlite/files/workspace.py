"""One open workspace: its file, the connections to it and what is cached of it in memory."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING, Final

from biblicus_context.stores.errors import StoreError
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.source import Owner
from biblicus_context.stores.sqlite.files.connections import (
    connected,
    open_checked,
    open_to_read,
    open_unwritable,
    seal_database,
    transaction,
)
from biblicus_context.stores.sqlite.files.database_errors import (
    FAILURES,
    as_store_errors,
    store_error,
)
from biblicus_context.stores.sqlite.files.erasure import erase
from biblicus_context.stores.sqlite.files.folder import is_writable
from biblicus_context.stores.sqlite.files.open_files import identity
from biblicus_context.stores.sqlite.files.pool import ConnectionPool
from biblicus_context.stores.sqlite.files.seal import break_seal
from biblicus_context.stores.sqlite.read.reading import WorkspaceReading, begin_reading
from biblicus_context.stores.sqlite.schema import tables as schema
from biblicus_context.stores.sqlite.with_numpy import arrays
from biblicus_context.stores.sqlite.write import cleanup

if TYPE_CHECKING:
    from biblicus_context.stores.sqlite.files.matrices import Matrices


_COUNT_WRITE: Final = "UPDATE space SET unswept = unswept + 1 WHERE unswept >= 0"


class Workspace:
    """Reads run side by side, each in a transaction, so that all of a read sees the same state."""

    def __init__(self, path: Path, readers: ConnectionPool) -> None:
        self.path = path
        self.owner = Owner()
        self._readers = readers

    @cached_property
    def matrices(self) -> Matrices:
        """The embeddings of this workspace."""
        made: Matrices = self.arrays.Matrices(self.path)
        return made

    @cached_property
    def arrays(self) -> ModuleType:
        """What searches need besides."""
        return arrays()

    @contextmanager
    def reading(self, principal: Principal, at: int | None) -> Iterator[WorkspaceReading]:
        """A transaction to read; what its user raises meanwhile is no error of the database."""
        # Each search opens one: context managers inside of each other take longer than it does.
        try:
            connection = self._readers.take()
            try:
                connection.execute("BEGIN DEFERRED")
                reading = begin_reading(connection, principal, at)
            except BaseException:
                self._readers.give_back(connection)
                raise
        except FAILURES as error:
            raise store_error(str(self.path), error) from error
        try:
            yield reading
        finally:
            self._readers.give_back(connection)

    def close(self) -> None:
        """Close idle connections now, and the others when they are returned."""
        self._readers.close()


def _is_due(connection: sqlite3.Connection) -> bool:
    """Whether a process that was killed, or had to wait for a reader, left something to erase."""
    (remains,) = connection.execute("SELECT remains FROM space").fetchone()
    return remains is not None and remains <= time.time_ns() // 1000


def empty_workspace(path: Path) -> Workspace:
    """A workspace in which nothing was ever written, in memory: a read must not create a file."""
    return Workspace(path, ConnectionPool(_empty_database))


def _empty_database() -> sqlite3.Connection:
    connection = connected(":memory:")
    schema.migrate(connection)
    connection.execute(schema.NEW_SPACE, ("", ""))
    return connection


class FileWorkspace(Workspace):
    """A workspace that has a file; in one process one write runs at a time, and others wait."""

    def __init__(self, path: Path, workspace: str) -> None:
        write = partial(open_checked, path, workspace)
        if is_writable(path):
            first = write()
            super().__init__(path, ConnectionPool(partial(self._open, partial(open_to_read, path))))
            self._writers = ConnectionPool(partial(self._open, write), first)
        else:
            read = partial(open_unwritable, path, workspace)
            super().__init__(path, ConnectionPool(partial(self._open, read), read()))
            self._writers = ConnectionPool(partial(self._open, write))
        self._identity = identity(path)
        # SQLite lets one connection write at a time anyway, but its busy handler polls and is not
        # fair. Threads of one process queue here instead; other processes wait in SQLite.
        self._lock = Lock()
        self._is_sealed = True
        if is_writable(path) and _is_due(first):
            self._finish()

    def _finish(self) -> None:
        """Do what a process that was killed left undone."""
        try:
            with self.transaction() as connection:
                cleanup.sweep(connection, time.time_ns() // 1000, 0)
            self.erase(0.0)
        except StoreError:  # others write just now
            return

    def erase(self, patience: float) -> bool:
        """Erase what was deleted from all files; False if it still waits for a reader after so many seconds."""
        with self._lock, self._writers.connection() as connection:
            break_seal(self.path)
            self._is_sealed = False
            return erase(connection, self.path, patience)

    def is_there(self) -> bool:
        """Whether its file is still the one that was opened: an index may be deleted and rebuilt."""
        return identity(self.path) == self._identity

    @contextmanager
    def writing(self, principal: Principal) -> Iterator[WorkspaceReading]:
        """A read of the newest version, in a transaction that may write on top of it."""
        with self.transaction() as connection:
            yield begin_reading(connection, principal, None)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A transaction that writes."""
        with (
            self._lock,
            as_store_errors(str(self.path)),
            self._writers.connection() as connection,
            # IMMEDIATE takes the write lock before the first read: a DEFERRED transaction that
            # turns into a write fails if another process wrote since it began.
            transaction(connection, "IMMEDIATE"),
        ):
            break_seal(self.path)
            self._is_sealed = False
            connection.execute(_COUNT_WRITE)
            yield connection

    def close(self) -> None:
        """Close idle connections now, and the others when they are returned; seal what was written."""
        super().close()
        self._writers.close()
        if not self._is_sealed and self.is_there():
            seal_database(self.path)

    def _open(self, connect: Callable[[], sqlite3.Connection]) -> sqlite3.Connection:
        """A connection to the file that was opened first: what is cached is not true of another one."""
        connection = connect()
        if not self.is_there():
            connection.close()
            problem = "the file was replaced while it was open"
            raise StoreError(problem, place=str(self.path), fix="Try again.")
        return connection
