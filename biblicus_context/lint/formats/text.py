"""A report for people: each finding with its place, its line and what to do."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from biblicus_context.base.visible import one_line
from biblicus_context.lint.engine.finding import Finding, Severity
from biblicus_context.lint.engine.report import LintReport
from biblicus_context.lint.formats.frame import framed

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
    frame = framed(lines, finding, style.width)
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
