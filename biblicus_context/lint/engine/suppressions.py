"""Comments that allow what a rule finds: `# lint: allow BC601 the date is wanted here`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from biblicus_context.reading.yaml.documents import WrittenText, written_texts
from biblicus_context.reading.yaml.tree import Place

MAX_ALLOWANCES = 1_000
"""Comments of one file that are heeded."""

_SIGN = "lint:"
_COMMENT = re.compile(r"(?<![^ \t\r\n])#[ \t]*lint:(?P<said>[^\r\n]*)")
_ALLOW = re.compile(
    r"\s*(?P<verb>allow-file|allow)\s+"
    r"(?P<selectors>[\w-]+(?:\s*,\s*[\w-]+)*)(?:\s*:)?(?:\s+(?P<reason>.*))?"
)
_SAID_FURTHER = re.compile(r"\s#.*")
_BLOCKS = ("|", ">")
_LINE_BREAK = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Allowance:
    """One comment: which rules it is about, why, and for which lines."""

    place: Place
    selectors: tuple[str, ...]
    """Codes or names; none where the comment could not be understood."""
    reason: str
    lines: range | None
    """None: all lines of the file."""
    stretch: tuple[Place, Place]
    """What has to go for the comment to go: end exclusive."""

    def covers(self, line: int) -> bool:
        """Whether a finding in this line is meant."""
        return self.lines is None or line in self.lines


def allowances(text: str) -> list[Allowance]:
    """The comments of a file that allow something, in order.

    >>> allowance, = allowances("name: x  # lint: allow BC601, BC602 for now\\n")
    >>> allowance.selectors, allowance.reason, allowance.lines
    (('BC601', 'BC602'), 'for now', range(1, 2))
    """
    return list(islice(_allowances(text), MAX_ALLOWANCES)) if _SIGN in text else []


class _Page(NamedTuple):
    """A file's lines, and where the texts in them stand."""

    lines: Sequence[str]
    starts: Sequence[int]
    texts: Sequence[WrittenText]
    below: Sequence[int]
    """For each line the next one that holds more than a comment, if there is one."""

    def place(self, offset: int) -> Place:
        line = bisect_right(self.starts, offset)
        return Place(line, offset - self.starts[line - 1] + 1)

    def is_comment(self, place: Place) -> bool:
        """Whether what stands there is outside of every text, or behind the sign of a block."""
        before = bisect_right(self.texts, place, key=lambda text: text.start) - 1
        if before < 0 or self.texts[before].end <= place:
            return True
        return self.texts[before].style in _BLOCKS and self.texts[before].start.line == place.line

    def with_texts(self, line: int) -> range:
        """A line together with the text that begins or ends in it."""
        first = last = line
        for text in self._around(line):
            last_of_text = text.end.line - (text.end.column == 1)
            if line in (text.start.line, last_of_text):
                first, last = min(first, text.start.line), max(last, last_of_text)
        return range(first, last + 1)

    def _around(self, line: int) -> Sequence[WrittenText]:
        begin = bisect_right(self.texts, Place(line, 0), key=lambda text: text.start)
        end = bisect_right(self.texts, Place(line + 1, 0), key=lambda text: text.start)
        return self.texts[max(0, begin - 1) : end]


def _allowances(text: str) -> Iterator[Allowance]:
    comments = list(_COMMENT.finditer(text))
    if not comments:
        return
    lines = _LINE_BREAK.split(text)
    starts = [0, *(match.end() for match in _LINE_BREAK.finditer(text))]
    page = _Page(lines, starts, list(written_texts(text, near=_SIGN)), _content_below(lines))
    for comment in comments:
        place = page.place(comment.start())
        if page.is_comment(place):
            yield _allowance(comment["said"], place, page)


def _allowance(said: str, place: Place, page: _Page) -> Allowance:
    line = page.lines[place.line - 1]
    alone = not line[: place.column - 1].strip()
    understood = _ALLOW.fullmatch(_SAID_FURTHER.sub("", said).rstrip())
    if understood is None:
        return Allowance(place, (), "", range(0), (place, place))
    lines = page.with_texts(page.below[place.line - 1] if alone else place.line)
    return Allowance(
        place,
        tuple(re.split(r"\s*,\s*", understood["selectors"])),
        (understood["reason"] or "").strip(),
        None if understood["verb"] == "allow-file" else lines,
        _stretch(line, place, alone=alone, further="#" in said),
    )


def _stretch(line: str, place: Place, *, alone: bool, further: bool) -> tuple[Place, Place]:
    """The comment and what goes with it; nothing where another comment stands behind it."""
    if further:
        return place, place
    if alone:
        return Place(place.line, 1), Place(place.line + 1, 1)
    before = len(line[: place.column - 1].rstrip())
    return Place(place.line, before + 1), Place(place.line, len(line) + 1)


def _content_below(lines: Sequence[str]) -> list[int]:
    below: list[int] = []
    content = len(lines)
    for number in range(len(lines), 0, -1):
        below.append(content)
        if lines[number - 1].strip() and not lines[number - 1].lstrip().startswith("#"):
            content = number
    return below[::-1]
