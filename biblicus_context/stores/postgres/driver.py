"""psycopg, with a limit on how long anything waits: the one file that knows it.

A pipeline is one round trip: what is asked in it is sent together, and answered together.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final, TypeAlias, TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg_pool import ConnectionPool, PoolTimeout, TooManyRequests

from biblicus_context.base.deadlines import at_most
from biblicus_context.base.effects import Outcome
from biblicus_context.base.forks import child_lock
from biblicus_context.base.joining import asked
from biblicus_context.stores.errors import AnswerLostError, StoreError
from biblicus_context.stores.postgres.options import ServerOptions
from biblicus_context.stores.sql import Sql

T = TypeVar("T")
Rows: TypeAlias = list[tuple[Any, ...]]
_Question: TypeAlias = tuple[Sql, Sequence[Sql]]
"""What a read has to be told first, and its statements."""

_TRIES: Final = 3
"""How often a read begins again whose connection broke: a pool may have several that a restart broke."""
_LATER: Final = 1.0
"""Seconds: an error of the server says more than silence does."""
_READ: Final = b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_WRITE: Final = b"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
_COMMIT: Final = b"COMMIT"
_BUSY: Final = "Others are writing to the same collection, or the server is busy: try again."
_PROBLEMS: Final = (
    # What the server says may have values of rows in it, so its texts are not passed on.
    (("57014",), "a statement took too long and was stopped", _BUSY),
    (("55P03",), "another writer kept a collection locked for too long", _BUSY),
    (("40P01", "40001"), "other writers were in the way", _BUSY),
    (
        ("42P05", "26000"),
        "a pooler does not keep prepared statements",
        "Add prepares=off to the URL.",
    ),
    (("53300",), "the server accepts no more connections", "Lower `pool`, or use a pooler."),
    (("53100",), "the server has no space left", "Make room on the server, and try again."),
    (("28", "3D"), "the server refuses this user or database", "Check the connection's URL."),
    (
        ("42501",),
        "the user of this connection lacks a right",
        "Grant it the role of the store, or SELECT on the table.",
    ),
    (("25006",), "the server only reads", "Connect to the primary, not to a replica."),
    (("22P05", "22021"), "the database is not in UTF-8", "Create it with ENCODING 'UTF8'."),
    (("3F", "42P01", "42883"), "the tables of the store are missing", "Open it with create=True."),
)
_OTHER: Final = "See the server's log: its text may contain data, and is not repeated here."


_OPENING: Final = child_lock()
_OPEN: Final[dict[ServerOptions, PostgresServer]] = {}

# What a pool logs has names of hosts and users in it: it is for who configures logging.
logging.getLogger("psycopg").addHandler(logging.NullHandler())


class _Connection(psycopg.Connection[tuple[Any, ...]]):
    """A connection on which nothing waits longer than until its deadline."""

    deadline: float | None = None

    def wait(self, gen: PQGen[T], interval: float = 0.1, timeout: float | None = None) -> T:
        """As psycopg does, but not for ever: a stalled network says nothing at all."""
        if self.deadline is not None and timeout is None:
            timeout = max(0.0, self.deadline - time.monotonic())
        return super().wait(gen, interval, timeout)


class PostgresServer:
    """The connections to one server, for all threads of this process."""

    def __init__(self, options: ServerOptions) -> None:
        self.options = options
        self.trips = 0
        """How often something was sent and its answer awaited."""
        self.users = 1
        """Stores that are open over these connections."""
        self._pools: dict[int, ConnectionPool[_Connection]] = {}
        self._lock = child_lock()
        self._is_closed = False

    @property
    def seconds(self) -> float:
        """How long anything waits that begins now: the patience, or what a caller has left."""
        return at_most(self.options.patience)

    @property
    def deadline(self) -> float:
        """Until when an answer to what is asked now is waited for; the server gives up a little earlier."""
        return time.monotonic() + self.seconds + _LATER

    def __eq__(self, other: object) -> bool:
        """Reads of all stores of one server, schema and role may travel together."""
        return isinstance(other, PostgresServer) and other.options == self.options

    def __hash__(self) -> int:
        return hash(self.options)

    def read(self, settings: Sql, *statements: Sql) -> list[Rows]:
        """What each statement finds, all of one moment; what others read meanwhile is in the same trip."""
        rows: list[Rows] = asked(self, (settings, statements))
        return rows

    def answer(self, questions: Sequence[_Question]) -> Sequence[Outcome]:
        """What several reads find, in one round trip."""
        try:
            return [*map(Outcome, self._answers(questions))]
        except StoreError as error:
            if len(questions) == 1:
                return [Outcome(error=error)]
        # One of them failed, and the server answers none of those after it.
        return [self.answer([each])[0] for each in questions]

    def _answers(self, questions: Sequence[_Question]) -> list[list[Rows]]:
        until = time.monotonic() + self.seconds
        for _ in range(_TRIES):
            with suppress(AnswerLostError):
                return self._run(lambda connection: self._read(connection, questions))
            if time.monotonic() > until:
                break
        raise _unreachable(self.options.name)

    def write(self, settings: Sql, use: Callable[[WriteTransaction], T]) -> T:
        """What is made of a transaction, which commits with its last statements or is rolled back.

        An AnswerLostError says that nobody knows whether it was committed.
        """
        return self._run(lambda connection: use(WriteTransaction(self, connection, settings)))

    def run(self, script: str) -> None:
        """Run statements outside of the pool, with the rights of who connects: to make tables."""

        def on(connection: _Connection) -> None:
            connection.deadline = time.monotonic() + 10 * self.options.patience
            connection.execute(script.encode())

        self._guarded(lambda: self._alone(on))

    def close(self) -> None:
        """Close all connections, once no other store uses them."""
        with _OPENING:
            self.users -= 1
            if self.users:
                return
            _OPEN.pop(self.options, None)
        with self._lock:
            self._is_closed = True
            pool = self._pools.pop(os.getpid(), None)
        if pool is not None:
            pool.close(timeout=self.options.patience)

    def _read(self, connection: _Connection, questions: Sequence[_Question]) -> list[list[Rows]]:
        self.trips += 1
        connection.deadline = self.deadline
        with connection.pipeline():
            found = [self._sent(connection, *each) for each in questions]
        return [[each.fetchall() for each in cursors] for cursors in found]

    def _sent(
        self, connection: _Connection, settings: Sql, statements: Sequence[Sql]
    ) -> list[psycopg.Cursor[tuple[Any, ...]]]:
        connection.execute(_READ, prepare=False)
        _executed(connection, settings)
        cursors = [_executed(connection, each) for each in statements]
        connection.execute(_COMMIT, prepare=False)
        return cursors

    def _run(self, use: Callable[[_Connection], T]) -> T:
        """On a connection of the pool; a broken one is not used again."""

        def run() -> T:
            pool = self._pool()
            connection = pool.getconn(self.seconds)
            try:
                return use(connection)
            finally:
                _clean(connection)
                connection.deadline = None
                pool.putconn(connection)

        return self._guarded(run)

    def _alone(self, use: Callable[[_Connection], None]) -> None:
        limit = max(2, round(self.options.patience))
        with _Connection.connect(
            self.options.url, autocommit=True, connect_timeout=limit
        ) as connection:
            use(connection)

    def _guarded(self, run: Callable[[], T]) -> T:
        try:
            return run()
        except (psycopg.Error, OSError) as error:
            failure = _failure(self.options.name, error)
        if isinstance(failure, AnswerLostError):
            self._replace_connections()
        # Outside of the handler: else the error would carry that of the server, and its text, with it.
        raise failure

    def _replace_connections(self) -> None:
        """What broke one of them, such as a restart, broke the idle ones too."""
        with self._lock:
            pool = self._pools.get(os.getpid())
        if pool is not None:
            with suppress(psycopg.Error):
                pool.drain()

    def _pool(self) -> ConnectionPool[_Connection]:
        """Of this process: a child must not use, nor end, the connections of its parent."""
        with self._lock:
            if self._is_closed:
                fix = "Open it again."
                raise StoreError("the store is closed", place=self.options.name, fix=fix)
            found = self._pools.get(os.getpid())
            if found is None:
                found = self._pools[os.getpid()] = self._new_pool()
            return found

    def _new_pool(self) -> ConnectionPool[_Connection]:
        options = self.options
        return ConnectionPool(
            options.url,
            connection_class=_Connection,
            kwargs={
                "autocommit": True,
                "connect_timeout": max(2, round(options.patience)),
                "prepare_threshold": 2 if options.prepares else None,
                "application_name": "biblicus_context",
            },
            min_size=0,
            max_size=options.pool,
            max_waiting=100 * options.pool,
            timeout=options.patience,
            reconnect_timeout=options.patience,
            open=True,
        )


def connected(options: ServerOptions) -> PostgresServer:
    """The connections to a server, which all stores of this process with these options share."""
    with _OPENING:
        server = _OPEN.get(options)
        if server is None:
            server = _OPEN[options] = PostgresServer(options)
        else:
            server.users += 1
        return server


class WriteTransaction:
    """What writes: statements in round trips, and at last a commit that travels with the last ones."""

    def __init__(self, server: PostgresServer, connection: _Connection, settings: Sql) -> None:
        self._server = server
        self._connection = connection
        self._settings: Sql | None = settings

    def ask(self, *statements: Sql, commit: bool = False) -> list[Rows]:
        """What each statement returns; those that return nothing have no rows."""
        connection = self._connection
        self._server.trips += 1
        connection.deadline = self._server.deadline
        with connection.pipeline():
            if self._settings is not None:
                connection.execute(_WRITE, prepare=False)
                _executed(connection, self._settings)
                self._settings = None
            found = [_executed(connection, each) for each in statements]
            if commit:
                connection.execute(_COMMIT, prepare=False)
        return [each.fetchall() if each.description else [] for each in found]


def _executed(connection: _Connection, statement: Sql) -> psycopg.Cursor[tuple[Any, ...]]:
    return connection.execute(statement.text.encode(), statement.values, binary=True)


def _clean(connection: _Connection) -> None:
    """End what is open on a connection, or the connection itself where that fails."""
    status = connection.info.transaction_status
    if status == psycopg.pq.TransactionStatus.IDLE:
        return
    if status in (psycopg.pq.TransactionStatus.INTRANS, psycopg.pq.TransactionStatus.INERROR):
        connection.deadline = time.monotonic() + 1.0
        with suppress(psycopg.Error):
            connection.execute(b"ROLLBACK", prepare=False)
            return
    connection.close()


def _failure(name: str, error: Exception) -> StoreError:
    """An error that names the connection, and nothing that the server said."""
    if isinstance(error, PoolTimeout | TooManyRequests):
        problem = "no connection came free, or the server cannot be reached"
        fix = "Check that it runs; raise `pool` in the connection's URL if all are in use."
        return StoreError(problem, place=name, fix=fix)
    state = getattr(error, "sqlstate", None) or ""
    for states, problem, fix in _PROBLEMS:
        if state.startswith(states):
            return StoreError(f"{problem} ({state})", place=name, fix=fix)
    is_of_connection = isinstance(
        error, psycopg.OperationalError | psycopg.InterfaceError | OSError
    )
    if is_of_connection and (not state or state.startswith(("08", "57P"))):
        return AnswerLostError("the connection broke, or no answer came in time", place=name)
    problem = f"the database failed ({state or type(error).__name__})"
    return StoreError(problem, place=name, fix=_OTHER)


def _unreachable(name: str) -> StoreError:
    fix = "Check that it runs, and the connection's URL; then try again."
    return StoreError("the server cannot be reached", place=name, fix=fix)


__all__ = ["PostgresServer", "Rows", "WriteTransaction"]
