"""Temporary folders; what killed processes left is removed when the next one is made."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from biblicus_context.base.file_locks import hold

PREFIX: Final = "biblicus-context-"
_HELD: Final = ".held"
"""The file in a folder that its process keeps locked."""
_YOUNG: Final = 60
"""Seconds after which a folder is surely held by its process, if that is alive."""


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder of this process, removed at the end."""
    _sweep(Path(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(prefix=PREFIX) as name:
        folder = Path(name).resolve()
        handle = os.open(folder / _HELD, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            hold(handle)
            inside = folder / "files"
            inside.mkdir()
            yield inside
        finally:
            os.close(handle)


def _sweep(around: Path) -> None:
    """Remove the folders of this user that nobody holds any more."""
    with suppress(OSError), os.scandir(around) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX) and entry.is_dir(follow_symlinks=False):
                _remove_left_over(Path(entry.path))


def _remove_left_over(folder: Path) -> None:
    with suppress(OSError):
        found = folder.lstat()
        is_ours = not hasattr(os, "geteuid") or found.st_uid == os.geteuid()
        if not is_ours or time.time() - found.st_mtime < _YOUNG:
            return
        handle = os.open(folder / _HELD, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        try:
            hold(handle)
        finally:
            os.close(handle)
        shutil.rmtree(folder, ignore_errors=True)
