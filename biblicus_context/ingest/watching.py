"""An ingest is repeated whenever files have changed, and whoever changed them has paused."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Event
from typing import Final, TypeAlias

from biblicus_context.errors import ContextError, InputError
from biblicus_context.ingest.files.walking import Found, WalkSettings, walk

_State: TypeAlias = Mapping[str, tuple[int, ...]]

_LONGEST_PAUSE: Final = 60.0
"""Seconds between two attempts, where one after the other fails."""


def watch(
    run: Callable[[], object],
    roots: Sequence[Path],
    *,
    stop: Event,
    settings: WalkSettings | None = None,
    interval: float = 1.0,
    quiet: float = 0.5,
    on_error: Callable[[ContextError], object] | None = None,
) -> None:
    """Call `run` now and after every change below the roots, until `stop` is set.

    Files are looked at every `interval` seconds; after a change it waits until nothing has changed
    for `quiet` seconds. While a root is missing nothing is run, so that what was read of it stays.
    What fails after it once went well is told to `on_error`, where there is one, and tried again.
    """
    ran: _State | None = None
    now = _state(roots, settings)
    pause = interval
    while not stop.is_set():
        if now is not None and now != ran:
            if _run(run, roots, on_error if ran is not None else None):
                ran, pause = now, interval
            else:
                stop.wait(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
        now = _settled(roots, settings, ran, stop, interval, quiet)


def _run(
    run: Callable[[], object],
    roots: Sequence[Path],
    on_error: Callable[[ContextError], object] | None,
) -> bool:
    """Whether it could be run; a root may go at any moment."""
    try:
        run()
    except ContextError as error:
        if isinstance(error, InputError) and not all(map(os.path.exists, roots)):
            return False
        if on_error is None:
            raise
        on_error(error)
        return False
    return True


def _settled(
    roots: Sequence[Path],
    settings: WalkSettings | None,
    ran: _State | None,
    stop: Event,
    interval: float,
    quiet: float,
) -> _State | None:
    """The state after the next pause; one that is new has stayed the same for a while."""
    stop.wait(interval)
    now = _state(roots, settings)
    while now != ran and not stop.wait(quiet):
        later = _state(roots, settings)
        if later == now:
            break
        now = later
    return now


def _state(roots: Sequence[Path], settings: WalkSettings | None) -> _State | None:
    """When each file was last written; None while a root is missing."""
    try:
        return {
            str(each.path): _stamp(each.path)
            for root in roots
            for each in walk(root, settings)
            if isinstance(each, Found)
        }
    except InputError:
        if all(map(os.path.exists, roots)):
            raise
        return None


def _stamp(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except OSError:  # gone, or about to come back
        return ()
    # The second of these tells of new contents under an old time, and of who may read them.
    return (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)
