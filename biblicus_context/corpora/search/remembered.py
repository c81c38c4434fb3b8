"""What a retriever keeps between two pages: the version it reads, and the ranking it pages through."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Final, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")
_MOST: Final = 64


class Remembered(Generic[K, V]):
    """The values used last, by key; safe to use from several threads.

    >>> last = Remembered[str, int](most=1)
    >>> last.put("a", 1); last.put("b", 2)
    >>> last.get("a"), last.get("b")
    (None, 2)
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        """The value, if it is still known."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key]

    def once(self, key: K, make: Callable[[], V]) -> V:
        """The value, made now if it is not known; threads that ask at once get the same one."""
        with self._lock:
            if key not in self._values:
                return self._kept(key, make())
            self._values.move_to_end(key)
            return self._values[key]

    def forget(self, key: K) -> None:
        """Let go of a value."""
        with self._lock:
            self._values.pop(key, None)

    def put(self, key: K, value: V) -> None:
        """Keep a value, and let go of the one not used for longest."""
        with self._lock:
            self._kept(key, value)

    def _kept(self, key: K, value: V) -> V:
        self._values[key] = value
        self._values.move_to_end(key)
        if len(self._values) > self._most:
            self._values.popitem(last=False)
        return value
