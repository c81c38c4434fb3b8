"""A report for people: every file, each expectation that does not hold, its place, and what was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, TypeAlias

from biblicus_context.assembly.result.explain import explanation
from biblicus_context.golden.report import (
    FileReport,
    GoldenReport,
    Status,
    UnmetExpectation,
    Verdict,
)

Tone: TypeAlias = Literal["plain", "bold", "faint", "good", "bad", "doubtful"]


class StyledLine(NamedTuple):
    """One line, and how it is meant."""

    text: str
    tone: Tone = "plain"


def lines(report: GoldenReport, width: int) -> Iterator[StyledLine]:
    """All files, then how many cases there are of which kind."""
    told: set[str] = set()
    for file in report.files:
        yield from _file(file, width)
        yield from _troubles(file, told)
    for orphan in report.orphans:
        yield StyledLine(f"obsolete {orphan}: its tests no longer exist; delete it", "doubtful")
    yield StyledLine(_summary(report), "bad" if report.failed or report.could_not_run else "good")


def _file(file: FileReport, width: int) -> Iterator[StyledLine]:
    if file.verdicts:
        yield StyledLine(f"{file.file}: {_listed(file.counts)}", "bold")
    for verdict in file.verdicts:
        yield from _verdict(file.file, verdict, width)
    for said, names in (
        ("wrote snapshot", file.written),
        ("removed snapshot", file.removed),
        ("obsolete snapshot", file.obsolete),
    ):
        for name in names:
            yield StyledLine(f"  {said}: {name}", "doubtful")


def _troubles(file: FileReport, told: set[str]) -> Iterator[StyledLine]:
    """Why a file could not be run; mistakes in plans are reported once for all their tests."""
    if file.troubles:
        yield StyledLine(f"{file.file}: could not be run", "bold")
    for text in dict.fromkeys(trouble.text for trouble in file.troubles):
        yield StyledLine(f"  error: {text}" if text not in told else "  error: as above", "bad")
    told.update(trouble.text for trouble in file.troubles)


def _verdict(file: str, verdict: Verdict, width: int) -> Iterator[StyledLine]:
    if verdict.status == "skipped":
        yield StyledLine(f"  skipped: {verdict.name}: {verdict.reason}", "doubtful")
    for trouble in verdict.troubles:
        yield StyledLine(f"  error: {verdict.name}", "bad")
        yield StyledLine(f"    {trouble.text}")
    if verdict.status == "failed":
        yield StyledLine(f"  failed: {verdict.name}", "bad")
        for failure in verdict.failures:
            yield from failure_lines(file, failure)
        explains = any(each.expectation != "expect.snapshot" for each in verdict.failures)
        if verdict.receipt is not None and explains:
            yield StyledLine("")
            table = explanation(verdict.receipt, width - 4)
            yield from (StyledLine(f"    {row}", "faint") for row in table.splitlines())
        yield StyledLine("")


def failure_lines(file: str, failure: UnmetExpectation) -> Iterator[StyledLine]:
    """One expectation that does not hold."""
    place = f"{file}:{failure.line}:{failure.column}"
    turn = f" (turn {failure.turn})" if failure.turn else ""
    yield StyledLine(f"    {place} {failure.expectation}{turn}: {failure.problem}")
    if failure.expected is not None:
        yield StyledLine(f"      expected: {failure.expected}")
    if failure.found is not None:
        yield StyledLine(f"      found:    {failure.found}")
    for row in failure.diff:
        yield StyledLine(f"      {row}", _DIFF_TONES.get(row[:1], "faint"))


_DIFF_TONES: Mapping[str, Tone] = {"-": "bad", "+": "good"}
_WORDS: Mapping[Status, str] = {
    "passed": "passed",
    "failed": "failed",
    "error": "could not be run",
    "skipped": "skipped",
}


def _summary(report: GoldenReport) -> str:
    unread = sum(bool(file.troubles) for file in report.files)
    listed = _listed(report.counts) or "no cases"
    beside = {
        "file that could not be run": unread,
        "case not selected": sum(file.deselected for file in report.files),
        "snapshot written": sum(len(file.written) for file in report.files),
    }
    said = [_plural(count, noun) for noun, count in beside.items() if count]
    return "; ".join([listed, *said])


def _listed(counts: Mapping[Status, int]) -> str:
    said = (f"{count:,} {_WORDS[status]}" for status, count in counts.items() if count)
    return ", ".join(said)


def _plural(count: int, noun: str) -> str:
    first, _, rest = noun.partition(" ")
    return f"{count:,} {first if count == 1 else f'{first}s'} {rest}"
