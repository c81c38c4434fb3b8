"""Paths become the plan files under them, and a plan file becomes its bytes."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from biblicus_context.errors import LoadError
from biblicus_context.reading.characters import MAX_BYTES, too_large

_SUFFIXES = (".yaml", ".yml")
_ELSEWHERE = "Write a plan there, or name another folder."


def plan_files(paths: Iterable[str | os.PathLike[str]]) -> Iterator[Path | LoadError]:
    """Every plan file under these paths once; what is wrong with a path in its place.

    In a folder the files are taken in the order of their names, hidden ones are left out, and
    links to other folders are not followed.
    """
    seen: set[str] = set()
    for path in map(Path, paths):
        for found in _in_folder(path) if os.path.isdir(path) else [path]:
            if isinstance(found, LoadError):
                yield found
            elif os.path.realpath(found) not in seen:
                seen.add(os.path.realpath(found))
                yield found


def read_plan(file: Path) -> bytes:
    """A plan file's content; raises LoadError where there is none, or more than a plan may hold."""
    try:
        regular = stat.S_ISREG(file.stat().st_mode)
        data = _head(file) if regular else b""
    except OSError as error:
        raise LoadError(f"cannot be read: {error.strerror}", file=str(file)) from None
    if not regular:  # opening a pipe would wait for a writer
        raise LoadError("cannot be read: it is not a regular file", file=str(file))
    if len(data) > MAX_BYTES:
        raise too_large(str(file))
    return data


def _head(file: Path) -> bytes:
    with file.open("rb") as stream:
        return stream.read(MAX_BYTES + 1)


def _in_folder(folder: Path) -> list[Path | LoadError]:
    files: list[Path] = []
    problems: list[Path | LoadError] = []
    folders = [folder]
    while folders:
        current = folders.pop()
        try:
            entries = [entry for entry in os.scandir(current) if not entry.name.startswith(".")]
        except OSError as error:
            problems.append(LoadError(f"cannot be read: {error.strerror}", file=str(current)))
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(current / entry.name)
            elif entry.name.endswith(_SUFFIXES) and not os.path.isdir(entry):
                files.append(current / entry.name)
    if not files and not problems:
        problems.append(LoadError("no .yaml file in this folder", file=str(folder), fix=_ELSEWHERE))
    return [*sorted(files), *problems]
