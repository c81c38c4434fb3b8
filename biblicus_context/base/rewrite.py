"""Replacing the content of a file: whole, or not at all."""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from biblicus_context.base.file_content import file_content
from biblicus_context.base.file_locks import hold
from biblicus_context.base.paths import resolved
from biblicus_context.errors import LoadError

_AGAIN: Final = "Run it again."
_SUFFIX: Final = ".part"
_YOUNG: Final = 60


def replace_file(file: Path, before: bytes | None, after: bytes) -> None:
    """Replace the content of a file by a rename; a reader sees the old or the new content.

    Raises LoadError and leaves the file unchanged if its content is no longer `before` (None for a
    file that must not exist yet), or if it cannot be written.
    """
    target = resolved(file)  # a symbolic link stays a link
    try:
        if _content(target) != before:
            raise LoadError("the file has changed since it was read", file=str(file), fix=_AGAIN)
        _replace(target, after)
    except OSError as error:
        raise LoadError(
            f"cannot be written: {error.strerror}",
            file=str(file),
            fix="Allow new files in its folder.",
        ) from None


def _content(target: Path) -> bytes | None:
    try:
        return file_content(target)
    except FileNotFoundError:
        return None


def _replace(target: Path, content: bytes) -> None:
    with replacement(target) as stream:
        stream.write(content)


@contextmanager
def replacement(target: Path) -> Iterator[BinaryIO]:
    """A new file next to `target` that takes its place when all is written, or is removed.

    Its name cannot be guessed and it must be new, so that nobody can have put a link there. Those
    that killed processes left are removed first.
    """
    target = resolved(target)  # a symbolic link stays a link
    _sweep(target)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=_SUFFIX, dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            hold(handle)
            yield stream
            stream.flush()
            os.fsync(handle)
            os.chmod(name, _mode(target))
            os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def _sweep(target: Path) -> None:
    """Remove what nobody holds any more; a file of the last minute may not be held yet."""
    ours = re.compile(rf"\.{re.escape(target.name)}\.[a-z0-9_]{{8}}{re.escape(_SUFFIX)}")
    with suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if ours.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                _remove_left_over(entry)


def _remove_left_over(entry: os.DirEntry[str]) -> None:
    with suppress(OSError):
        if time.time() - entry.stat(follow_symlinks=False).st_mtime < _YOUNG:
            return
        handle = os.open(entry.path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        try:
            hold(handle)
            os.unlink(entry.path)
        finally:
            os.close(handle)


def _mode(target: Path) -> int:
    """The old file's permissions, or the default of new files."""
    try:
        return target.stat().st_mode & 0o7777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
