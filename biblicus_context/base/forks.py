"""A fork waits until no other thread is inside a store or a search, and finds all other locks open.

A child gets the memory of its parent but only the thread that forked: a lock that another thread held,
in Python or inside SQLite, would never be released in the child. So who forks waits for the others to
leave, and they wait at the door meanwhile. What a child does about connections is in pool.py.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, Lock, get_ident, local
from typing import Final
from weakref import WeakSet

_PATIENCE: Final = 10.0
"""Seconds that a fork waits; a write may wait for another process that long and longer."""


class _OfThread(local):
    acts_for: int | None = None


_OWN: Final = _OfThread()


def act_for(thread: int) -> None:
    """From now on this thread does what it does for another one, which waits for it.

    It must not wait at the door for a fork that waits for the other to leave.
    """
    _OWN.acts_for = thread


def _me() -> int:
    return _OWN.acts_for or get_ident()


class ForkGate:
    """Counts the threads that are inside."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._inside: Counter[int] = Counter()
        self._forking = 0

    @contextmanager
    def inside(self) -> Iterator[None]:
        """No fork happens meanwhile, unless this thread itself forks."""
        me = _me()
        with self._changed:
            if not self._inside[me]:
                self._changed.wait_for(lambda: not self._forking)
            self._inside[me] += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside[me] -= 1
                if not self._inside[me]:
                    del self._inside[me]
                if self._forking:
                    self._changed.notify_all()

    def before_fork(self) -> None:
        """Wait until the others have left, and keep them out."""
        me = _me()
        self._changed.acquire()  # held across the fork, so that both sides see whole counts
        self._forking += 1
        self._changed.wait_for(lambda: not {*self._inside} - {me}, timeout=_PATIENCE)

    def after_in_parent(self) -> None:
        """Let the others in again."""
        self._forking -= 1
        self._changed.notify_all()
        self._changed.release()

    def after_in_child(self) -> None:
        """Begin again, with the one thread that is left."""
        me = _me()
        mine = self._inside[me]
        self._changed, self._forking = Condition(), 0
        self._inside = Counter({me: mine} if mine else {})


_LOCKS: Final = WeakSet[Lock]()


def child_lock() -> Lock:
    """A lock that is open in a child, whoever held it in the parent.

    For what is sound after any statement, such as a cache: another thread may have been in the middle.
    """
    lock = Lock()
    _LOCKS.add(lock)
    return lock


def _open_locks() -> None:
    for lock in _LOCKS:
        lock._at_fork_reinit()  # type: ignore[attr-defined] # as the standard library does


GATE: Final = ForkGate()
"""Shared by all stores of a process: some of SQLite's locks are, too."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=GATE.before_fork,
        after_in_parent=GATE.after_in_parent,
        after_in_child=GATE.after_in_child,
    )
    os.register_at_fork(after_in_child=_open_locks)
