"""Which `.gitignore` and `.ignore` files apply to a file: those of the folders above it, nearest last."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from biblicus_context.base.gitignore import IgnorePatterns, parse_line
from biblicus_context.base.regular_files import (
    IrregularFileError,
    open_regular,
    printable_name,
)
from biblicus_context.errors import ContextError, InputError

_FILES = (".gitignore", ".ignore")
_LARGEST = 1024 * 1024


class UnreadablePatternsError(ContextError):
    """An ignore file cannot be read, so no file below its folder may be indexed."""


def checked_patterns(lines: Sequence[str], place: str) -> IgnorePatterns:
    """The patterns of a setting; one that can never match is an error."""
    for line in lines:
        if parse_line(line) is None:
            raise InputError("this is not a .gitignore pattern", place=place, found=line)
    return IgnorePatterns(lines)


def ignored(name: str, ignoring: Sequence[IgnorePatterns]) -> bool:
    """Whether a name is ignored; the patterns nearest to it decide, as in git."""
    for patterns in reversed(ignoring):
        verdict = patterns.verdict(name)
        if verdict is not None:
            return verdict
    return False


def patterns_in(folder: Path, name: str) -> Iterator[IgnorePatterns]:
    """The patterns of a folder's own ignore files."""
    for lines in _lines_in(folder):
        yield IgnorePatterns(lines, below=name)


def patterns_above(root: Path) -> tuple[IgnorePatterns, ...]:
    """The patterns of the folders above the root, up to the top of its git repository.

    Empty if they ignore the root itself: whoever names an ignored folder wants it indexed.
    """
    # `os.path.exists` is False, not an error, for a folder that may not be read.
    around = (folder for folder in [root, *root.parents] if os.path.exists(folder / ".git"))
    repository = next(around, None)
    if repository is None or _ignores_root(root, repository):
        return ()
    folders = [each for each in root.parents if each.is_relative_to(repository)]
    return tuple(
        IgnorePatterns(lines, above=f"{root.relative_to(folder).as_posix()}/")
        for folder in reversed(folders)
        for lines in _lines_in(folder)
    )


def _ignores_root(root: Path, repository: Path) -> bool:
    """Whether the root, or a folder between the repository and it, is ignored."""
    way = [repository, *reversed([each for each in root.parents if repository in each.parents])]
    ignoring: list[IgnorePatterns] = []
    for folder, next_ in zip(way, [*way[1:], root], strict=True):
        below = "" if folder == repository else f"{folder.relative_to(repository).as_posix()}/"
        ignoring += patterns_in(folder, below)
        if next_ != repository and ignored(
            f"{next_.relative_to(repository).as_posix()}/", ignoring
        ):
            return True
    return False


def _lines_in(folder: Path) -> Iterator[list[str]]:
    for file in _FILES:
        try:
            with open_regular(folder / file) as stream:
                text = stream.read(_LARGEST).decode("utf-8-sig", errors="replace")
        except (FileNotFoundError, NotADirectoryError, IrregularFileError):
            continue
        except OSError as error:
            reason = f"{printable_name(folder.name)}/{file} cannot be read: {error.strerror}"
            raise UnreadablePatternsError(reason) from None
        yield text.split("\n")
