"""Idle connections that are used again, each by one thread at a time."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Final

_MOST_IDLE: Final = 8
_INHERITED: Final[list[sqlite3.Connection]] = []


class ConnectionPool:
    """Gives out connections; one whose transaction could not be ended is closed, not used again."""

    def __init__(
        self, connect: Callable[[], sqlite3.Connection], *idle: sqlite3.Connection
    ) -> None:
        self._connect = connect
        self._lock = Lock()
        self._idle = [*idle]
        self._process = os.getpid()
        self._closed = False

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """A connection that nobody else uses meanwhile."""
        connection = self.take()
        try:
            yield connection
        finally:
            self._put_back(connection)

    def close(self) -> None:
        """Close idle connections now, and the others when they are returned."""
        with self._lock:
            self._closed = True
            self._leave_inherited()
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def take(self) -> sqlite3.Connection:
        """A connection that nobody else uses until it is given back."""
        with self._lock:
            self._leave_inherited()
            if self._idle:
                return self._idle.pop()
        return self._connect()

    def give_back(self, connection: sqlite3.Connection) -> None:
        """End what it reads, and let others use it; one that cannot be ended is closed."""
        with suppress(sqlite3.Error):
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        self._put_back(connection)

    def _leave_inherited(self) -> None:
        # A connection must not cross a fork. To use it would corrupt the database, and so may closing
        # it in the child, which could be taken for the last one. So the child keeps the parent's
        # connections in a list, where garbage collection cannot close them either.
        if self._process != os.getpid():
            _INHERITED.extend(self._idle)
            self._idle, self._process = [], os.getpid()

    def _put_back(self, connection: sqlite3.Connection) -> None:
        with self._lock:
            wanted = not self._closed and len(self._idle) < _MOST_IDLE
            if wanted and not connection.in_transaction:
                self._idle.append(connection)
                return
        connection.close()
