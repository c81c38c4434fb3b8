"""All files of tests, run: in this process or in several, told in the order of their names."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import groupby
from multiprocessing.synchronize import Event
from pathlib import Path

from biblicus_context.errors import LoadError
from biblicus_context.golden.playing.portion import Played, Portion, play_portion
from biblicus_context.golden.playing.projects import Projects
from biblicus_context.golden.playing.report import FileReport, Report, troubles_of
from biblicus_context.golden.snapshots.files import orphans, read_snapshots
from biblicus_context.golden.suite.options import Options
from biblicus_context.reading.files import golden_files

_DEFAULTS = Options()


def run_tests(paths: Iterable[str | os.PathLike[str]], options: Options = _DEFAULTS) -> Report:
    """Run the golden tests in these files and folders.

    A file that cannot be read is told in the report, and never stops the others.
    """
    began = time.perf_counter()
    found = list(golden_files(paths))
    files = [each for each in found if isinstance(each, Path)]
    missing = [each for each in found if isinstance(each, LoadError)]
    played = _in_processes(files, options) if options.jobs > 1 else _here(files, options)
    reports = [
        _reported(file, [each for _, each in portions], options)
        for file, portions in groupby(played, key=lambda pair: pair[0])
    ]
    reports += (FileReport(error.file, troubles=troubles_of(error)) for error in missing)
    folders = sorted({file.parent for file in files})
    return Report(
        tuple(reports),
        orphans=tuple(str(file) for folder in folders for file in orphans(folder)),
        seconds=time.perf_counter() - began,
    )


def _here(files: Sequence[Path], options: Options) -> Iterator[tuple[Path, Played]]:
    projects = Projects()
    for file in files:
        played = play_portion(Portion(file), options, projects)
        yield file, played
        if options.fail_fast and not played.passed:
            return


def _in_processes(files: Sequence[Path], options: Options) -> Iterator[tuple[Path, Played]]:
    """The same, whoever is ready first: portions are told in their order, and none after a stop."""
    parts = -(-options.jobs // max(1, len(files)))
    portions = [Portion(file, number, parts) for file in files for number in range(parts)]
    over = multiprocessing.Event()
    pool = ProcessPoolExecutor(options.jobs, initializer=_Worker.begin, initargs=(over,))
    try:
        futures = [pool.submit(_Worker.play, portion, options) for portion in portions]
        for portion, future in zip(portions, futures, strict=True):
            played = future.result()
            yield portion.file, played
            if options.fail_fast and not played.passed:
                return
    finally:
        over.set()
        pool.shutdown(cancel_futures=True)


class _Worker:
    """What a process of the pool knows."""

    over: Event

    @classmethod
    def begin(cls, over: Event) -> None:
        """Ctrl-C reaches every process of a terminal; it is the first one that ends the run."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        cls.over = over

    @classmethod
    def play(cls, portion: Portion, options: Options) -> Played:
        """Play a portion until the run is over."""
        return play_portion(portion, options, is_over=cls.over.is_set)


def _reported(file: Path, portions: Sequence[Played], options: Options) -> FileReport:
    report = FileReport(
        str(file),
        verdicts=tuple(verdict for played in portions for verdict in played.verdicts),
        troubles=portions[0].troubles,
        deselected=sum(played.deselected for played in portions),
        reads=tuple(dict.fromkeys(each for played in portions for each in played.reads)),
    )
    if report.troubles:
        return report
    return _with_snapshots(file, report, portions[0].snapshots, options)


def _with_snapshots(
    file: Path, report: FileReport, wanted: Sequence[str], options: Options
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
