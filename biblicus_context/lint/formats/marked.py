"""The end of what a finding marks in its line: a key, a text, or a list or mapping on one line."""

from __future__ import annotations

import re
from typing import Final

_LONGEST: Final = 1_000
"""Of a longer line only so many characters are looked at on each side."""
_WORD: Final = re.compile(r"[\w.\-]+|\S")
_QUOTED: Final = re.compile(r"""'(?:[^']|'')*'|"(?:[^"\\]|\\.)*\"""")
_PLAIN: Final = re.compile(r"(?:[^\s:#]|:(?=\S)|(?<=\S)#|[ \t]+(?=[^\s#]))+")
_PLAIN_IN_FLOW: Final = re.compile(
    r"(?:[^\s:#,\[\]{}]|:(?=[^\s,\]}])|(?<=\S)#|[ \t]+(?=[^\s#,\]}]))+"
)
_PIECE: Final = re.compile(r"""'(?:[^']|'')*'|"(?:[^"\\]|\\.)*"|[\[\]{}]|\s\#""")


def end_of_mark(line: str, start: int, found: str | None) -> int:
    """The end of the text that was found, or of the value or key at the place.

    >>> line = 'config: {root: 5, include: ["*.md", a b], hidden: no}'
    >>> [line[start:end_of_mark(line, start, None)] for start in (0, 8, 18, 27, 28, 36)]
    ['config', '{root: 5, include: ["*.md", a b], hidden: no}', 'include', '["*.md", a b]', '"*.md"', 'a b']
    """
    if found and line.startswith(found, start):
        return start + len(found)
    first = max(0, start - _LONGEST)
    near, at = line[first : start + _LONGEST], start - first
    end = _whole(near, at) if _begins_value(near, at) else None
    if end is None:
        word = _WORD.match(near, at)
        end = word.end() if word else at + 1
    return first + end


def _begins_value(line: str, start: int) -> bool:
    before = line[:start].rstrip()
    return not before or (before[-1] in "-:,[{?" and (before != line[:start] or before[-1] in "[{"))


def _whole(line: str, start: int) -> int | None:
    sign = line[start : start + 1]
    if sign in ("{", "["):
        return _end_of_brackets(line, start)
    pattern = _QUOTED if sign in ("'", '"') else _PLAIN_IN_FLOW if _in_flow(line, start) else _PLAIN
    match = pattern.match(line, start)
    return match.end() if match else None


def _in_flow(line: str, start: int) -> bool:
    depth = 0
    for piece in _PIECE.finditer(line, 0, start):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(piece[0], 0)
    return depth > 0


def _end_of_brackets(line: str, start: int) -> int | None:
    """Where the bracket is closed; the end of the line if it is closed in a later one."""
    depth = 0
    for piece in _PIECE.finditer(line, start):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(piece[0], 0)
        if depth == 0:
            return piece.end()
        if piece[0].endswith("#"):
            return len(line[: piece.start()].rstrip())
    return len(line.rstrip())
