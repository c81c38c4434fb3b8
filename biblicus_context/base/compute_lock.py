"""A place for work that only computes: threads that compute go one after another.

The interpreter runs one thread at a time. Searches that run side by side take it from each other at every
statement of SQL and every large array, hundreds of times each, and move from one core to the other: five of
them take a third more of the processor, and end no earlier, than the same five in turn.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final, TypeVar

from biblicus_context.base.forks import child_lock

T = TypeVar("T")

_PATIENCE: Final = 0.5
"""Seconds for which work keeps its place: one long search delays the others by no more than this."""


class _Place:
    """What one thread has at a time, for as long as it computes and no longer than `_PATIENCE`.

    Not a lock with a limit for those who wait: with many threads all of them would give up at once,
    and then compute side by side.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition(child_lock())
        self._holder: int | None = None
        self._until = 0.0

    def enter(self) -> bool:
        """Take the place, once it is free or was held long enough; False if this thread has it already."""
        me = threading.get_ident()
        with self._changed:
            if self._holder == me:
                return False
            while self._holder is not None and (left := self._until - time.monotonic()) > 0:
                self._changed.wait(left)
            self._holder, self._until = me, time.monotonic() + _PATIENCE
        return True

    def leave(self) -> None:
        """Let the next one in, unless another thread took the place meanwhile."""
        with self._changed:
            if self._holder == threading.get_ident():
                self._holder = None
                self._changed.notify()


_PLACE: Final = _Place()


def one_at_a_time(work: Callable[[], T]) -> T:
    """Do work that only computes when no other such work is being done, or only some that takes long.

    >>> one_at_a_time(lambda: 6 * 7)
    42
    """
    entered = _PLACE.enter()
    try:
        return work()
    finally:
        if entered:
            _PLACE.leave()
