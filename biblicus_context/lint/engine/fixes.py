"""The fixes of findings, applied to a text or to the files of a report."""

from __future__ import annotations

import re
from bisect import bisect_right, insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from biblicus_context.base.paths import resolved
from biblicus_context.base.rewrite import replace_file
from biblicus_context.errors import LoadError
from biblicus_context.lint.engine.finding import Edit, Finding
from biblicus_context.lint.engine.report import LintReport
from biblicus_context.lint.engine.unified import Cut, edited, unified
from biblicus_context.reading.files import read_plan
from biblicus_context.reading.yaml.documents import read_trees
from biblicus_context.reading.yaml.tree import Place, Tree

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_BYTE_ORDER_MARK = "\ufeff"
_MOST_READINGS = 64


@dataclass(frozen=True, slots=True)
class FixedText:
    """A text after its fixes, the edits that were made, and the findings that were fixed."""

    text: str
    cuts: tuple[Cut, ...]
    applied: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class FileFix:
    """A file before its fixes, and the edits that make them."""

    file: str
    before: str
    cuts: tuple[Cut, ...]
    applied: tuple[Finding, ...]
    roots: tuple[Path, ...] = ()
    """The paths that were checked; nothing outside them is written."""

    @property
    def diff(self) -> str:
        """The change as a unified diff, which `patch` can apply."""
        return unified(self.file, self.before, self.cuts)

    def write(self) -> None:
        """Replace the file atomically; raises LoadError for a link that leads out of the roots."""
        target = resolved(Path(self.file))
        if self.roots and not any(map(target.is_relative_to, map(_folder, self.roots))):
            raise LoadError(
                f"the file is a link to {target}, outside the paths that are checked",
                file=self.file,
                fix="Pass the path of the file itself to fix it.",
            )
        # From here on the resolved path is used, so a link made meanwhile is replaced, not followed.
        replace_file(target, self.before.encode(), edited(self.before, self.cuts).encode())


def file_fixes(report: LintReport) -> Iterator[FileFix]:
    """The fixes of every file that has any.

    Raises LoadError for a file that has changed since it was checked.
    """
    for file, findings in groupby(report.findings, attrgetter("file")):
        fixable = [finding for finding in findings if finding.edits]
        fix = _file_fix(file, report, fixable) if fixable else None
        if fix and fix.applied:
            yield fix


def apply_fixes(text: str, findings: Iterable[Finding]) -> FixedText:
    """Apply every fix after which the text still holds the same documents.

    Where the fixes of two findings touch, only the first is applied; the next run fixes the other.
    """
    starts = _line_starts(text)
    fixes: list[_Fix] = []
    done: list[Cut] = []
    for finding in findings:
        cuts = [_cut(edit, starts) for edit in finding.edits]
        if cuts and not any(_touches(cut, done) for cut in cuts):
            fixes.append(_Fix(finding, cuts))
            for cut in cuts:
                insort(done, cut)
    sound = list(_Sound(text).among(fixes))
    made = tuple(cut for fix in sound for cut in fix.cuts)
    return FixedText(edited(text, made), made, tuple(fix.finding for fix in sound))


class _Fix(NamedTuple):
    finding: Finding
    cuts: Sequence[Cut]


class _Sound:
    """Finds the fixes after which YAML still reads the same documents.

    A rule works out its edit from one document; reading the result again is what keeps an edit from
    changing the rest of the file. All are tried at once, then halves, and a file is read a bounded
    number of times: what is left then waits for the next run.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._documents = _documents(text)
        self._readings = _MOST_READINGS
        self._kept: list[Cut] = []

    def among(self, fixes: Sequence[_Fix]) -> Iterator[_Fix]:
        """The sound ones, in their order."""
        if not fixes or not self._readings:
            return
        self._readings -= 1
        tried = [*self._kept, *(cut for fix in fixes for cut in fix.cuts)]
        if _documents(edited(self._text, tried)) == self._documents:
            self._kept = tried
            yield from fixes
        elif len(fixes) > 1:
            half = len(fixes) // 2
            yield from self.among(fixes[:half])
            yield from self.among(fixes[half:])


def _file_fix(file: str, report: LintReport, findings: list[Finding]) -> FileFix:
    text = report.texts[file]
    current = read_plan(Path(file)).decode("utf-8", errors="replace")
    if current.removeprefix(_BYTE_ORDER_MARK) != text:
        raise LoadError("the file has changed since it was checked", file=file, fix="Run it again.")
    result = apply_fixes(text, findings)
    # Places are counted without the mark, which has to stay in the file.
    mark = len(current) - len(text)
    cuts = (Cut(cut.start + mark, cut.end + mark, cut.text) for cut in result.cuts)
    return FileFix(file, current, tuple(cuts), result.applied, report.roots)


def _folder(root: Path) -> Path:
    """The folder whose files may change; a file that was passed by name stays in its own."""
    return resolved(root) if root.is_dir() else resolved(root.parent)


def _cut(edit: Edit, starts: Sequence[int]) -> Cut:
    return Cut(_offset(edit.start, starts), _offset(edit.end, starts), edit.text)


def _touches(cut: Cut, done: Sequence[Cut]) -> bool:
    """Whether a cut overlaps one that is done, or begins where it ends; `done` is sorted."""
    after = bisect_right(done, cut.end, key=attrgetter("start"))
    return any(cut.start <= other.end for other in done[max(0, after - 2) : after])


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
