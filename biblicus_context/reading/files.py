"""Paths become the files under them, of plans or of golden tests, and a file becomes its bytes."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from biblicus_context.base.gitignore import IgnorePatterns
from biblicus_context.base.ignore_files import (
    UnreadablePatternsError,
    ignored,
    patterns_above,
    patterns_in,
)
from biblicus_context.base.paths import path_of, resolved
from biblicus_context.errors import LoadError
from biblicus_context.reading.yaml.decoding import MAX_BYTES, too_large

_SUFFIXES = (".yaml", ".yml")
_TEST_SUFFIXES = (".test.yaml", ".test.yml")
_LEFT_OUT = (".", "__")
"""How the names begin of what is hidden, and of folders for tests, such as `__snapshots__`."""
_SNAPSHOTS = "__snapshots__"
_LIBRARIES = "node_modules"
_ENVIRONMENTS = ("pyvenv.cfg", "conda-meta")
"""What is at the top of a virtual environment, and of one of conda."""


class _Sort(NamedTuple):
    """Which files are searched for in a folder."""

    tests: bool
    missing: str
    fix: str

    def is_one(self, name: str) -> bool:
        return name.endswith(_SUFFIXES) and name.endswith(_TEST_SUFFIXES) == self.tests


_PLANS = _Sort(
    tests=False,
    missing="the folder contains no .yaml file",
    fix="Create a plan in it, or pass another folder.",
)
_TESTS = _Sort(
    tests=True,
    missing="the folder contains no .test.yaml file",
    fix="Create a golden test in it, or pass another folder.",
)


def plan_files(paths: Iterable[str | os.PathLike[str]]) -> Iterator[Path | LoadError]:
    """Every plan file under these paths once; what is wrong with a path in its place.

    In a folder the files are taken in the order of their names; hidden ones, golden tests, virtual
    environments and node_modules are left out, and links to other folders are not followed.
    """
    return _files(paths, _PLANS)


def belongs_to_tests(file: Path) -> bool:
    """Whether a file that is given by name is a golden test, or a snapshot of one."""
    return file.name.endswith(_TEST_SUFFIXES) or _SNAPSHOTS in file.parts


def plans_beside(file: Path) -> list[Path]:
    """The plan files in a file's own folder, in the order of their names."""
    with suppress(OSError), os.scandir(file.parent) as entries:
        names = [entry.name for entry in entries if entry.is_file()]
        shown = (name for name in names if not name.startswith(_LEFT_OUT))
        return sorted(file.parent / name for name in shown if _PLANS.is_one(name))
    return []


def golden_files(paths: Iterable[str | os.PathLike[str]]) -> Iterator[Path | LoadError]:
    """Every golden test under these paths once, found as plan files are.

    Those that git ignores are left out, unless a path names them or their folder.
    """
    return _files(paths, _TESTS)


def _files(paths: Iterable[str | os.PathLike[str]], sort: _Sort) -> Iterator[Path | LoadError]:
    seen: set[str] = set()
    for path in map(path_of, paths):
        for found in _in_folder(path, sort) if os.path.isdir(path) else [path]:
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
        raise _unreadable(str(error.strerror), file) from None
    if not regular:  # opening a pipe would wait for a writer
        raise _unreadable("it is not a regular file", file)
    if len(data) > MAX_BYTES:
        raise too_large(str(file))
    return data


def _head(file: Path) -> bytes:
    with file.open("rb") as stream:
        return stream.read(MAX_BYTES + 1)


class _Folder(NamedTuple):
    """A folder to search."""

    path: Path
    name: str
    """Its path below the first one, ending with `/`; empty for the first one."""
    ignoring: tuple[IgnorePatterns, ...]


def _in_folder(folder: Path, sort: _Sort) -> list[Path | LoadError]:
    files: list[Path] = []
    problems: list[Path | LoadError] = []
    # Plans that git ignores belong to the project: settings of one's own, and generated ones.
    above = patterns_above(resolved(folder)) if sort.tests else ()
    folders = [_Folder(folder, "", above)]
    while folders:
        current = folders.pop()
        ignoring = current.ignoring
        try:
            entries = _searched(current)
            if sort.tests:
                ignoring = (*ignoring, *patterns_in(resolved(current.path), current.name))
        except OSError as error:
            problems.append(_unreadable(str(error.strerror), current.path))
            continue
        except UnreadablePatternsError as error:
            problems.append(LoadError(str(error), file=str(current.path)))
            continue
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            name = f"{current.name}{entry.name}{'/' if is_folder else ''}"
            if ignored(name, ignoring):
                continue
            if is_folder:
                folders.append(_Folder(current.path / entry.name, name, ignoring))
            elif sort.is_one(entry.name) and not os.path.isdir(entry):
                files.append(current.path / entry.name)
    if not files and not problems:
        problems.append(_empty(folder, sort))
    return [*sorted(files), *problems]


def _searched(folder: _Folder) -> list[os.DirEntry[str]]:
    """The entries of a folder; none of one that installed packages are in, unless it is named."""
    with os.scandir(folder.path) as listed:
        entries = [*listed]
    if folder.name and any(entry.name in _ENVIRONMENTS for entry in entries):
        return []
    return [
        each for each in entries if not each.name.startswith(_LEFT_OUT) and each.name != _LIBRARIES
    ]


def _unreadable(reason: str, path: Path) -> LoadError:
    return LoadError(f"cannot be read: {reason}", file=str(path), mistake="unreadable-file")


def _empty(folder: Path, sort: _Sort) -> LoadError:
    return LoadError(sort.missing, file=str(folder), fix=sort.fix, mistake="empty-folder")
