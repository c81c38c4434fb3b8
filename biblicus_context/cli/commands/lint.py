"""The command `lint`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from biblicus_context.cli.input.lint_options import Chosen, Mode, ReportFormat, Telling
from biblicus_context.cli.output.terminal import console, warn, width, write
from biblicus_context.errors import PlanError

if TYPE_CHECKING:
    from biblicus_context.lint.engine.report import LintReport
    from biblicus_context.lint.engine.settings import LintSettings

_FOLDER = Path("contexts")
_FINDINGS = 1
_MOST_PASSES = 10
"""One repair may make room for the next; each pass leaves fewer of them."""


def lint(
    chosen: Chosen,
    telling: Telling,
    mode: Mode,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH",
            show_default=False,
            help="Files of plans, or folders of them. Without them: contexts/.",
        ),
    ] = None,
) -> None:
    """Check plans: what the engine would refuse, and what it would accept and should not.

    The exit status is 0 where nothing is found, 1 where there are errors or warnings, and 2 where
    nothing could be checked. 'biblicus-context rule CODE' explains a finding.

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
    """What is checked, and how; the settings are read anew each time."""

    paths: list[Path]
    chosen: Chosen

    def settings(self) -> LintSettings:
        return self.chosen.settings(self.paths[0])

    def report(self) -> LintReport:
        from biblicus_context.lint.engine.runner import lint as checked  # noqa: PLC0415

        return checked(self.paths, self.settings())


def _paths(paths: list[Path] | None) -> list[Path]:
    if paths:
        return paths
    if not _FOLDER.is_dir():
        raise PlanError(
            f"there is no folder {_FOLDER}/ here", fix="Name the files or folders to check."
        )
    return [_FOLDER]


def _tell(report: LintReport, telling: Telling) -> None:
    if telling.output is ReportFormat.TEXT:
        from biblicus_context.lint.formats.text import TextStyle, render  # noqa: PLC0415

        style = TextStyle(width(), _may_colour())
        text = render(report, style, statistics=telling.statistics)
        sys.stdout.write(f"{text}\n")
        return
    form = import_module(f"biblicus_context.lint.formats.{telling.output}")
    rendered = form.render(report)
    write(rendered, end="\n" if rendered else "")


def _repaired(check: _Check) -> LintReport:
    """The report once everything has been put right that can be."""
    from biblicus_context.lint.engine.fixes import file_fixes  # noqa: PLC0415

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
        warn(f"put right: {count}")
    return report


def _show_repairs(check: _Check) -> NoReturn:
    from biblicus_context.lint.engine.fixes import file_fixes  # noqa: PLC0415

    found = [fix.diff for fix in file_fixes(check.report())]
    write("".join(found), end="")
    raise typer.Exit(_FINDINGS if found else 0)


def _watch(check: _Check, telling: Telling) -> NoReturn:
    """Check, wait for a change, and check again; Ctrl-C ends it."""
    from biblicus_context.base.watching import state_of, wait_for_change  # noqa: PLC0415

    while True:
        watched = list(_watched(check))
        before = state_of(watched)
        _tell(check.report(), telling)
        sys.stdout.flush()
        wait_for_change(partial(state_of, watched), before)
        console().clear()


def _watched(check: _Check) -> Iterator[Path]:
    """What may change a report: the files, those their names are looked up in, the settings."""
    from biblicus_context.lint.engine.scope import lint_scope  # noqa: PLC0415

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
