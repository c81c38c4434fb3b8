"""A report for people: each finding with its place, its line and what to do."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from biblicus_context.base.visible import one_line
from biblicus_context.lint.engine.finding import Finding, Severity
from biblicus_context.lint.engine.report import LintReport

_COLOURS = {Severity.ERROR: "31", Severity.WARNING: "33", Severity.NOTE: "36"}
_BOLD, _FAINT, _CLEAN = "1", "2", "32"
_NARROWEST = 40


@dataclass(frozen=True, slots=True)
class TextStyle:
    """The width of the terminal, and whether to use colours."""

    width: int = 100
    colour: bool = False

    def paint(self, text: str, code: str) -> str:
        """The text in a colour, if colours are used."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text

    def wrapped(self, text: str, indent: str) -> str:
        """A paragraph no wider than the terminal."""
        width = max(self.width, _NARROWEST)
        lines = textwrap.wrap(
            text,
            width,
            initial_indent=indent,
            subsequent_indent=indent,
            break_on_hyphens=False,
            break_long_words=False,
        )
        return "\n".join(lines)


def render(report: LintReport, style: TextStyle | None = None, *, statistics: bool = False) -> str:
    """All findings, then their number by severity."""
    style = style or TextStyle()
    texts = {file: text.splitlines() for file, text in report.texts.items()}
    parts = [_finding(each, texts.get(each.file, ()), style) for each in report.findings]
    parts += [
        style.paint(f"warning: {one_line(notice)}", _COLOURS[Severity.WARNING])
        for notice in report.notices
    ]
    if statistics and report.findings:
        parts.append("\n".join(_statistics(report, style)))
    return "\n\n".join([*parts, _summary(report, style)])


def _finding(finding: Finding, lines: Sequence[str], style: TextStyle) -> str:
    line, column = finding.place
    place = style.paint(f"{one_line(finding.file)}:{line}:{column}", _BOLD)
    colour = _COLOURS[finding.severity]
    title = f"{place} {style.paint(f'{finding.severity} {finding.code}', colour)} {finding.name}"
    said = style.wrapped(finding.sentence, "  ")
    frame = _framed(lines, finding, style.width)
    shown = [
        f"{style.paint(each.margin, _FAINT)}{style.paint(each.text, colour) if each.mark else each.text}"
        for each in frame
    ]
    return "\n".join([title, said, *(line.rstrip() for line in shown)])


def _statistics(report: LintReport, style: TextStyle) -> Iterator[str]:
    names = {finding.code: finding.name for finding in report.findings}
    for code, count in report.statistics.items():
        yield f"{count:6,}  {style.paint(code, _BOLD)}  {names[code]}"


def _summary(report: LintReport, style: TextStyle) -> str:
    looked = f"{_counted(len(report.files), 'file')}, {_counted(report.documents, 'document')}"
    if not report.findings:
        return f"{style.paint('no findings', _CLEAN)} in {looked}"
    by_severity = ", ".join(
        _counted(count, severity)
        for severity in Severity
        if (count := sum(each.severity is severity for each in report.findings))
    )
    fixable = sum(bool(each.edits) for each in report.findings)
    hint = f"; {fixable:,} can be fixed with --fix" if fixable else ""
    return f"{by_severity} in {looked}{hint}"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


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


def _framed(lines: Sequence[str], finding: Finding, width: int) -> Iterator[FrameLine]:
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
    end = min(_end_of_mark(line, start, finding.found), start + room)
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


_LONGEST: Final = 1_000
"""Of a longer line only so many characters are looked at on each side."""
_WORD: Final = re.compile(r"[\w.\-]+|\S")
_QUOTED: Final = re.compile(r"""'(?:[^']|'')*'|"(?:[^"\\]|\\.)*\"""")
_PLAIN: Final = re.compile(r"(?:[^\s:#]|:(?=\S)|(?<=\S)#|[ \t]+(?=[^\s#]))+")
_PLAIN_IN_FLOW: Final = re.compile(
    r"(?:[^\s:#,\[\]{}]|:(?=[^\s,\]}])|(?<=\S)#|[ \t]+(?=[^\s#,\]}]))+"
)
_PIECE: Final = re.compile(r"""'(?:[^']|'')*'|"(?:[^"\\]|\\.)*"|[\[\]{}]|\s\#""")


def _end_of_mark(line: str, start: int, found: str | None) -> int:
    """The end of the text that was found, or of the value or key at the place.

    >>> line = 'config: {root: 5, include: ["*.md", a b], hidden: no}'
    >>> [line[start:_end_of_mark(line, start, None)] for start in (0, 8, 18, 27, 28, 36)]
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
