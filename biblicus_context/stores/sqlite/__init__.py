"""The embedded store: SQLite keeps the data, numpy ranks it."""

from biblicus_context.stores.sqlite.files.folder import has_content, is_folder
from biblicus_context.stores.sqlite.store import SqliteStore, open_store

__all__ = ["SqliteStore", "has_content", "is_folder", "open_store"]
