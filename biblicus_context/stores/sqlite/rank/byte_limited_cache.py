"""A cache that is limited by the bytes of its keys and values."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Final, Generic, TypeVar

Value = TypeVar("Value")

_BYTES_OF_AN_ENTRY: Final = 512
"""What a key and a value take besides their contents."""
_BYTES_OF_A_CHARACTER: Final = 8
"""Of the repr of a key: a short string is mostly overhead."""


class ByteLimitedCache(Generic[Value]):
    """Values by key; the least recently used ones are dropped when all take too many bytes.

    A key names everything that its value depends on, such as the version and the principal's view.
    Keys count too: a query of rare words has long keys and almost empty values.
    """

    def __init__(self, size: Callable[[Value], int], most_bytes: int) -> None:
        self._size = size
        self._most_bytes = most_bytes
        self._bytes = 0
        self._values: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, compute: Callable[[], Value]) -> Value:
        """The value of a key, computed if it is not cached."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key][0]
        # Outside of the lock: other threads may read meanwhile, and computing twice is harmless.
        value = compute()
        size = self._size(value) + _BYTES_OF_AN_ENTRY + _BYTES_OF_A_CHARACTER * len(repr(key))
        with self._lock:
            if key not in self._values:
                self._values[key] = value, size
                self._bytes += size
            while self._bytes > self._most_bytes:
                _, (_, dropped) = self._values.popitem(last=False)
                self._bytes -= dropped
        return value
