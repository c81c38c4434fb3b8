"""The embedded store: SQLite keeps the data, numpy ranks it."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from biblicus_context.errors import MissingExtraError
from biblicus_context.stores.sqlite.files.capability import require_capable
from biblicus_context.stores.sqlite.files.folder import existing_folder, folder

if TYPE_CHECKING:
    from biblicus_context.stores.sqlite.store import SqliteStore

__all__ = ["KEEP_SECONDS", "open_store"]

KEEP_SECONDS: Final = 3600.0
"""How long after a change a read may still be pinned to the version before it."""


def open_store(
    path: str | os.PathLike[str], *, create: bool = True, keep_seconds: float = KEEP_SECONDS
) -> SqliteStore:
    """Open the store in a folder, or make one there.

    >>> from tempfile import mkdtemp
    >>> from biblicus_context.stores import Principal
    >>> with open_store(mkdtemp()) as store:
    ...     store.state(Principal("acme")).version
    0
    """
    if find_spec("numpy") is None:
        raise MissingExtraError("numpy", "corpus")
    require_capable()
    # The store imports numpy, which is optional: only the check above makes that a clear error.
    from biblicus_context.stores.sqlite.store import SqliteStore  # noqa: PLC0415

    place = Path(path)
    return SqliteStore(folder(place) if create else existing_folder(place), keep_seconds)
