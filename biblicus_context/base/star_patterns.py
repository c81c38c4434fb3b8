"""Patterns over keys in which only `*` has a meaning."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Final

_SIGNS: Final = re.compile(r"[?\[]")
"""Of `fnmatch`, besides the star; questions and names of threads have them."""


def matching(keys: Iterable[str], pattern: str) -> list[str]:
    """The keys that match a pattern, in which `*` is any text and all else stands for itself.

    >>> matching(["notes[1]/When?", "notes1/When?"], "notes[1]*")
    ['notes[1]/When?']
    """
    start, star, rest = pattern.partition("*")
    if star and not rest:  # most are: much faster than a pattern
        return [key for key in keys if key.startswith(start)]
    literal = _SIGNS.sub(r"[\g<0>]", pattern)
    return [key for key in keys if fnmatchcase(key, literal)]
