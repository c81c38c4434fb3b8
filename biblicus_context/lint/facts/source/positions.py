"""The place in the file of a character of a text, for every way to write a text in YAML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from biblicus_context.lint.facts.project.plan import Plan
from biblicus_context.reading.yaml.tree import Place

_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")
_ESCAPED = re.compile(
    r"(?P<plain>[^\\\"]+)|\\(?:x(?P<x>.{2})|u(?P<u>.{4})|U(?P<U>.{8})|(?P<sign>.))|(?P<end>[\\\"])"
)
_SIGNS = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "\t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
}
_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_BLANK = " \n\t"


class _Run(NamedTuple):
    """Characters that are the same in the file and in the text."""

    place: Place
    text: str


def place_in(lines: Sequence[str], start: Place, text: str, offset: int) -> Place:
    """The place of character `offset` of the text that begins at `start`.

    The runs of characters in the file are matched with the text one after the other; between two
    runs there is only white space, which YAML folds. Returns `start` where they do not match.

    >>> tuple(place_in(["content: |", "  one", "  two"], Place(1, 10), "one\\ntwo", 5))
    (3, 4)
    """
    found = start
    at = 0
    for run in _runs(lines, start):
        while at < len(text) and not _agree(text, at, run.text):
            if text[at] not in _BLANK:
                return start
            at += 1
        if at > offset:
            return found if offset < at - 1 and found is not start else run.place
        line, column = run.place
        if offset < at + len(run.text):
            return Place(line, column + offset - at)
        found = Place(line, column + len(run.text))
        at += len(run.text)
        if at >= len(text):
            break
    return found


def place_at(plan: Plan, offset: int) -> Place:
    """The place in the file of a character of `plan.text`."""
    text = plan.text
    breaks = list(_LINE_BREAK.finditer(text, 0, offset))
    begins = breaks[-1].end() if breaks else 0
    return Place(plan.document.tree.first_line + len(breaks), offset - begins + 1)


def _agree(text: str, at: int, run: str) -> bool:
    """Whether the text continues with the run, or ends inside it."""
    return text.startswith(run, at) or run.startswith(text[at:].rstrip(_BLANK) or "\0")


def _runs(lines: Sequence[str], start: Place) -> Iterator[_Run]:
    line, column = start
    first = lines[line - 1]
    begin = _PROPERTIES.match(first, column - 1)
    begins = begin.end() if begin else column - 1
    sign = first[begins : begins + 1]
    if sign in ("|", ">"):
        yield from _whole_lines(lines, line + 1)
    elif sign == '"':
        yield from _double_quoted(lines, Place(line, begins + 2))
    elif sign == "'":
        yield from _single_quoted(lines, Place(line, begins + 2))
    else:
        yield from _stripped(first[begins:], Place(line, begins + 1))
        yield from _whole_lines(lines, line + 1)


def _whole_lines(lines: Sequence[str], first: int) -> Iterator[_Run]:
    for number in range(first, len(lines) + 1):
        yield from _stripped(lines[number - 1], Place(number, 1))


def _stripped(text: str, place: Place) -> Iterator[_Run]:
    body = text.strip()
    if body:
        line, column = place
        yield _Run(Place(line, column + text.index(body)), body)


def _single_quoted(lines: Sequence[str], start: Place) -> Iterator[_Run]:
    for place, text in _from(lines, start):
        line, column = place
        for part in re.finditer(r"[^']+|''|'", text):
            if part[0] == "'":
                return
            run = part[0].replace("''", "'")
            yield from _stripped(run, Place(line, column + part.start()))


def _double_quoted(lines: Sequence[str], start: Place) -> Iterator[_Run]:
    for place, text in _from(lines, start):
        line, column = place
        for part in _ESCAPED.finditer(text):
            if part["end"] == '"':
                return
            here = Place(line, column + part.start())
            if part["plain"]:
                yield from _stripped(part["plain"], here)
            elif part["end"] is None:
                yield from _stripped(_unescaped(part), here)


def _unescaped(part: re.Match[str]) -> str:
    digits = part["x"] or part["u"] or part["U"]
    return chr(int(digits, 16)) if digits else _SIGNS.get(part["sign"], part["sign"])


def _from(lines: Sequence[str], start: Place) -> Iterator[tuple[Place, str]]:
    line, column = start
    yield start, lines[line - 1][column - 1 :]
    for number in range(line + 1, len(lines) + 1):
        yield Place(number, 1), lines[number - 1]
