"""Waiting until files change, by polling their times and sizes: no dependency for each system."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from threading import Event
from typing import Final, TypeAlias

_SECONDS: Final = 0.3

Stamp: TypeAlias = tuple[int, ...]
State: TypeAlias = Mapping[str, Stamp]
"""The stamp of each file, by its path."""


def stamp(file: Path) -> Stamp | None:
    """Changes when the file does; None if the file does not exist."""
    try:
        status = file.stat()
    except OSError:  # gone, or about to come back
        return None
    # The time of the last status change reveals new contents under an old time of writing, as
    # `cp --preserve` leaves them, and new permissions.
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino


def state_of(paths: Iterable[str | os.PathLike[str]]) -> State:
    """The stamps of the visible files under these paths; missing files have none."""
    stamps = ((str(file), stamp(file)) for file in _files(map(Path, paths)))
    return {name: found for name, found in stamps if found is not None}


def wait_for_change(
    look: Callable[[], State | None],
    before: State | None,
    *,
    stop: Event | None = None,
    interval: float = _SECONDS,
    quiet: float = _SECONDS,
) -> State | None:
    """The first state that differs from `before` and stays the same for `quiet` seconds.

    `look` returns None while there is nothing to compare. The result is None once `stop` is set.
    """
    stop = stop or Event()
    while not stop.wait(interval):
        now = look()
        # Whoever changes files may write several of them, so wait for the last one.
        while now is not None and now != before:
            if stop.wait(quiet):
                return None
            later = look()
            if later == now:
                return now
            now = later
    return None


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            yield from (Path(folder, name) for name in names if not name.startswith("."))
