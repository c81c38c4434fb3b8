"""Runs all files of golden tests, in the order of their names."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from biblicus_context.base.doors import door
from biblicus_context.errors import InputError, LoadError
from biblicus_context.golden.report import FileReport, GoldenReport, troubles_of
from biblicus_context.golden.running.file_run import GoldenOptions, PlayedFile, play_file
from biblicus_context.golden.running.projects import Projects
from biblicus_context.golden.snapshots.snapshot_file import orphans, read_snapshots
from biblicus_context.reading.files import golden_files

_DEFAULTS = GoldenOptions()


@door
def run_tests(
    paths: Iterable[str | os.PathLike[str]], options: GoldenOptions = _DEFAULTS
) -> GoldenReport:
    """Run the golden tests in these files and folders.

    A file that cannot be read is reported, and the others still run.
    """
    if isinstance(paths, str):  # it would be taken for its letters
        raise InputError("a list of paths is expected", place="paths", found=paths)
    began = time.perf_counter()
    found = list(golden_files(paths))
    files = [each for each in found if isinstance(each, Path)]
    missing = [each for each in found if isinstance(each, LoadError)]
    reports = [_reported(file, played, options) for file, played in _played(files, options)]
    reports += (FileReport(error.file, troubles=troubles_of(error)) for error in missing)
    # `isdir` is False, not an error, for a path that no folder can have.
    folders = sorted(folder for folder in {file.parent for file in files} if os.path.isdir(folder))
    return GoldenReport(
        tuple(reports),
        orphans=tuple(str(file) for folder in folders for file in orphans(folder)),
        seconds=time.perf_counter() - began,
    )


def _played(files: Iterable[Path], options: GoldenOptions) -> Iterator[tuple[Path, PlayedFile]]:
    projects = Projects()
    for file in files:
        played = play_file(file, options, projects)
        yield file, played
        if options.fail_fast and not played.passed:
            return


def _reported(file: Path, played: PlayedFile, options: GoldenOptions) -> FileReport:
    report = FileReport(
        str(file),
        verdicts=played.verdicts,
        troubles=played.troubles,
        deselected=played.deselected,
        reads=played.reads,
    )
    return report if report.troubles else _with_snapshots(file, report, played.snapshots, options)


def _with_snapshots(
    file: Path, report: FileReport, wanted: Sequence[str], options: GoldenOptions
) -> FileReport:
    """The report with what became of the snapshots, which are written here if at all."""
    stored = read_snapshots(file)
    obsolete = tuple(_name(key) for key in stored.sections if key not in wanted)
    if not options.update:
        return replace(report, obsolete=obsolete)
    made = {key: text for verdict in report.verdicts for key, text in verdict.snapshots.items()}
    changed = [key for key, text in made.items() if stored.sections.get(key) != text]
    try:
        stored.write(stored.updated(made, wanted))
    except LoadError as error:
        return replace(report, troubles=troubles_of(error))
    return replace(report, written=tuple(map(_name, changed)), removed=obsolete)


def _name(key: str) -> str:
    """The name in the first line of a section."""
    said = key.removeprefix("case: ")
    return str(json.loads(said)) if said.startswith('"') else said
