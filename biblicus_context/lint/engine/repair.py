"""The safe edits of a report, carried out on its files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from biblicus_context.base.rewrite import replace_file
from biblicus_context.errors import LoadError
from biblicus_context.lint.engine.finding import Finding
from biblicus_context.lint.engine.fixes import difference, fixed
from biblicus_context.lint.engine.report import Report
from biblicus_context.reading.files import read_plan

_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Repair:
    """A file as it is and as it should be."""

    file: str
    before: str
    after: str
    applied: tuple[Finding, ...]

    @property
    def difference(self) -> str:
        """What changes, as `patch` reads it."""
        return difference(self.file, self.before, self.after)

    def write(self) -> None:
        """Put the new text in place of the old one, whole or not at all."""
        replace_file(Path(self.file), self.before.encode(), self.after.encode())


def repairs(report: Report) -> Iterator[Repair]:
    """Every file of a report in which something can be put right.

    Raises LoadError for a file that has changed since it was checked.
    """
    for file, findings in groupby(report.findings, attrgetter("file")):
        repairable = [finding for finding in findings if finding.remark.edits]
        repair = _repair(file, report.texts[file], repairable) if repairable else None
        if repair and repair.applied:
            yield repair


def _repair(file: str, text: str, findings: list[Finding]) -> Repair:
    written = read_plan(Path(file)).decode("utf-8", errors="replace")
    if written.removeprefix(_MARK) != text:
        raise LoadError("the file has changed since it was checked", file=file, fix="Run it again.")
    mark = _MARK if written.startswith(_MARK) else ""
    done = fixed(text, findings)
    return Repair(file, mark + text, mark + done.text, done.applied)
