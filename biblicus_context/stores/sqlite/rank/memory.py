"""Answers of this process, remembered by what they depend on, as long as they fit."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Final, Generic, TypeVar

Value = TypeVar("Value")

_BYTES_OF_AN_ENTRY: Final = 512
"""What a key and a value take beside what is in them."""
_BYTES_OF_A_CHARACTER: Final = 8
"""Of a key as it is written: short texts are mostly what surrounds them."""


class Memory(Generic[Value]):
    """Values by key, the least recently used forgotten first once they take too many bytes.

    A key names everything a value depends on: the version and whose eyes see it among them. It counts
    as well, since a query of rare words has long keys and next to nothing as values.
    """

    def __init__(self, size: Callable[[Value], int], most_bytes: int) -> None:
        self._size = size
        self._most_bytes = most_bytes
        self._bytes = 0
        self._values: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, compute: Callable[[], Value]) -> Value:
        """The value of a key, computed where it is not remembered."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key][0]
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
