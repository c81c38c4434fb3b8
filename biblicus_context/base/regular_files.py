"""Opening regular files, without following links or waiting for pipes, and printing their names."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from biblicus_context.errors import ContextError

# O_NONBLOCK, because opening a pipe would wait for a writer. Windows has neither flag; there
# `_check` finds links by resolving the path.
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)
_LINKS = {errno.ELOOP, errno.EMLINK}


class IrregularFileError(ContextError):
    """The path is a link, a pipe or a device, or leads through a link."""


def open_regular(path: Path) -> BinaryIO:
    """Open the regular file at this path; the path must not contain links.

    Both are checked after opening: between finding a file and opening it, someone may replace it,
    or a folder above it, by a link that leads out of the root.
    """
    try:
        handle = os.open(path, _FLAGS)
    except OSError as error:
        if error.errno in _LINKS:
            raise IrregularFileError("a link") from None
        raise
    try:
        _check(handle, path)
    except BaseException:
        os.close(handle)
        raise
    return os.fdopen(handle, "rb")


def _check(handle: int, path: Path) -> None:
    opened = os.fstat(handle)
    if not stat.S_ISREG(opened.st_mode):
        raise IrregularFileError("not a regular file")
    if os.path.realpath(path) != str(path) or not os.path.samestat(os.stat(path), opened):
        raise IrregularFileError("reached through a link")


def printable_name(name: str) -> str:
    """A file name that can be printed, with `\\xff` for a byte that is not UTF-8; all stay different."""
    return os.fsencode(name).decode("utf-8", errors="backslashreplace")
