"""A lock for work that only computes: threads that compute go one after another.

The interpreter runs one thread at a time. Searches that run side by side take it from each other at every
statement of SQL and every large array, hundreds of times each, and move from one core to the other: five of
them take a third more of the processor, and end no earlier, than the same five in turn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from biblicus_context.base.forks import child_lock

T = TypeVar("T")

_PATIENCE: Final = 0.05
"""Seconds that work waits for its turn: one long search delays the others by no more than this."""
_TURN: Final = child_lock()


def one_at_a_time(work: Callable[[], T]) -> T:
    """Do work that only computes when no other such work is being done, or after waiting for a moment.

    >>> one_at_a_time(lambda: 6 * 7)
    42
    """
    has_turn = _TURN.acquire(timeout=_PATIENCE)
    try:
        return work()
    finally:
        if has_turn:
            _TURN.release()
