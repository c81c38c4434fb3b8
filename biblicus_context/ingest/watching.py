"""An ingest is repeated after every change of files."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event
from typing import Final

from biblicus_context.base.doors import door
from biblicus_context.base.watching import State, stamp, wait_for_change
from biblicus_context.errors import ContextError, InputError
from biblicus_context.ingest.files.walking import FoundFile, WalkSettings, walk

_LONGEST_PAUSE: Final = 60.0
"""Seconds between two attempts while attempts keep failing."""


@door
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

    Files are checked every `interval` seconds; after a change, `run` is called once nothing has
    changed for `quiet` seconds. It is not called while a root is missing, so that what is indexed
    of it stays. After a first success, errors are passed to `on_error`, if any, and `run` is retried.
    """

    def look() -> State | None:
        return _state(roots, settings)

    ran: State | None = None
    now = look()
    pause = interval
    while not stop.is_set():
        if now is not None:
            if _run(run, roots, on_error if ran is not None else None):
                ran, pause = now, interval
            else:
                stop.wait(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
        now = wait_for_change(look, ran, stop=stop, interval=interval, quiet=quiet)


def _run(
    run: Callable[[], object],
    roots: Sequence[Path],
    on_error: Callable[[ContextError], object] | None,
) -> bool:
    """Whether the run succeeded; a root may disappear at any moment."""
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


def _state(roots: Sequence[Path], settings: WalkSettings | None) -> State | None:
    """The stamp of every file that an ingest would read; None while a root is missing."""
    try:
        return {
            str(each.path): stamp(each.path) or ()
            for root in roots
            for each in walk(root, settings)
            if isinstance(each, FoundFile)
        }
    except InputError:
        if all(map(os.path.exists, roots)):
            raise
        return None
