"""The content of a file within a size, without waiting for a pipe."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from biblicus_context.errors import LoadError

MOST_BYTES: Final = 256 * 1024 * 1024
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def file_content(file: Path, *, most: int = MOST_BYTES) -> bytes:
    """The bytes of a regular file; OSError if it cannot be opened, LoadError if it is another
    thing or too large."""
    handle = os.open(file, _FLAGS)
    with os.fdopen(handle, "rb") as stream:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise LoadError("it is not a regular file", file=str(file))
        content = stream.read(most + 1)
    if len(content) > most:
        raise LoadError(f"the file is larger than {most:,} bytes", file=str(file))
    return content
