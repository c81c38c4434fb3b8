"""The linter: paths and settings in, a report out."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from biblicus_context.errors import LoadError, ProjectError
from biblicus_context.lint.engine.crew import Crew, jobs_for
from biblicus_context.lint.engine.desk import Task
from biblicus_context.lint.engine.finding import Finding
from biblicus_context.lint.engine.name_slips import name_slips
from biblicus_context.lint.engine.report import Report
from biblicus_context.lint.engine.rule_book import RuleBook, rule_book
from biblicus_context.lint.engine.scope import Group, Scope, scope
from biblicus_context.lint.engine.selection import Selection, selection
from biblicus_context.lint.engine.settings import Settings
from biblicus_context.lint.engine.settling import settled
from biblicus_context.lint.engine.slips import Slip, slip_of
from biblicus_context.lint.engine.survey import Survey
from biblicus_context.lint.facts.project.cycles import endless
from biblicus_context.lint.facts.project.python_names import model_table


def lint(
    paths: Iterable[Path],
    settings: Settings | None = None,
    *,
    jobs: int | None = None,
    book: RuleBook | None = None,
) -> Report:
    """What the rules find in these files and folders; the same for any number of `jobs`.

    Raises ContextError where the settings are wrong, or where not one file can be read.
    """
    with _without_collector():
        return _lint(paths, settings or Settings(), jobs, book or rule_book())


@contextmanager
def _without_collector() -> Iterator[None]:
    """What is read lives until the report is made; looking for garbage takes as long as the rules."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _lint(paths: Iterable[Path], settings: Settings, jobs: int | None, book: RuleBook) -> Report:
    started = perf_counter()
    chosen = selection(book.rules, settings)
    model_table(settings.known)  # where it is wrong, that is told before anything is read
    found = scope(paths, settings)
    looked = _looked_at(found, settings, chosen, jobs)
    _refuse_nothing(looked.given)
    told = _told(looked, chosen, book)
    concerned = {finding.file for finding in told}
    return Report(
        findings=tuple(told),
        rules=chosen.rules,
        files=tuple(each.file for each in looked.given if each.is_read),
        documents=sum(len(each.entries) for each in looked.given),
        seconds=perf_counter() - started,
        texts={each.file: each.text for each in looked.given if each.file in concerned},
        notices=book.notices,
    )


class _Looked(NamedTuple):
    """What became of the files that were given."""

    given: Sequence[Survey]
    name_slips: Sequence[Slip]
    findings: Sequence[Finding]
    partly: frozenset[str]
    """Files in which rules were not held against every document."""


def _looked_at(found: Scope, settings: Settings, chosen: Selection, jobs: int | None) -> _Looked:
    """Every file read, its project's names resolved, and the rules held against it."""
    files = [*dict.fromkeys(chain(*((*each.around, *each.given) for each in found.groups)))]
    slips: list[Slip] = []
    findings: list[Finding] = []
    partly: set[str] = set()
    with Crew(jobs_for(len(files), chosen.rules, jobs)) as crew:
        surveys = dict(zip(files, crew.survey(files), strict=True))
        for group in found.groups:
            slips += name_slips(group, surveys, settings.known)
            task = _task(group, surveys, settings, chosen)
            findings += crew.check(task)
            partly |= task.files if task.endless else set()
    given = [surveys[file] for group in found.groups for file in group.given]
    partly |= {each.file for each in given if each.slips}
    return _Looked([*_unusable(found.problems), *given], slips, findings, frozenset(partly))


def _task(
    group: Group, surveys: Mapping[Path, Survey], settings: Settings, chosen: Selection
) -> Task:
    files = [*group.given, *group.around]
    entries = [entry for file in files for entry in surveys[file].entries]
    left_out = endless(entry.outline for entry in entries)
    return Task(
        frozenset(map(str, group.given)),
        [each for each in entries if each.kind != "context" or each.name not in left_out],
        left_out,
        settings,
        chosen.rules,
        is_whole=not left_out and not any(surveys[file].slips for file in files),
    )


def _unusable(problems: Iterable[LoadError]) -> Iterator[Survey]:
    """Folders in which there is nothing to read."""
    for problem in problems:
        yield Survey(problem.file, is_read=False, slips=[slip_of(problem)])


def _refuse_nothing(given: Sequence[Survey]) -> None:
    """Raises the reasons where no file could be read."""
    if any(each.is_read for each in given):
        return
    problems = [
        LoadError(slip.remark.problem, file=slip.file, fix=slip.remark.advice)
        for each in given
        for slip in each.slips
    ]
    if len(problems) == 1:
        raise problems[0]
    if problems:
        raise ProjectError(problems)


def _told(looked: _Looked, chosen: Selection, book: RuleBook) -> list[Finding]:
    """All findings that are told, in the order of files, lines, columns and codes."""
    by_file: dict[str, list[Finding]] = {each.file: [] for each in looked.given}
    slips = (slip for each in looked.given for slip in each.slips)
    of_reader = (
        book.by_selector[slip.mistake].found(slip.file, slip.remark)
        for slip in chain(slips, looked.name_slips)
        if slip.file in by_file
    )
    for finding in chain(of_reader, looked.findings):
        by_file[finding.file].append(finding)
    told = (
        finding
        for each in looked.given
        for finding in settled(
            each, by_file[each.file], chosen, book, is_whole=each.file not in looked.partly
        )
    )
    return sorted(told, key=lambda each: (each.file, each.remark.place, each.code))
