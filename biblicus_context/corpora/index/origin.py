"""Which files an index was made of, said so that both can be moved together."""

from __future__ import annotations

import os
from pathlib import Path


def said_from(place: Path, root: Path) -> str:
    """The root as it is reached from the index.

    >>> said_from(Path("/data/.biblicus-context/handbook"), Path("/data/handbook"))
    '../../handbook'
    """
    try:
        return Path(os.path.relpath(root.resolve(), place.resolve())).as_posix()
    except ValueError:  # on another drive
        return root.resolve().as_posix()


def reached_from(place: Path, said: str) -> Path:
    """The root that is meant by it."""
    return Path(os.path.normpath(place.resolve() / said))


def is_other(one: Path, root: Path) -> bool:
    """Whether the index is of files that are there, and are not those of the root.

    Where they are gone they may have been moved, and nothing can be mistaken for them.
    """
    try:
        return not one.samefile(root)
    except OSError:
        return False
