"""Files that commands write: whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from biblicus_context.base.rewrite import replacement
from biblicus_context.cli.input.data_files import STANDARD
from biblicus_context.cli.output.terminal import note, write
from biblicus_context.errors import ContextError


def save(file: Path, text: str) -> None:
    """Write a text to a file; a dash is the standard output."""
    with saving(file) as write_on:
        write_on(text)


@contextmanager
def saving(file: Path) -> Iterator[Callable[[str], object]]:
    """Write a file whole or not at all; a dash is the standard output."""
    if str(file) == STANDARD:
        yield lambda text: write(text, end="")
        return
    try:
        with _opened(file) as write_on:
            yield write_on
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ContextError(f"cannot be written: {reason}", place=str(file)) from None
    note(f"written: {file}")


@contextmanager
def _opened(file: Path) -> Iterator[Callable[[str], object]]:
    """A file under another name until all is written; a pipe or a device is never replaced."""
    if file.exists() and not file.is_file():
        with file.open("w", encoding="utf-8") as stream:
            yield stream.write
        return
    with replacement(file) as raw:
        yield lambda text: raw.write(text.encode("utf-8"))
