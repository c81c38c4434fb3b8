"""The command `lint`."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from biblicus_context.base.watching import state_of, wait_for_change
from biblicus_context.cli.input.lint_options import (
    ReportFormat,
    ReportOptions,
    RuleOptions,
    RunOptions,
)
from biblicus_context.cli.output.terminal import console, visible, warn, width, write
from biblicus_context.errors import PlanError
from biblicus_context.lint.engine.fixes import file_fixes
from biblicus_context.lint.engine.report import LintReport
from biblicus_context.lint.engine.runner import lint as checked
from biblicus_context.lint.engine.scope import lint_scope
from biblicus_context.lint.engine.settings import LintSettings
from biblicus_context.lint.formats.text import TextStyle, render

_FOLDER = Path("contexts")
_FINDINGS = 1
_MOST_PASSES = 10
"""One fix can make another possible; the limit guards against fixes that undo each other."""
_COLOUR = re.compile(r"(\x1b\[\d*m)")


def lint(
    chosen: RuleOptions,
    telling: ReportOptions,
    mode: RunOptions,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH",
            show_default=False,
            help="Plan files, or folders of them. Default: contexts/.",
        ),
    ] = None,
) -> None:
    """Check plans for errors, and for what is valid but probably wrong.

    The exit status is 0 without findings, 1 with errors or warnings, and 2 if the check could not
    run. 'biblicus-context rule CODE' explains a finding.

    Examples:
      biblicus-context lint
      biblicus-context lint contexts/support.yaml --select BC1,BC2
      biblicus-context lint --statistics --exit-zero
      biblicus-context lint --diff
      biblicus-context lint --format sarif > findings.sarif
    """
    check = _Check(_paths(paths), chosen)
    if mode.watch:
        _watch(check, telling)
    if mode.diff:
        _show_repairs(check)
    report = _repaired(check) if mode.fix else check.report()
    _tell(report, telling)
    if report.failed and not telling.exit_zero:
        raise typer.Exit(_FINDINGS)


@dataclass(frozen=True)
class _Check:
    """The paths and options of a check; settings are read again for each run."""

    paths: list[Path]
    chosen: RuleOptions

    def settings(self) -> LintSettings:
        return self.chosen.settings(self.paths[0])

    def report(self) -> LintReport:

        return checked(self.paths, self.settings())


def _paths(paths: list[Path] | None) -> list[Path]:
    if paths:
        return paths
    if not _FOLDER.is_dir():
        raise PlanError(
            f"there is no {_FOLDER}/ folder here", fix="Pass the files or folders to check."
        )
    return [_FOLDER]


def _tell(report: LintReport, telling: ReportOptions) -> None:
    if telling.output is ReportFormat.TEXT:
        style = TextStyle(width(), _may_colour())
        text = render(report, style, statistics=telling.statistics)
        sys.stdout.write(f"{_harmless(text) if style.colour else visible(text)}\n")
        return
    form = import_module(f"biblicus_context.lint.formats.{telling.output}")
    rendered = form.render(report)
    write(rendered, end="\n" if rendered else "")


def _repaired(check: _Check) -> LintReport:
    """The report after all safe fixes."""

    count = 0
    for _ in range(_MOST_PASSES):
        report = check.report()
        fixes = list(file_fixes(report))
        if not fixes:
            break
        for fix in fixes:
            fix.write()
            count += len(fix.applied)
    if count:
        warn(f"fixed: {count}")
    return report


def _show_repairs(check: _Check) -> NoReturn:

    found = [fix.diff for fix in file_fixes(check.report())]
    write("".join(found), end="")
    raise typer.Exit(_FINDINGS if found else 0)


def _watch(check: _Check, telling: ReportOptions) -> NoReturn:
    """Check, wait for a change, and check again; Ctrl-C ends it."""

    while True:
        watched = list(_watched(check))
        before = state_of(watched)
        _tell(check.report(), telling)
        sys.stdout.flush()
        wait_for_change(partial(state_of, watched), before)
        console().clear()


def _watched(check: _Check) -> Iterator[Path]:
    """Everything that can change a report: the files, the files around them, the settings."""

    settings = check.settings()
    yield from check.paths
    yield from settings.paths
    for project in lint_scope(check.paths, settings).projects:
        yield from project.others
    yield Path(settings.source)


def _may_colour() -> bool:
    if not sys.stdout.isatty() and "FORCE_COLOR" not in os.environ:
        return False
    screen = console()
    return screen.is_terminal and not screen.no_color and not screen.is_dumb_terminal


def _harmless(text: str) -> str:
    """Text whose only escape sequences are our colours."""
    pieces = _COLOUR.split(text)
    return "".join(piece if number % 2 else visible(piece) for number, piece in enumerate(pieces))
