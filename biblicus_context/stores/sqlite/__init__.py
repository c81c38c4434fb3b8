"""The embedded store: SQLite keeps the data, numpy ranks it."""

from biblicus_context.stores.sqlite.store import SqliteStore, open_store

__all__ = ["SqliteStore", "open_store"]
