"""Files are opened without following links, and without waiting for pipes."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from biblicus_context.errors import ContextError

# Windows has neither; there a link is told by where the path really leads.
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)
_LINKS = {errno.ELOOP, errno.EMLINK}


class IrregularError(ContextError):
    """What stands at a path is a link, a pipe or a device, or is reached through a link."""


def open_regular(path: Path) -> BinaryIO:
    """Open the regular file that really stands at this path, which has no links in it.

    Between finding a file and opening it, it or a folder above it may have become a link.
    """
    try:
        handle = os.open(path, _FLAGS)
    except OSError as error:
        if error.errno in _LINKS:
            raise IrregularError("a link") from None
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
        raise IrregularError("not a regular file")
    if os.path.realpath(path) != str(path) or not os.path.samestat(os.stat(path), opened):
        raise IrregularError("reached through a link")
