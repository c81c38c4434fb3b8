"""What rankings keep between two searches: one memory for all stores of a process, with one limit."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final, NamedTuple, Protocol, TypeVar, cast

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


Value = TypeVar("Value")
Large = TypeVar("Large", bound=Sized)


class _Kept(NamedTuple):
    value: object
    nbytes: int


class RankingMemory:
    """Values by key, the least recently used forgotten first; keys begin with what they belong to.

    A large value that is in use stays with who uses it, whether or not it is remembered.
    """

    def __init__(self, mebibytes: int = MEBIBYTES) -> None:
        self._kept = self._new(mebibytes)

    def limit(self, mebibytes: int) -> None:
        """Begin again with another limit."""
        self._kept = self._new(mebibytes)

    def get(self, key: Hashable) -> object | None:
        """A value that is remembered."""
        kept = self._kept.get(key)
        return None if kept is None else kept.value

    def put(self, key: Hashable, value: Sized) -> None:
        """Remember a value in place of an older one."""
        self._kept.put(key, _Kept(value, value.nbytes))

    def note(self, key: Hashable, value: int) -> None:
        """Remember a number."""
        self._kept.put(key, _Kept(value, 32))

    def sized(self, key: Hashable, compute: Callable[[], Large]) -> Large:
        """A value, computed if it is not remembered."""

        def made() -> _Kept:
            value = compute()
            return _Kept(value, value.nbytes)

        return cast("Large", self._kept.get_or_compute(key, made).value)

    def small(self, key: Hashable, compute: Callable[[], Value], nbytes: int) -> Value:
        """The same for a value whose size is known."""
        return cast("Value", self._kept.get_or_compute(key, lambda: _Kept(compute(), nbytes)).value)

    @property
    def nbytes(self) -> int:
        """Bytes that are taken."""
        return self._kept.size

    @staticmethod
    def _new(mebibytes: int) -> BoundedMemory[Hashable, _Kept]:
        if isinstance(mebibytes, bool) or not isinstance(mebibytes, int) or mebibytes < 0:
            raise InputError("a number of MiB from 0 on is expected", found=mebibytes)
        return BoundedMemory(
            mebibytes * _MEBIBYTE, lambda _, kept: kept.nbytes + _BYTES_OF_AN_ENTRY
        )


MEMORY: Final = RankingMemory()
"""Of this process."""


def limit_memory(mebibytes: int) -> None:
    """How much memory the searches of all stores of this process may keep, in MiB (default: 256).

    What is forgotten is computed again when it is needed. Embeddings that are mapped from files next
    to an index do not count.
    """
    MEMORY.limit(mebibytes)
