"""The line of a finding and the one before, with a mark below the finding."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from biblicus_context.base.visible import one_line
from biblicus_context.lint.engine.finding import Finding
from biblicus_context.lint.formats.marked import end_of_mark

_CUT = "…"
_TAB = "    "
_LEAST = 20


class FrameLine(NamedTuple):
    """One printed line: its margin, its text, and whether that is the mark."""

    margin: str
    text: str
    mark: bool = False


_FARTHEST = 8
"""Of a long line, this many times the width is looked at on each side: signs may have no width."""


def framed(lines: Sequence[str], finding: Finding, width: int) -> Iterator[FrameLine]:
    """The line before, the line itself and the mark; empty where the file has no such line."""
    number, column = finding.place
    if number > len(lines):
        return
    gutter = len(str(number))
    room = max(width - gutter - 5, _LEAST)
    if number > 1 and lines[number - 2].strip():
        yield FrameLine(f"  {number - 1:{gutter}} | ", _shown(lines[number - 2], 0, room))
    line = lines[number - 1]
    start = min(column - 1, len(line))
    # A finding far to the right is scrolled into view.
    is_far = start > _FARTHEST * room or _width(line[: start + 1]) > room - 10
    first = max(0, start - room // 2) if is_far else 0
    yield FrameLine(f"  {number} | ", _shown(line, first, room))
    before = _width(_shown_start(line, first, start))
    end = min(end_of_mark(line, start, finding.found), start + room)
    length = max(1, min(_width(line[start:end]), room - before))
    yield FrameLine(f"  {'':{gutter}} | ", f"{' ' * before}{'^' * length}", mark=True)


def _shown_start(line: str, first: int, start: int) -> str:
    return f"{_CUT if first else ''}{line[first:start]}"


def _shown(line: str, first: int, room: int) -> str:
    """The part of a line that fits, without control characters."""
    text = f"{_CUT if first else ''}{line[first : first + _FARTHEST * room]}".rstrip()
    kept: list[str] = []
    used = 0
    for sign in text:
        used += _columns(sign)
        if used > room:
            return "".join(kept[:-1]) + _CUT
        kept.append(_drawn(sign))
    return "".join(kept)


def _drawn(sign: str) -> str:
    if sign == "\t":
        return _TAB
    return "\ufffd" if unicodedata.category(sign) == "Cs" else one_line(sign)


def _width(text: str) -> int:
    """Columns in a terminal, where East Asian signs take two and accents none."""
    return sum(map(_columns, text))


def _columns(sign: str) -> int:
    drawn = _drawn(sign)
    if drawn != sign:
        return len(drawn)
    if unicodedata.combining(sign) or unicodedata.category(sign) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1
