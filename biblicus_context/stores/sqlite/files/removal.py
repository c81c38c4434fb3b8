"""Removes a whole store: its own files and its folder, but nothing of anybody else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from biblicus_context.stores.errors import StoreError
from biblicus_context.stores.marker import MARKER
from biblicus_context.stores.sqlite.files.database_errors import as_store_errors
from biblicus_context.stores.sqlite.files.folder import existing_folder, is_anothers

_OURS: Final = re.compile(
    rf"{MARKER}|[a-z0-9-]*\.[0-9a-f]{{32}}\.(db(-wal|-shm|-journal|\.seal)?|\d+\.vectors(\.seal)?)"
    r"|\.draft-[0-9a-f]{32}(-wal|-shm|-journal)?"
)


def remove(path: Path) -> None:
    """Remove the store in a folder with all its workspaces, unless the folder has other files."""
    with as_store_errors(str(path)):
        # The marker goes last: a removal that was interrupted can be repeated.
        for file in sorted(require_alone(path), key=lambda file: file.name == MARKER):
            file.unlink(missing_ok=True)
        path.rmdir()


def require_alone(path: Path) -> list[Path]:
    """The files of the store in a folder, which must contain nothing else."""
    if path.is_symlink():
        problem = "this is a link, not the folder of a store"
        raise StoreError(problem, place=str(path), fix="Remove the link yourself.")
    with as_store_errors(str(path)):
        inside = [*existing_folder(path).path.iterdir()]
        for each in inside:
            if not _is_ours(each):
                raise StoreError(
                    "the folder contains a file that is not the store's, so nothing is removed",
                    place=str(path),
                    found=each.name,
                    fix="Move it away first.",
                )
    return inside


def _is_ours(file: Path) -> bool:
    if not _OURS.fullmatch(file.name) or file.is_symlink() or not file.is_file():
        return False
    return file.suffix != ".db" or not is_anothers(file)
