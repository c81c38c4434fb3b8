"""A store in a schema of a Postgres database."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from biblicus_context.base.connections import connection_url
from biblicus_context.base.doors import door
from biblicus_context.stores.addresses import POSTGRES
from biblicus_context.stores.postgres.driver import PostgresServer, connected
from biblicus_context.stores.postgres.options import ServerOptions, options_of
from biblicus_context.stores.postgres.replica import Replica
from biblicus_context.stores.postgres.schema.migrations import require_tables
from biblicus_context.stores.postgres.source import PostgresSource
from biblicus_context.stores.postgres.visibility import settings
from biblicus_context.stores.store import Store

_MOST_PATIENCE: Final = 5.0
"""Seconds for which a replica is waited for: then the primary is asked."""


def opened_store(
    url: str, *, name: str | None = None, create: bool = True, keep_seconds: float = 0.0
) -> PostgresStore:
    """Open the store in a database, or make its tables there."""
    options = options_of(url, name)
    replica = None if options.read is None else _replica_of(options, options.read)
    server = connected(options)
    try:
        require_tables(server, settings(server.options, None), create=create)
    except BaseException:
        server.close()
        raise
    followed = None if replica is None else Replica(connected(replica))
    return PostgresStore(server, keep_seconds, followed)


def _replica_of(options: ServerOptions, name: str) -> ServerOptions:
    """The same tables on another server."""
    named = f"connection:{name}"
    own = options_of(connection_url(named, POSTGRES, place="read"), named)
    patience = min(own.patience, _MOST_PATIENCE)
    return replace(own, schema=options.schema, role=options.role, patience=patience, read=None)


@door
class PostgresStore(Store):
    """A store whose source is a Postgres database."""

    def __init__(
        self, server: PostgresServer, keep_seconds: float, replica: Replica | None = None
    ) -> None:
        super().__init__(PostgresSource(server, keep_seconds, replica))
        self.name = server.options.name

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"
