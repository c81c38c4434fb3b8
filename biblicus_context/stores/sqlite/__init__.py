"""The embedded store: SQLite for what is kept, numpy for what is ranked."""

from biblicus_context.stores.sqlite.store import SqliteStore, open_store

__all__ = ["SqliteStore", "open_store"]
