"""A memory of limited size."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

from biblicus_context.base.forks import child_lock

if TYPE_CHECKING:
    from collections.abc import Callable

K = TypeVar("K")
V = TypeVar("V")


class BoundedMemory(Generic[K, V]):
    """Values by key; the least recently used are forgotten first. Threads may share it.

    The limit is a number of entries, or the sum of what `size_of` returns for each. None means that
    nothing is remembered: a computed None is computed again each time.

    >>> memory = BoundedMemory[str, int](1)
    >>> memory.put("a", 1); memory.put("b", 2)
    >>> memory.get("a"), memory.get("b")
    (None, 2)
    """

    def __init__(self, limit: int, size_of: Callable[[K, V], int] | None = None) -> None:
        self._limit = limit
        self._size_of = size_of
        self._size = 0
        self._entries: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = child_lock()

    def get(self, key: K) -> V | None:
        """The value of a key, or None if it is not remembered."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def get_or_compute(self, key: K, compute: Callable[[], V]) -> V:
        """The value of a key, computed if it is not remembered."""
        known = self.get(key)
        if known is not None:
            return known
        # Not under the lock: it may take long, and it may use this memory itself.
        return self.first(key, compute())

    def first(self, key: K, value: V, size: int | None = None) -> V:
        """The value of a key, which is this one if none is remembered.

        So threads that compute it at the same time all have the same.
        """
        with self._lock:
            entry = self._entries.get(key)
            if entry is not None:
                return entry[0]
            self._keep(key, value, size)
        return value

    def put(self, key: K, value: V, size: int | None = None) -> None:
        """Remember a value, in place of an older one; a value above the limit is not kept.

        A known `size` need not be computed.
        """
        with self._lock:
            if key in self._entries:
                self._drop(key)
            self._keep(key, value, size)

    @property
    def size(self) -> int:
        """What all values take together."""
        return self._size

    def remembered(self) -> list[K]:
        """The keys that are remembered, the least recently used first."""
        with self._lock:
            return [*self._entries]

    def forget(self, key: K) -> None:
        """Remove a value if it is remembered."""
        with self._lock:
            self._drop(key)

    def _keep(self, key: K, value: V, size: int | None) -> None:
        if size is None:
            size = 1 if self._size_of is None else self._size_of(key, value)
        if size > self._limit:
            return
        self._entries[key] = value, size
        self._size += size
        while self._size > self._limit:
            _, (_, dropped) = self._entries.popitem(last=False)
            self._size -= dropped

    def _drop(self, key: K) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._size -= entry[1]
