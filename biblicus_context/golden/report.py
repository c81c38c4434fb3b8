"""The report of a run of golden tests: plain values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from biblicus_context.assembly.result.receipt import Receipt
from biblicus_context.errors import LoadError, ProjectError

Status: TypeAlias = Literal["passed", "failed", "error", "skipped"]
STATUSES: tuple[Status, ...] = get_args(Status)


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a file or a case could not be run."""

    file: str
    line: int | None
    column: int | None
    text: str
    """The whole message, its place included."""


@dataclass(frozen=True, slots=True)
class UnmetExpectation:
    """An expectation that does not hold."""

    line: int
    column: int
    expectation: str
    """Which one, such as expect.packs.handbook.kept[0]."""
    problem: str
    expected: str | None = None
    found: str | None = None
    diff: tuple[str, ...] = ()
    turn: int | None = None
    """The number of the call, from 1, where a case has several."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of one case."""

    name: str
    line: int
    column: int
    status: Status
    failures: tuple[UnmetExpectation, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    reason: str = ""
    """Why it was skipped."""
    receipt: Receipt | None = None
    """Of the call that failed, where there is one."""
    snapshots: Mapping[str, str] = field(default_factory=dict)
    """Sections that the snapshot file has to hold, by name."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class FileReport:
    """The outcome of one file."""

    file: str
    verdicts: tuple[Verdict, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    deselected: int = 0
    """Cases that the filter left out."""
    written: tuple[str, ...] = ()
    """Snapshots that were written or rewritten."""
    obsolete: tuple[str, ...] = ()
    """Snapshots that no case asks for any more."""
    removed: tuple[str, ...] = ()
    """Obsolete snapshots that were removed from the file."""
    reads: tuple[str, ...] = ()
    """Files and folders that its cases depend on."""

    @property
    def counts(self) -> Mapping[Status, int]:
        """How many cases there are of each status."""
        return _counted(self.verdicts)


@dataclass(frozen=True, slots=True)
class GoldenReport:
    """The outcome of all files."""

    files: tuple[FileReport, ...]
    orphans: tuple[str, ...] = ()
    """Snapshot files whose tests are not there any more."""
    seconds: float = 0.0

    @property
    def counts(self) -> Mapping[Status, int]:
        """How many cases there are of each status."""
        return _counted(verdict for file in self.files for verdict in file.verdicts)

    @property
    def failed(self) -> int:
        """Cases with an expectation that does not hold."""
        return self.counts["failed"]

    @property
    def could_not_run(self) -> int:
        """Files and cases that could not be run as they are written."""
        return self.counts["error"] + sum(bool(file.troubles) for file in self.files)


def _counted(verdicts: Iterable[Verdict]) -> Mapping[Status, int]:
    found = Counter(verdict.status for verdict in verdicts)
    return {status: found[status] for status in STATUSES}


def troubles_of(error: LoadError) -> tuple[Trouble, ...]:
    """An error as values: one that lists several becomes as many."""
    problems = error.problems if isinstance(error, ProjectError) else (error,)
    return tuple(Trouble(each.file, each.line, each.column, str(each)) for each in problems)
