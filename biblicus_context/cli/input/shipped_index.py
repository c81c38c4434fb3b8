"""Where the index of a corpus goes that comes with the package: into the user's cache."""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path
from typing import Final

from biblicus_context.base.paths import resolved
from biblicus_context.corpora.index_location import store_of
from biblicus_context.reading.shipped import shipped

ELSEWHERE: Final = "Set XDG_CACHE_HOME to a writable folder."


def outside_the_package(root: Path, name: str) -> Path | None:
    """The folder for a corpus that comes with the package; None for every other one.

    Its name follows from the files, so that another release never meets an older index.
    """
    root = resolved(root)
    if not root.is_relative_to(shipped("contexts").resolve()):
        return None
    digest = blake2b(digest_size=6)
    for file in sorted(root.rglob("*")):
        if file.is_file():
            digest.update(f"{file.relative_to(root).as_posix()}\0".encode() + file.read_bytes())
    name = store_of(root, name).name
    return cache() / "biblicus-context" / f"{name}-{digest.hexdigest()}"


def cache() -> Path:
    """The user's folder for what can be made again; one that is not absolute does not count."""
    said = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return said if said.is_absolute() else Path.home() / ".cache"
