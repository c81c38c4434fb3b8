"""The names that an error about an unknown one lists."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from functools import lru_cache

from biblicus_context.errors import MOST_LISTED, nearest

_MOST_COMPARED = 100
"""Of more names, only so many before and after a wrong one in the alphabet are compared with it."""


def sorted_names(names: Collection[str]) -> tuple[str, ...]:
    """Names in the order of the alphabet; sorted once for all errors that list the same set."""
    return _sorted(frozenset(names))


@lru_cache(maxsize=32)
def _sorted(names: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(names))


def listed(name: str, known: Sequence[str]) -> tuple[str, ...]:
    """The sorted names that an error about `name` lists: all, or the nearest and the first ones."""
    if len(known) <= MOST_LISTED:
        return tuple(known)
    near = bisect_left(known, name)
    around = known[max(0, near - _MOST_COMPARED) : near + _MOST_COMPARED]
    guess = nearest(name, around)
    return (*filter(None, [guess]), *known[:MOST_LISTED], "...")
