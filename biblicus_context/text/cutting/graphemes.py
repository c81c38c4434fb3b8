"""Graphemes: what a reader sees as one character, such as a flag or a letter with accents."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from regex import Pattern  # type: ignore[import-untyped]

_REACHES: Final = (8, 64)
"""Characters to look back for the start of a grapheme; a longer one is cut anywhere.

Without a limit a text of accents only would take quadratic time. Real graphemes are much shorter:
Unicode's Stream-Safe Text Format allows at most 30 marks on one letter.
"""

_CONTEXT: Final = 1024
"""Characters before these that the pattern sees: it counts the letters of flags from the first one."""


def boundary_before(text: str, index: int) -> int:
    """The largest grapheme boundary up to `index`.

    >>> boundary_before("e\\u0301", 1), boundary_before("ab", 1)
    (0, 1)
    """
    if index <= 0:
        return 0
    if index >= len(text):
        return len(text)
    left, right = text[index - 1], text[index]
    if left < "\x80" and right < "\x80":
        return index - 1 if left == "\r" and right == "\n" else index
    return _last_boundary(text, index)


def boundary_after(text: str, index: int) -> int:
    """The smallest grapheme boundary from `index` on.

    >>> boundary_after("e\\u0301x", 1)
    2
    """
    start = boundary_before(text, index)
    if start >= index:
        return start
    match = _grapheme().match(text[start : index + _REACHES[-1]])
    return start + match.end() if match else len(text)


def _last_boundary(text: str, index: int) -> int:
    # The pattern looks back beyond its start, so the end of every match is a boundary,
    # but the place itself need not be one: then the search starts further back.
    begin = max(0, index - _REACHES[-1] - _CONTEXT)
    seen = text[begin : index + 1]
    for reach in _REACHES:
        start = max(0, index - reach - begin)
        found = start
        for match in _grapheme().finditer(seen, start):
            found = match.start()
        if found > start or begin + start == 0:
            return begin + found
    return index


@cache
def _grapheme() -> Pattern[str]:
    import regex  # loaded only for text that is not ASCII

    return regex.compile(r"\X")
