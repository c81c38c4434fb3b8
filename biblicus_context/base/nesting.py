"""How deep data of a caller may be nested."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, cast

from biblicus_context.errors import InputError

MOST_LEVELS: Final = 100
"""Python copies and compares nested data by recursion: much deeper data would end its stack."""
_LEAVES: Final = frozenset({str, int, float, bool, type(None)})


def is_too_deep(value: object) -> bool:
    """Whether a value is nested deeper than that; a cycle is.

    >>> is_too_deep([[1]]), is_too_deep(eval("[" * 90 + "]" * 90)), is_too_deep([is_too_deep])
    (False, False, False)
    """
    level = [value]
    for _ in range(MOST_LEVELS + 1):
        # Level by level: no recursion, and what all levels hold together is looked at once.
        level = [item for holder in level for item in _held(holder) if type(item) not in _LEAVES]
        if not level:
            return False
    return True


def _held(holder: object) -> Iterable[object]:
    kind = type(holder)
    if kind is dict or (kind not in (list, tuple) and isinstance(holder, Mapping)):
        return cast("Mapping[object, object]", holder).values()
    return cast("Iterable[object]", holder) if isinstance(holder, list | tuple) else ()


def refuse_too_deep(value: object, place: str) -> None:
    """Refuse a value that is nested too deeply."""
    if is_too_deep(value):
        raise InputError(
            f"this is nested too deeply: {MOST_LEVELS} levels are the most", place=place
        )
