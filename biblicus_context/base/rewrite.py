"""Replacing the content of a file: whole, or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from biblicus_context.errors import LoadError

_AGAIN = "Run it again."


def replace_file(file: Path, before: bytes | None, after: bytes) -> None:
    """Replace the content of a file by a rename; a reader sees the old or the new content.

    Raises LoadError and leaves the file unchanged if its content is no longer `before` (None for a
    file that must not exist yet), or if it cannot be written.
    """
    target = file.resolve()  # a symbolic link stays a link
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
        return target.read_bytes()
    except FileNotFoundError:
        return None


def _replace(target: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(name, _mode(target))
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def _mode(target: Path) -> int:
    """Return the old file's permissions, or the default of new files."""
    try:
        return target.stat().st_mode & 0o7777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
