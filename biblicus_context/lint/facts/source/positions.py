"""The place in the file of a character of a text, for every way to write a text in YAML."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
_QUOTED = re.compile(r"[^']+|''|'")
_BLANK = " \n\t"


class _Run(NamedTuple):
    """Characters that are the same in the file and in the text."""

    place: Place
    text: str


def place_in(lines: Sequence[str], start: Place, text: str, offset: int) -> Place:
    """The place of character `offset` of the text that begins at `start`.

    >>> tuple(place_in(["content: |", "  one", "  two"], Place(1, 10), "one\\ntwo", 5))
    (3, 4)
    """
    return LocatedText.of(lines, start, text).place(offset)


def place_at(plan: Plan, offset: int) -> Place:
    """The place in the file of a character of `plan.text`."""
    line = bisect_right(plan.line_starts, offset)
    return Place(plan.document.tree.first_line + line - 1, offset - plan.line_starts[line - 1] + 1)


@dataclass(frozen=True, slots=True)
class LocatedText:
    """A text and its place in the file: runs of characters that are the same in both.

    Between two runs there is only white space, which YAML folds. It is worked out once for all
    findings in a text, so that many findings cost no more than one.
    """

    start: Place
    offsets: Sequence[int]
    """Where each run begins in the text."""
    runs: Sequence[_Run]
    is_whole: bool
    """Whether the runs match the text to its end."""

    @classmethod
    def of(cls, lines: Sequence[str], start: Place, text: str) -> LocatedText:
        """Match the runs of characters in the file with the text, one after the other."""
        offsets: list[int] = []
        runs: list[_Run] = []
        at, end = 0, len(text.rstrip(_BLANK))
        for run in _runs(lines, start, len(text)):
            at = _skip_blank(text, at)
            if at < len(text) and not _agree(text, at, end, run.text):
                return cls(start, offsets, runs, is_whole=False)
            offsets.append(at)
            runs.append(run)
            at += len(run.text)
            if at >= len(text):
                break
        return cls(start, offsets, runs, is_whole=True)

    def place(self, offset: int) -> Place:
        """The place of a character; `start` where the file does not match the text."""
        at = bisect_right(self.offsets, offset) - 1
        if at >= 0:
            (line, column), run = self.runs[at]
            column += min(offset - self.offsets[at], len(run))
            if offset < self.offsets[at] + len(run):
                return Place(line, column)
        if at + 1 == len(self.runs):
            return Place(line, column) if at >= 0 and self.is_whole else self.start
        # White space before a run is at the end of the line before, its last character at the run.
        if at >= 0 and offset < self.offsets[at + 1] - 1:
            return Place(line, column)
        return self.runs[at + 1].place


def _skip_blank(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANK:
        at += 1
    return at


def _agree(text: str, at: int, end: int, run: str) -> bool:
    """Whether the text continues with the run, or ends inside it."""
    return text.startswith(run, at) or (end - at <= len(run) and run.startswith(text[at:end]))


def _runs(lines: Sequence[str], start: Place, most: int) -> Iterator[_Run]:
    """The runs from a place on; a line may hold many texts, so of the first `most` is read."""
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
        yield from _stripped(first[begins : begins + most], Place(line, begins + 1))
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
    for line, text, begin in _from(lines, start):
        for part in _QUOTED.finditer(text, begin):
            if part[0] == "'":
                return
            run = part[0].replace("''", "'")
            yield from _stripped(run, Place(line, part.start() + 1))


def _double_quoted(lines: Sequence[str], start: Place) -> Iterator[_Run]:
    for line, text, begin in _from(lines, start):
        for part in _ESCAPED.finditer(text, begin):
            if part["end"] == '"':
                return
            here = Place(line, part.start() + 1)
            if part["plain"]:
                yield from _stripped(part["plain"], here)
            elif part["end"] is None:
                yield from _stripped(_unescaped(part), here)


def _unescaped(part: re.Match[str]) -> str:
    digits = part["x"] or part["u"] or part["U"]
    return chr(int(digits, 16)) if digits else _SIGNS.get(part["sign"], part["sign"])


def _from(lines: Sequence[str], start: Place) -> Iterator[tuple[int, str, int]]:
    """The lines from a place on, each with its number and where it is read from."""
    line, column = start
    yield line, lines[line - 1], column - 1
    for number in range(line + 1, len(lines) + 1):
        yield number, lines[number - 1], 0
