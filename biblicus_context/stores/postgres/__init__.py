"""The store for more than one machine: Postgres keeps the data, and the one engine ranks it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from biblicus_context.base.deferred import Deferred
from biblicus_context.base.doors import door
from biblicus_context.errors import MissingExtraError

if TYPE_CHECKING:
    from biblicus_context.stores.postgres.store import PostgresStore

_STORE: Final = Deferred("biblicus_context.stores.postgres.store:opened_store")
"""psycopg is optional."""


@door
def open_store(url: str, *, create: bool = True, keep_seconds: float = 0.0) -> PostgresStore:
    """Open the store in a database, or make its tables there.

    The URL is libpq's. In its query, `schema`, `role`, `prepares`, `pool` and `patience` are ours.
    What a write removes stays readable in older versions for `keep_seconds`, and for half a minute at
    least: reads in other processes may have begun before it.
    """
    return opened(url, create=create, keep_seconds=keep_seconds)


@door
def opened(
    url: str, *, name: str | None = None, create: bool = True, keep_seconds: float = 0.0
) -> PostgresStore:
    """The same under the name of a connection, which errors show."""
    try:
        store: PostgresStore = _STORE(url, name=name, create=create, keep_seconds=keep_seconds)
    except ModuleNotFoundError as error:
        raise MissingExtraError("psycopg", "postgres") from error
    return store
