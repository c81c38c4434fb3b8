"""Answers of this process, remembered by what they depend on, as long as they fit."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Memory(Generic[Value]):
    """Values by key, the least recently used forgotten first once they take too many bytes.

    A key names everything a value depends on: the version and whose eyes see it among them.
    """

    def __init__(self, size: Callable[[Value], int], most_bytes: int) -> None:
        self._size = size
        self._most_bytes = most_bytes
        self._bytes = 0
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, compute: Callable[[], Value]) -> Value:
        """The value of a key, computed where it is not remembered."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = compute()
        with self._lock:
            if key not in self._values:
                self._values[key] = value
                self._bytes += self._size(value)
            while self._bytes > self._most_bytes:
                _, dropped = self._values.popitem(last=False)
                self._bytes -= self._size(dropped)
        return value
