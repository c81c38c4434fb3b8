"""A real Postgres for tests: one server a session, a schema of its own for each store."""

from __future__ import annotations

import atexit
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, cast

import psycopg

from biblicus_context.base.effects import Outcome
from biblicus_context.stores import Store
from biblicus_context.stores.postgres import open_store
from biblicus_context.stores.postgres.checking import problems, scopes
from biblicus_context.stores.postgres.embedded import EmbeddedPostgres
from biblicus_context.stores.postgres.source import PostgresSource
from biblicus_context.stores.postgres.store import PostgresStore
from biblicus_context.stores.source import Ask, Scope, Source

_NUMBERS = count()


@cache
def server() -> EmbeddedPostgres:
    """The server of this process, which ends with it."""
    # Its socket must not be deep in a folder of pytest: a path of a socket has 107 bytes at most.
    folder = tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True)
    Path(folder.name).chmod(0o755)
    found = EmbeddedPostgres(Path(folder.name) / "s", durable=False)
    found.start()
    own = os.getpid()

    def end() -> None:
        if os.getpid() == own:
            found.stop(kill=True)
            folder.cleanup()

    atexit.register(end)
    return found


def new_schema() -> str:
    """A name that no other store of the session has."""
    return f"s{os.getpid()}_{next(_NUMBERS)}"


def url(schema: str, **options: object) -> str:
    """How a store in a schema is reached."""
    own = "".join(f"&{key}={value}" for key, value in options.items())
    return f"{server().url}&schema={schema}{own}"


def drop(schema: str) -> None:
    """Drop the tables of a store."""
    with psycopg.connect(server().url, autocommit=True) as connection:
        connection.execute("SET client_min_messages = error")
        connection.execute(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE'.encode())


@contextmanager
def postgres_store(keep_seconds: float = 3600.0, **options: object) -> Iterator[PostgresStore]:
    """A new, empty store in a schema of its own."""
    schema = new_schema()
    try:
        with open_store(url(schema, **options), keep_seconds=keep_seconds) as store:
            yield store
    finally:
        drop(schema)


class FreshSource:
    """The collections of one new store, in a schema that others use too: to make tables takes longer than a test."""

    def __init__(self, source: PostgresSource) -> None:
        self._source = source
        self._number = next(_NUMBERS)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._source, name)

        def called(scope: Scope, *args: Any, **options: Any) -> Any:
            return method(self._own(scope), *args, **options)

        return called

    def _own(self, scope: Scope) -> Scope:
        return Scope(scope.principal, f"{self._number}/{scope.collection}")

    @property
    def _scopes(self) -> list[Scope]:
        every = scopes(self._source.server)
        return [each for each in every if each.collection.startswith(f"{self._number}/")]

    def answer(self, asks: Sequence[Ask]) -> Sequence[Outcome]:
        return self._source.answer(asks)

    def tidy(self) -> None:
        for each in self._scopes:
            self._source.tidy_collection(each)

    def check(self) -> tuple[str, ...]:
        found = (problems(self._source.server, each) for each in self._scopes)
        return tuple(each for own in found for each in own)

    def close(self) -> None:
        pass


@cache
def shared_store(keep_seconds: float) -> PostgresStore:
    """A store that lives as long as the session."""
    return open_store(url(new_schema()), keep_seconds=keep_seconds)


@contextmanager
def fresh_store(keep_seconds: float = 3600.0) -> Iterator[Store]:
    """A new, empty store in the schema of others."""
    source = shared_store(keep_seconds).source
    assert isinstance(source, PostgresSource)
    yield Store(cast("Source", FreshSource(source)))
