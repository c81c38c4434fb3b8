"""How much one rendering may do: the characters and items that it reads and writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

MOST_WORK: Final = 20_000_000
"""Characters that one rendering reads and writes: seconds of work, and more than any model takes."""
ITEM: Final = 20
"""What an item of a list, or an operation, costs in characters."""
_PLAIN: Final = frozenset({str, int, float, bool, type(None)})


class TooMuchWorkError(Exception):
    """A template reads or writes more than a rendering may."""

    fix: Final = "Pass shorter lists and texts, or repeat less in the template."

    def __init__(self) -> None:
        super().__init__(
            f"the template reads or writes more than {MOST_WORK:,} characters "
            f"(an item of a list counts as {ITEM})"
        )


class _Work:
    """What is left for one rendering."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = MOST_WORK

    def spend(self, amount: int) -> None:
        self.left -= amount
        if self.left < 0:
            raise TooMuchWorkError


_WORK: Final = ContextVar[_Work]("work of a rendering")


@contextmanager
def bounded_work() -> Iterator[None]:
    """Whatever templates do inside is counted, and ends with TooMuchWorkError if it is too much."""
    token = _WORK.set(_Work())
    try:
        yield
    finally:
        _WORK.reset(token)


def spend(amount: int) -> None:
    """Count this much."""
    _WORK.get().spend(amount)


def spend_on(value: object) -> None:
    """Count all that a value holds, as a filter does that reads it.

    What a list holds twice counts twice, as it is written twice; so walking it costs no more than
    what is counted, also where lists of lists hold each other exponentially often.
    """
    work = _WORK.get()
    if type(value) in _PLAIN:  # most values are, and asking for abstract classes takes longer
        work.spend(ITEM + (len(value) if isinstance(value, str) else 0))
        return
    waiting = [value]
    while waiting:
        each = waiting.pop()
        work.spend(ITEM)
        if isinstance(each, str | bytes):
            work.spend(len(each))
        elif isinstance(each, Mapping):
            work.spend(ITEM * len(each))
            waiting += each.keys()
            waiting += each.values()
        elif isinstance(each, Sequence | Set):
            work.spend(ITEM * len(each))
            waiting += each


def spend_on_items(value: object) -> None:
    """Count the items of a value, as a filter does that only passes them on."""
    if isinstance(value, Mapping | Sequence | Set):
        spend(ITEM * len(value))


def spending(items: Iterable[object], each: int = ITEM) -> Iterator[object]:
    """The same items; each is counted when it is used, so an endless row ends with an error."""
    work = _WORK.get()
    for item in items:
        work.spend(each)
        yield item
