"""Waiting for files to change: times and sizes are compared, so nothing has to be installed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

_PAUSE = 0.3
"""Seconds between two looks, and how long files have to be left alone before a run."""

State = Mapping[str, tuple[int, int]]


def state_of(paths: Iterable[str | os.PathLike[str]]) -> State:
    """When each file under these paths was last written, and its size; one that is gone has none."""
    found = {}
    for file in _files(map(Path, paths)):
        try:
            status = file.stat()
        except OSError:  # gone, or about to come back
            continue
        found[str(file)] = (status.st_mtime_ns, status.st_size)
    return found


def wait_for_change(paths: Iterable[str | os.PathLike[str]], before: State) -> None:
    """Come back when something is not as it was, and whoever changes it has paused."""
    watched = list(paths)
    while state_of(watched) == before:
        time.sleep(_PAUSE)
    settled = state_of(watched)
    while True:
        time.sleep(_PAUSE)
        now = state_of(watched)
        if now == settled:
            return
        settled = now


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            yield from (Path(folder, name) for name in names if not name.startswith("."))
