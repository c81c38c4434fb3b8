"""What rankings keep between two searches: one memory for all stores of a process, with one limit."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Final, Protocol, TypeVar

from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.errors import InputError

MEBIBYTES: Final = 256
"""Enough for what some fifty searches of a corpus of 100,000 blocks need; all of it can be read again."""
_MEBIBYTE: Final = 1024 * 1024
_BYTES_OF_AN_ENTRY: Final = 600
"""What a key and a value take besides their content."""


class Sized(Protocol):
    """A value that says how large it is."""

    @property
    def nbytes(self) -> int: ...


Large = TypeVar("Large", bound=Sized)


class RankingMemory:
    """Values by key, the least recently used forgotten first; keys begin with what they belong to.

    A large value that is in use stays with who uses it, whether or not it is remembered.
    """

    get: Callable[[Hashable], Any]
    """A value that is remembered, or None."""

    def __init__(self, mebibytes: int = MEBIBYTES) -> None:
        self.limit(mebibytes)

    def limit(self, mebibytes: int) -> None:
        """Begin again with another limit."""
        self._kept = self._new(mebibytes)
        self.get = self._kept.get  # each word of each search asks several times

    def put(self, key: Hashable, value: Sized) -> None:
        """Remember a value in place of an older one."""
        self._kept.put(key, value, value.nbytes + _BYTES_OF_AN_ENTRY)

    def note(self, key: Hashable, value: object, nbytes: int = 32) -> None:
        """Remember a number, or a few of them."""
        self._kept.put(key, value, nbytes + _BYTES_OF_AN_ENTRY)

    def sized(self, key: Hashable, compute: Callable[[], Large]) -> Large:
        """A value, computed if it is not remembered."""
        known: Large | None = self._kept.get(key)
        if known is not None:
            return known
        value = compute()
        found: Large = self._kept.first(key, value, value.nbytes + _BYTES_OF_AN_ENTRY)
        return found

    @property
    def nbytes(self) -> int:
        """Bytes that are taken."""
        return self._kept.size

    @staticmethod
    def _new(mebibytes: int) -> BoundedMemory[Hashable, Any]:
        if isinstance(mebibytes, bool) or not isinstance(mebibytes, int) or mebibytes < 0:
            raise InputError("a number of MiB from 0 on is expected", found=mebibytes)
        return BoundedMemory(mebibytes * _MEBIBYTE)


MEMORY: Final = RankingMemory()
"""Of this process."""


def limit_memory(mebibytes: int) -> None:
    """How much memory the searches of all stores of this process may keep, in MiB (default: 256).

    What is forgotten is computed again when it is needed. Embeddings that are mapped from files next
    to an index do not count.
    """
    MEMORY.limit(mebibytes)
