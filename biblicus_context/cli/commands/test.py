"""The command `test`."""

# ruff: noqa: PT028 - a command of this name, not a test

from __future__ import annotations

import os
import sys
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from biblicus_context.base.visible import visible
from biblicus_context.cli.output.terminal import can_say, console, width, write, write_json
from biblicus_context.errors import InputError

if TYPE_CHECKING:
    from biblicus_context.golden import Options, Report

_FAILED, _COULD_NOT_RUN = 1, 2
_STYLES = {
    "plain": "",
    "bold": "bold",
    "faint": "bright_black",
    "good": "green",
    "bad": "red",
    "doubtful": "yellow",
}


class OutcomeFormat(StrEnum):
    """How the outcome of tests is printed."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"


def test(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATHS]...",
            show_default=False,
            help="Files of tests, or folders with *.test.yaml files. "
            "Without them: contexts/ if that is here, else this folder.",
        ),
    ] = None,
    *,
    update: Annotated[
        bool, typer.Option("--update", help="Write snapshots instead of comparing them.")
    ] = False,
    only: Annotated[
        str,
        typer.Option(
            "--filter",
            metavar="TEXT",
            show_default=False,
            help="Only cases with this text in their name or in the path of their file.",
        ),
    ] = "",
    outcome: Annotated[
        OutcomeFormat,
        typer.Option("--format", help="For reading, as one JSON document, or as JUnit XML."),
    ] = OutcomeFormat.TEXT,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="Stop at the first case that does not pass.")
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Run again whenever a file changes, until Ctrl-C.")
    ] = False,
) -> None:
    """Run golden tests: cases in YAML that say what contexts come to.

    The exit status is 0 where everything holds, 1 where something does not, and 2 where something
    could not be run.

    Examples:
      biblicus-context test
      biblicus-context test contexts/support.test.yaml --filter question
      biblicus-context test --format junit > report.xml
      biblicus-context test --update
    """
    from biblicus_context.golden import Options  # noqa: PLC0415 - loads the engine

    chosen = paths or [Path("contexts") if Path("contexts").is_dir() else Path()]
    options = Options(update=update, filter=only, fail_fast=fail_fast)
    if watch:
        _watch(chosen, options, outcome)
    report = _run(chosen, options, outcome)
    if only and not report.could_not_run and not any(report.counts.values()):
        raise InputError("no case has this text in its name or its path", found=only)
    if report.could_not_run or report.failed:
        raise typer.Exit(_COULD_NOT_RUN if report.could_not_run else _FAILED)


def _run(paths: list[Path], options: Options, outcome: OutcomeFormat) -> Report:
    from biblicus_context.golden import run_tests  # noqa: PLC0415 - loads the engine
    from biblicus_context.golden.formats import json, junit  # noqa: PLC0415

    report = run_tests(paths, options)
    match outcome:
        case OutcomeFormat.TEXT:
            _tell(report)
        case OutcomeFormat.JSON:
            write_json(json.document(report))
        case OutcomeFormat.JUNIT:
            text = junit.render(report)
            write(text if can_say(text) else text.encode("ascii", "xmlcharrefreplace").decode())
    return report


def _tell(report: Report) -> None:
    from biblicus_context.golden.formats.text import lines  # noqa: PLC0415

    rows = lines(report, width())
    if not sys.stdout.isatty() and "FORCE_COLOR" not in os.environ:
        for row in rows:
            write(row.text)
        return
    from rich.text import Text  # noqa: PLC0415 - only for colours

    screen = console()
    for row in rows:
        screen.print(Text(visible(row.text), _STYLES[row.tone]), soft_wrap=True)


def _watch(paths: list[Path], options: Options, outcome: OutcomeFormat) -> NoReturn:
    """Run, wait for a change, and run again; Ctrl-C ends it."""
    from biblicus_context.base.watching import state_of, wait_for_change  # noqa: PLC0415

    watched: set[str] = set(map(str, paths))
    while True:
        before = state_of(watched)
        report = _run(paths, options, outcome)
        sys.stdout.flush()
        read = {each for file in report.files for each in file.reads}
        # What changed while the tests ran has to be seen, so older states go before newer ones.
        before = {**state_of(read), **before}
        watched |= read
        wait_for_change(partial(state_of, watched), before)
        console().clear()
