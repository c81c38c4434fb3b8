"""Files that commands write: whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from biblicus_context.cli.data_files import STANDARD
from biblicus_context.cli.terminal import warn, write
from biblicus_context.errors import ContextError


def save(file: Path, text: str) -> None:
    """Write a text to a file; a dash is the standard output."""
    with saving(file) as write_on:
        write_on(text)


@contextmanager
def saving(file: Path) -> Iterator[Callable[[str], object]]:
    """Write a file under another name, then give it its own; a dash is the standard output."""
    if str(file) == STANDARD:
        yield lambda text: write(text, end="")
        return
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        with part.open("w", encoding="utf-8") as stream:
            yield stream.write
        part.replace(file)
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ContextError(f"cannot be written: {reason}", place=str(file)) from None
    finally:
        part.unlink(missing_ok=True)
    warn(f"written: {file}")
