"""The files under a path: in a stable order, within the root, and every skipped one named."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple, TypeAlias

from biblicus_context.base.gitignore import IgnorePatterns
from biblicus_context.base.ignore_files import (
    UnreadablePatternsError,
    checked_patterns,
    ignored,
    patterns_above,
    patterns_in,
)
from biblicus_context.base.paths import resolved
from biblicus_context.base.regular_files import printable_name
from biblicus_context.errors import InputError
from biblicus_context.stores.marker import MARKER

ROOT: Final = "./"
"""The name of a root that is skipped."""

_LONGEST_NAME = 900
"""Characters; a block's id has some more, and stores take a thousand."""


class FoundFile(NamedTuple):
    """A regular file, and its path below the root with `/` between folders."""

    path: Path
    """Absolute and without links at the time of the walk."""
    name: str
    size: int


class SkippedFile(NamedTuple):
    """A file or folder that is skipped, and why; a folder's name ends with `/`."""

    name: str
    reason: str
    for_now: bool = False
    """Whether it may still exist: its indexed document stays."""


Walked: TypeAlias = FoundFile | SkippedFile


@dataclass(frozen=True, slots=True)
class WalkSettings:
    """What to take of a folder, in the patterns of `.gitignore`."""

    include: tuple[str, ...] = ()
    """Only files that match one of these patterns; all files if empty."""
    exclude: tuple[str, ...] = ()
    hidden: bool = False
    """Whether names that begin with a dot are taken."""
    max_bytes: int = 20 * 1024 * 1024
    """A larger file is left out."""


def walk(root: Path, settings: WalkSettings | None = None) -> Iterator[Walked]:
    """Every file of a folder, sorted by name, or the one file at the path.

    Skipped files are yielded too, a skipped folder once. Links are not followed, except to the root:
    their targets are either below the root, and found there, or outside, and not meant to be read.
    """
    settings = settings or WalkSettings()
    check_root(root)
    real = resolved(root)
    if not real.is_dir():
        yield _file(real, root.name, settings)
        return
    include = checked_patterns(settings.include, "include") if settings.include else None
    exclude = checked_patterns(settings.exclude, "exclude")
    walker = _Walk(settings, include, exclude)
    try:
        above = patterns_above(real)
    except UnreadablePatternsError as error:
        yield _unseen("", str(error))
        return
    # A stack, as folders may be nested deeper than calls may be.
    waiting = [_Folder(real, "", above)]
    while waiting:
        folder = waiting.pop()
        inner: list[_Folder] = []
        for each in walker.entries(folder):
            if isinstance(each, _Folder):
                inner.append(each)
            else:
                yield each
        waiting += reversed(inner)


def check_root(root: Path) -> None:
    """Raise InputError for a path that does not exist or cannot be accessed."""
    try:
        root.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise InputError("no such file or folder", found=str(root)) from None
    except OSError as error:
        problem = f"this file or folder cannot be accessed: {error.strerror}"
        raise InputError(problem, found=str(root)) from None


class _Folder(NamedTuple):
    path: Path
    name: str
    """Its path below the root, ending with `/`; empty for the root."""
    ignoring: tuple[IgnorePatterns, ...]


@dataclass(frozen=True, slots=True)
class _Walk:
    settings: WalkSettings
    include: IgnorePatterns | None
    exclude: IgnorePatterns

    def entries(self, folder: _Folder) -> Iterator[Walked | _Folder]:
        """A folder's files, skipped entries, and the folders to walk next."""
        try:
            with os.scandir(folder.path) as listed:
                entries = sorted(listed, key=lambda entry: entry.name)
            if any(entry.name == MARKER for entry in entries):
                yield SkippedFile(printable_name(folder.name) or ROOT, "an index")
                return
            ignoring = (*folder.ignoring, *patterns_in(folder.path, folder.name))
        except OSError as error:
            yield _unseen(folder.name, f"cannot be read: {error.strerror}")
            return
        except UnreadablePatternsError as error:
            yield _unseen(folder.name, str(error))
            return
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            name = f"{folder.name}{entry.name}{'/' if is_folder else ''}"
            reason = self._reason_against(entry.name, name, ignoring)
            if reason:
                yield SkippedFile(printable_name(name), reason)
            elif is_folder:
                yield _Folder(Path(entry.path), name, ignoring)
            else:
                yield _file(Path(entry.path), name, self.settings)

    def _reason_against(self, last: str, name: str, ignoring: tuple[IgnorePatterns, ...]) -> str:
        if last == ".git":
            return "belongs to git"
        if last.startswith(".") and not self.settings.hidden:
            return "hidden"
        if self.exclude.verdict(name):
            return "excluded"
        if ignored(name, ignoring):
            return "ignored"
        return "" if name.endswith("/") or self._includes(name) else "not included"

    def _includes(self, name: str) -> bool:
        """Whether a file, or a folder above it, is included; the nearest match decides."""
        if self.include is None:
            return True
        above = (f"{each}/" for each in PurePosixPath(name).parents[:-1])
        verdicts = map(self.include.verdict, chain([name], above))
        return next((verdict for verdict in verdicts if verdict is not None), False)


def _unseen(folder: str, reason: str) -> SkippedFile:
    return SkippedFile(printable_name(folder) or ROOT, reason, for_now=True)


def _file(path: Path, name: str, settings: WalkSettings) -> Walked:
    try:
        found = path.lstat()
    except OSError as error:
        return SkippedFile(printable_name(name), f"cannot be read: {error.strerror}", for_now=True)
    reason = _reason_against(name, found, settings)
    return (
        SkippedFile(printable_name(name), reason)
        if reason
        else FoundFile(path, name, found.st_size)
    )


def _reason_against(name: str, found: os.stat_result, settings: WalkSettings) -> str:
    if stat.S_ISLNK(found.st_mode):
        return "a link"
    if not stat.S_ISREG(found.st_mode):
        return "not a regular file"
    if found.st_size > settings.max_bytes:
        return f"larger than {settings.max_bytes:,} bytes"
    if name != printable_name(name):
        return "its name is not UTF-8"
    return (
        f"its path is longer than {_LONGEST_NAME} characters" if len(name) > _LONGEST_NAME else ""
    )
