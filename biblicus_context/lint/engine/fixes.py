"""The safe edits of findings, carried out on a file's text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import unified_diff

from biblicus_context.lint.engine.finding import Edit, Finding
from biblicus_context.reading.yaml.documents import read_trees
from biblicus_context.reading.yaml.tree import Place, Tree

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


@dataclass(frozen=True, slots=True)
class Fixed:
    """A file's text with its findings put right, and those of them that were."""

    text: str
    applied: tuple[Finding, ...]


def fixed(text: str, findings: Iterable[Finding]) -> Fixed:
    """The text with every edit made that leaves a file which can still be read as before.

    Where the edits of two findings touch, the first one is made; the next run sees to the other.
    """
    starts = _line_starts(text)
    documents = _documents(text)
    applied: list[Finding] = []
    done: list[_Cut] = []
    for finding in findings:
        cuts = [_Cut.of(edit, starts) for edit in finding.remark.edits]
        if not cuts or any(cut.touches(other) for cut in cuts for other in done):
            continue
        if _documents(_edited(text, [*done, *cuts])) == documents:
            done += cuts
            applied.append(finding)
    return Fixed(_edited(text, done), tuple(applied))


def difference(file: str, before: str, after: str) -> str:
    """What changed, as `patch` reads it."""
    lines = unified_diff(
        before.splitlines(keepends=True),
        after.splitlines(keepends=True),
        fromfile=file,
        tofile=file,
    )
    return "".join(line if line.endswith("\n") else f"{line}\n{_NO_END}" for line in lines)


_NO_END = "\\ No newline at end of file\n"


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
    for cut in sorted(cuts, reverse=True):
        text = text[: cut.start] + cut.text + text[cut.end :]
    return text


def _line_starts(text: str) -> list[int]:
    return [match.start() for match in _LINE.finditer(text)]


def _offset(place: Place, starts: Sequence[int]) -> int:
    return starts[place.line - 1] + place.column - 1


def _documents(text: str) -> list[str]:
    """The names in a file in order; something that cannot be read has its error's name."""
    return [
        str(found.at(["name"]).value) if isinstance(found, Tree) else found.problem
        for found in read_trees(text, "")
    ]
