"""Patterns of `.gitignore`: those of the folders above a file, nearest last."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from biblicus_context.errors import ContextError, InputError
from biblicus_context.ingest.files.gitignore_line import glob_of
from biblicus_context.ingest.files.opening import IrregularError, open_regular
from biblicus_context.ingest.files.spelling import spelt

_FILES = (".gitignore", ".ignore")
_LARGEST = 1024 * 1024


class UnreadablePatternsError(ContextError):
    """Which files are ignored cannot be told, so that none may be taken."""


class Patterns:
    """Patterns that speak of what is below one folder.

    `below` is that folder's path from the root of the walk, `above` the root's path from that
    folder; one of the two is empty.
    """

    def __init__(self, lines: Sequence[str], *, below: str = "", above: str = "") -> None:
        self._below = below
        self._above = above
        globs = map(glob_of, lines)
        self._globs = [each for each in reversed([*globs]) if each is not None]

    def verdict(self, name: str) -> bool | None:
        """Whether a name is meant; None where no pattern speaks of it."""
        is_folder = name.endswith("/")
        path = f"{self._above}{name.removeprefix(self._below)}".rstrip("/").split("/")
        for each in self._globs:
            if each.means(path, is_folder=is_folder):
                return not each.takes_back
        return None


def said(lines: Sequence[str], place: str) -> Patterns:
    """The patterns that a caller hands in; one that cannot be meant is an error."""
    for line in lines:
        if glob_of(line) is None:
            raise InputError("this is no pattern of .gitignore", place=place, found=line)
    return Patterns(lines)


def ignored(name: str, ignoring: Sequence[Patterns]) -> bool:
    """The patterns nearest to a file have the last word, as in git."""
    for patterns in reversed(ignoring):
        verdict = patterns.verdict(name)
        if verdict is not None:
            return verdict
    return False


def patterns_in(folder: Path, name: str) -> Iterator[Patterns]:
    """What the ignore files of a folder say of the names below it."""
    for lines in _lines_in(folder):
        yield Patterns(lines, below=name)


def patterns_above(root: Path) -> tuple[Patterns, ...]:
    """What the folders above say, up to the one that is a git repository's.

    Nothing, if they ignore the root itself: whoever names it wants it all the same.
    """
    # A root that may not be looked into has nothing to be taken, whosever repository it is.
    around = (folder for folder in [root, *root.parents] if os.path.exists(folder / ".git"))
    repository = next(around, None)
    if repository is None or _ignores_root(root, repository):
        return ()
    folders = [each for each in root.parents if each.is_relative_to(repository)]
    return tuple(
        Patterns(lines, above=f"{root.relative_to(folder).as_posix()}/")
        for folder in reversed(folders)
        for lines in _lines_in(folder)
    )


def _ignores_root(root: Path, repository: Path) -> bool:
    """Whether the root, or a folder on the way to it, is ignored."""
    way = [repository, *reversed([each for each in root.parents if repository in each.parents])]
    ignoring: list[Patterns] = []
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
        except (FileNotFoundError, NotADirectoryError, IrregularError):
            continue
        except OSError as error:
            reason = f"{spelt(folder.name)}/{file} cannot be read: {error.strerror}"
            raise UnreadablePatternsError(reason) from None
        yield text.split("\n")
