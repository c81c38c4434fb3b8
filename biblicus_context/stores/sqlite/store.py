"""A store in a folder of its own: one SQLite file for each workspace."""

from __future__ import annotations

import os
from typing import Final

from biblicus_context.base.doors import door
from biblicus_context.base.paths import path_of
from biblicus_context.stores.sqlite.files.capability import require_capable
from biblicus_context.stores.sqlite.files.folder import Folder, existing_folder, folder
from biblicus_context.stores.sqlite.source import SqliteSource
from biblicus_context.stores.store import Store

KEEP_SECONDS: Final = 0.0
"""How long what a write removes stays readable in the versions before it."""


@door
def open_store(
    path: str | os.PathLike[str], *, create: bool = True, keep_seconds: float = KEEP_SECONDS
) -> SqliteStore:
    """Open the store in a folder, or make one there.

    A version can be read until something that it shows is removed or replaced, and `keep_seconds`
    longer. Then its bytes leave all files: by default before the write returns, else with the first
    write, opening or `purge` after that time.

    >>> from tempfile import mkdtemp
    >>> from biblicus_context.stores import Principal
    >>> with open_store(mkdtemp()) as store, store.view(Principal("acme")) as view:
    ...     view.version
    0
    """
    require_capable()
    place = path_of(path, "store")
    return SqliteStore(folder(place) if create else existing_folder(place), keep_seconds)


@door
class SqliteStore(Store):
    """A store whose source is a folder of files."""

    def __init__(self, folder: Folder, keep_seconds: float) -> None:
        super().__init__(SqliteSource(folder, keep_seconds))
        self.path = folder.path

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.path)!r})"
