"""A deadline that everything below a call knows: retrievers, embedders, and the drivers that call them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_UNTIL: Final = ContextVar[float | None]("the moment at which nobody waits any more", default=None)


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """What runs inside, also in threads and tasks that it starts, has so many seconds at most.

    Calls to retrievers that wait are given up then, and none is begun any more. A deadline inside
    another one cannot be later.

    >>> with deadline(2.0), deadline(60.0):
    ...     (remaining() or 0) <= 2.0
    True
    >>> remaining() is None
    True
    """
    until, before = time.monotonic() + seconds, _UNTIL.get()
    token = _UNTIL.set(until if before is None else min(until, before))
    try:
        yield
    finally:
        _UNTIL.reset(token)


def remaining() -> float | None:
    """Seconds that are left, not below 0; None without a deadline."""
    until = _UNTIL.get()
    return None if until is None else max(0.0, until - time.monotonic())


def at_most(seconds: float) -> float:
    """These seconds, or those that are left if they are fewer.

    >>> at_most(30.0)
    30.0
    """
    left = remaining()
    return seconds if left is None else min(seconds, left)
