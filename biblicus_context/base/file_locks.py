"""Locks on open files, which the system releases when their process ends, however it ends."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

try:
    import fcntl
except ImportError:  # on Windows, where an open file cannot be removed
    fcntl = None  # type: ignore[assignment]


_TRIES: Final = 3
_PAUSE: Final = 0.005


def hold(handle: int) -> None:
    """Lock a file until it is closed; OSError if another process holds it."""
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def held_with_others(path: Path) -> Iterator[None]:
    """A file that `is_held` meanwhile, by whomever; where the system has no such locks, nothing."""
    handle = None
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_SH)
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


def is_held(path: Path) -> bool | None:
    """Whether anybody holds a file; None where the system cannot tell."""
    if fcntl is None:
        return None
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        for _ in range(_TRIES):
            try:
                hold(handle)
            except BlockingIOError:
                time.sleep(_PAUSE)  # it may be another one that asks
            else:
                return False
    except OSError:  # some network drives have no locks
        return None
    finally:
        os.close(handle)
    return True
