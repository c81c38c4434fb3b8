"""Files that appear under their names only when they are complete, readable by their owner alone."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

PRIVATE: Final = 0o600
_PREFIX: Final = ".draft-"
_ABANDONED: Final = 600.0
"""Seconds after which a draft that nobody writes to belongs to a process that was killed."""


def new_draft(folder: Path, mode: int = PRIVATE) -> Path:
    """An empty file that only its owner can read, or whom the mode names."""
    draft = folder / f"{_PREFIX}{uuid.uuid4().hex}"
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode & 0o666))
    return draft


@contextmanager
def published(path: Path, mode: int = PRIVATE) -> Iterator[BinaryIO]:
    """A stream whose content becomes this file at the end, whole or not at all."""
    draft = new_draft(path.parent, mode)
    try:
        with draft.open("rb+") as stream:
            yield stream
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def sweep(folder: Path) -> None:
    """Remove the drafts of processes that were killed."""
    before = time.time() - _ABANDONED
    with suppress(OSError):  # a folder that cannot be written
        for draft in folder.glob(f"{_PREFIX}*"):
            if draft.lstat().st_mtime < before:
                draft.unlink(missing_ok=True)
