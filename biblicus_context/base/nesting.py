"""How deep data of a caller may be nested."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Final, cast

from biblicus_context.errors import InputError

MOST_LEVELS: Final = 100
"""Python copies and compares nested data by recursion: much deeper data would end its stack."""
MOST_HOLDERS: Final = 1_000_000
"""Lists and mappings. In Python one may be in many places: a hundred levels can hold 2 ** 100 of them."""
TOO_DEEP: Final = (
    f"this is nested too deeply: {MOST_LEVELS} levels and {MOST_HOLDERS:,} lists are the most"
)
_LEAVES: Final = frozenset({str, int, float, bool, type(None)})


def is_too_deep(value: object) -> bool:
    """Whether a value is nested deeper than that, or holds more; a cycle does.

    >>> is_too_deep([[1]]), is_too_deep(eval("[" * 90 + "]" * 90)), is_too_deep([is_too_deep])
    (False, False, False)
    """
    level, holders = [value], 0
    for _ in range(MOST_LEVELS + 1):
        # Level by level: no recursion, and what all levels hold together is looked at once.
        held = (item for holder in level for item in _held(holder) if type(item) not in _LEAVES)
        level = [*islice(held, MOST_HOLDERS)]
        holders += len(level)
        if not level:
            return False
        if holders >= MOST_HOLDERS:
            return True
    return True


def _held(holder: object) -> Iterable[object]:
    kind = type(holder)
    if kind is dict or (kind not in (list, tuple) and isinstance(holder, Mapping)):
        return cast("Mapping[object, object]", holder).values()
    return cast("Iterable[object]", holder) if isinstance(holder, list | tuple) else ()


def refuse_too_deep(value: object, place: str) -> None:
    """Refuse a value that is nested too deeply."""
    if is_too_deep(value):
        raise InputError(TOO_DEEP, place=place)
