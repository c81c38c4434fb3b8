"""The command `test`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import NoReturn

import typer

from biblicus_context.base.visible import one_line, visible
from biblicus_context.base.watching import state_of, wait_for_change
from biblicus_context.cli.input.projects import plan_paths
from biblicus_context.cli.options.checking import GoldenTestArguments, OutcomeFormat
from biblicus_context.cli.output.terminal import can_say, console, width, write, write_json
from biblicus_context.cli.output.verbosity import is_quiet
from biblicus_context.errors import InputError
from biblicus_context.golden import GoldenOptions, GoldenReport, run_tests
from biblicus_context.golden.formats import json, junit
from biblicus_context.golden.formats.text import lines
from biblicus_context.reading.files import belongs_to_tests
from biblicus_context.reading.text_files import text_files_of

_FAILED, _COULD_NOT_RUN = 1, 2
_STYLES = {
    "plain": "",
    "bold": "bold",
    "faint": "bright_black",
    "good": "green",
    "bad": "red",
    "doubtful": "yellow",
}


def test(args: GoldenTestArguments) -> None:
    chosen = list(plan_paths(args.paths))
    options = GoldenOptions(update=args.update, filter=args.only, fail_fast=args.fail_fast)
    if args.watch:
        _watch(chosen, options, args.outcome)
    report = _run(chosen, options, args.outcome)
    if args.only and not report.could_not_run and not any(report.counts.values()):
        raise InputError("no case has this text in its name or file path", found=args.only)
    if report.could_not_run or report.failed:
        raise typer.Exit(_COULD_NOT_RUN if report.could_not_run else _FAILED)


def _run(paths: list[Path], options: GoldenOptions, outcome: OutcomeFormat) -> GoldenReport:

    report = run_tests(paths, options)
    match outcome:
        case OutcomeFormat.TEXT:
            if not is_quiet() or report.failed or report.could_not_run:
                _tell(report)
        case OutcomeFormat.JSON:
            write_json(json.document(report))
        case OutcomeFormat.JUNIT:
            text = junit.render(report)
            write(text if can_say(text) else text.encode("ascii", "xmlcharrefreplace").decode())
    return report


def _tell(report: GoldenReport) -> None:

    rows = lines(report, width())
    if not sys.stdout.isatty() and "FORCE_COLOR" not in os.environ:
        for row in rows:
            write(one_line(row.text))  # a line in a log of CI may be an instruction
        return
    from rich.text import Text  # only for colours

    screen = console()
    for row in rows:
        screen.print(Text(visible(row.text), _STYLES[row.tone]), soft_wrap=True)


def _watch(paths: list[Path], options: GoldenOptions, outcome: OutcomeFormat) -> NoReturn:
    """Run, wait for a change, and run again; Ctrl-C ends it."""

    watched: set[str] = _with_texts(map(str, paths))
    while True:
        before = state_of(watched)
        report = _run(paths, options, outcome)
        sys.stdout.flush()
        read = _with_texts(each for file in report.files for each in file.reads)
        # What changed while the tests ran must be seen, so older states go before newer ones.
        before = {**state_of(read), **before}
        watched |= read
        wait_for_change(partial(state_of, watched), before)
        console().clear()


def _with_texts(paths: Iterable[str]) -> set[str]:
    """These files and folders, and the files that plans in them take texts from."""
    given = set(paths)
    plans = (Path(each) for each in given if not belongs_to_tests(Path(each)))
    return given.union(map(str, text_files_of(plans)))
