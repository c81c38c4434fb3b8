"""Rates: how many requests each caller may make in a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple, Protocol

from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.base.doors import door
from biblicus_context.base.forks import child_lock


class Taken(NamedTuple):
    """Whether a request may be made now."""

    is_allowed: bool
    remaining: int
    """Requests that could be made at once after this one."""
    retry_after: float
    """Seconds until the next one is allowed; 0 if this one is."""


class Rates(Protocol):
    """Counts requests; threads, and maybe processes, may call it at once."""

    def take(self, owner: str, key: str, *, limit: int, seconds: float) -> Taken:
        """Take one of `limit` requests that a key of an owner may make within `seconds`.

        They come back one by one, not all at once at the end of a window: a caller who used all of them
        may make the next after `seconds / limit`.
        """
        ...


@door
class MemoryRates:
    """Rates in the memory of this process, the least recently used forgotten first."""

    def __init__(
        self, entries: int = 10_000, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._full_again = BoundedMemory[tuple[str, str], float](entries)
        """When all requests of a key are there again."""
        self._clock = clock
        self._lock = child_lock()

    def take(self, owner: str, key: str, *, limit: int, seconds: float) -> Taken:
        """Take one of `limit` requests that a key of an owner may make within `seconds`."""
        with self._lock:
            now = self._clock()
            before = max(self._full_again.get((owner, key)) or now, now)
            taken, full_again = _taken(now, before, limit, seconds)
            self._full_again.put((owner, key), full_again)
            return taken


def _taken(now: float, full_again: float, limit: int, seconds: float) -> tuple[Taken, float]:
    """What a request gets, and when all of them are there again then."""
    each = seconds / limit
    after = full_again + each
    wait = after - now - seconds
    # Sums of floats: one that is late by less than a rounding error is in time.
    if wait > each * 1e-6:
        return Taken(is_allowed=False, remaining=0, retry_after=wait), full_again
    remaining = int((seconds - (after - now)) / each + 1e-6)
    return Taken(is_allowed=True, remaining=remaining, retry_after=0.0), after
