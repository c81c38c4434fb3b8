"""A store in a schema of a Postgres database."""

from __future__ import annotations

from biblicus_context.base.doors import door
from biblicus_context.stores.postgres.driver import PostgresServer, connected
from biblicus_context.stores.postgres.options import options_of
from biblicus_context.stores.postgres.schema.migrations import require_tables
from biblicus_context.stores.postgres.source import PostgresSource
from biblicus_context.stores.postgres.visibility import settings
from biblicus_context.stores.store import Store


def opened_store(
    url: str, *, name: str | None = None, create: bool = True, keep_seconds: float = 0.0
) -> PostgresStore:
    """Open the store in a database, or make its tables there."""
    server = connected(options_of(url, name))
    try:
        require_tables(server, settings(server.options, None), create=create)
    except BaseException:
        server.close()
        raise
    return PostgresStore(server, keep_seconds)


@door
class PostgresStore(Store):
    """A store whose source is a Postgres database."""

    def __init__(self, server: PostgresServer, keep_seconds: float) -> None:
        super().__init__(PostgresSource(server, keep_seconds))
        self.name = server.options.name

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"
