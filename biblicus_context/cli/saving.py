"""Files that commands write: whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from biblicus_context.cli.data_files import STANDARD
from biblicus_context.cli.terminal import warn, write
from biblicus_context.errors import ContextError


def save(file: Path, text: str) -> None:
    """Write a file under another name, then give it its own; a dash is the standard output."""
    if str(file) == STANDARD:
        write(text, end="")
        return
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(file)
    except (OSError, ValueError) as error:
        part.unlink(missing_ok=True)
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ContextError(f"cannot be written: {reason}", place=str(file)) from None
    warn(f"written: {file}")
