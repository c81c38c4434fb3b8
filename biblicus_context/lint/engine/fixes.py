"""The fixes of findings, applied to a text or to the files of a report."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from biblicus_context.base.rewrite import replace_file
from biblicus_context.errors import LoadError
from biblicus_context.lint.engine.finding import Edit, Finding
from biblicus_context.lint.engine.report import LintReport
from biblicus_context.reading.files import read_plan
from biblicus_context.reading.yaml.documents import read_trees
from biblicus_context.reading.yaml.tree import Place, Tree

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_BYTE_ORDER_MARK = "\ufeff"
_NO_END = "\\ No newline at end of file\n"


@dataclass(frozen=True, slots=True)
class FixedText:
    """A text after its fixes, and the findings that were fixed."""

    text: str
    applied: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class FileFix:
    """A file before and after its fixes."""

    file: str
    before: str
    after: str
    applied: tuple[Finding, ...]

    @property
    def diff(self) -> str:
        """The change as a unified diff, which `patch` can apply."""
        lines = unified_diff(
            self.before.splitlines(keepends=True),
            self.after.splitlines(keepends=True),
            fromfile=self.file,
            tofile=self.file,
        )
        return "".join(line if line.endswith("\n") else f"{line}\n{_NO_END}" for line in lines)

    def write(self) -> None:
        """Replace the file atomically."""
        replace_file(Path(self.file), self.before.encode(), self.after.encode())


def file_fixes(report: LintReport) -> Iterator[FileFix]:
    """The fixes of every file that has any.

    Raises LoadError for a file that has changed since it was checked.
    """
    for file, findings in groupby(report.findings, attrgetter("file")):
        fixable = [finding for finding in findings if finding.edits]
        fix = _file_fix(file, report.texts[file], fixable) if fixable else None
        if fix and fix.applied:
            yield fix


def apply_fixes(text: str, findings: Iterable[Finding]) -> FixedText:
    """Apply every fix after which the text still holds the same documents.

    Where the fixes of two findings touch, only the first is applied; the next run fixes the other.
    """
    starts = _line_starts(text)
    documents = _documents(text)
    applied: list[Finding] = []
    done: list[_Cut] = []
    for finding in findings:
        cuts = [_Cut.of(edit, starts) for edit in finding.edits]
        if not cuts or any(cut.touches(other) for cut in cuts for other in done):
            continue
        # A rule works out its edit from one document. Reading the result again is what keeps an
        # edit from changing how YAML reads the rest of the file.
        if _documents(_edited(text, [*done, *cuts])) == documents:
            done += cuts
            applied.append(finding)
    return FixedText(_edited(text, done), tuple(applied))


def _file_fix(file: str, text: str, findings: list[Finding]) -> FileFix:
    current = read_plan(Path(file)).decode("utf-8", errors="replace")
    if current.removeprefix(_BYTE_ORDER_MARK) != text:
        raise LoadError("the file has changed since it was checked", file=file, fix="Run it again.")
    # Places are counted without the mark, which has to stay in the file.
    mark = _BYTE_ORDER_MARK if current.startswith(_BYTE_ORDER_MARK) else ""
    result = apply_fixes(text, findings)
    return FileFix(file, mark + text, mark + result.text, result.applied)


@dataclass(frozen=True, slots=True, order=True)
class _Cut:
    start: int
    end: int
    text: str

    @classmethod
    def of(cls, edit: Edit, starts: Sequence[int]) -> _Cut:
        return cls(_offset(edit.start, starts), _offset(edit.end, starts), edit.text)

    def touches(self, other: _Cut) -> bool:
        return self.start <= other.end and other.start <= self.end


def _edited(text: str, cuts: Sequence[_Cut]) -> str:
    for cut in sorted(cuts, reverse=True):  # from the end, so that earlier offsets stay valid
        text = text[: cut.start] + cut.text + text[cut.end :]
    return text


def _line_starts(text: str) -> list[int]:
    return [match.start() for match in _LINE.finditer(text)]


def _offset(place: Place, starts: Sequence[int]) -> int:
    return starts[place.line - 1] + place.column - 1


def _documents(text: str) -> list[str]:
    """The name of each document, or the problem of one that cannot be read."""
    return [
        str(tree.at(["name"]).value) if isinstance(tree, Tree) else tree.problem
        for tree in read_trees(text, "")
    ]
