"""The command `lint`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import typer

from biblicus_context.base.watching import state_of, wait_for_change
from biblicus_context.cli.input.projects import plan_paths
from biblicus_context.cli.options.checking import (
    LintArguments,
    ReportFormat,
    ReportOptions,
    RuleOptions,
)
from biblicus_context.cli.output.terminal import console, note, width, write
from biblicus_context.cli.output.verbosity import is_quiet
from biblicus_context.lint.engine.fixes import file_fixes
from biblicus_context.lint.engine.report import LintReport
from biblicus_context.lint.engine.rule_book import rule_book, select_rules
from biblicus_context.lint.engine.runner import lint as checked
from biblicus_context.lint.engine.scope import lint_scope
from biblicus_context.lint.engine.settings import LintSettings, load_settings
from biblicus_context.lint.formats.text import TextStyle, render
from biblicus_context.reading.text_files import text_files_of

_FINDINGS = 1
_MOST_PASSES = 10
"""One fix can make another possible; the limit guards against fixes that undo each other."""


def lint(args: LintArguments) -> None:
    check = _Check(list(plan_paths(args.paths)), args.rules)
    if args.mode.watch:
        _watch(check, args.report)
    if args.mode.diff:
        _show_repairs(check)
    report = _repaired(check) if args.mode.fix else check.report()
    _print(report, args.report)
    if report.failed and not args.report.exit_zero:
        raise typer.Exit(_FINDINGS)


@dataclass(frozen=True)
class _Check:
    """The paths and options of a check; settings are read again for each run."""

    paths: list[Path]
    rules: RuleOptions

    def settings(self) -> LintSettings:
        return _settings(self.rules, self.paths[0])

    def report(self) -> LintReport:

        return checked(self.paths, self.settings())


def _print(report: LintReport, options: ReportOptions) -> None:
    if options.output is ReportFormat.TEXT:
        if is_quiet() and not report.findings and not report.notices:
            return
        style = TextStyle(width(), _may_colour())
        text = render(report, style, statistics=options.statistics)
        sys.stdout.write(f"{text}\n")
        return
    form = import_module(f"biblicus_context.lint.formats.{options.output}")
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
        note(f"fixed: {count}")
    return report


def _show_repairs(check: _Check) -> NoReturn:

    found = [fix.diff for fix in file_fixes(check.report())]
    write("".join(found), end="")
    raise typer.Exit(_FINDINGS if found else 0)


def _watch(check: _Check, options: ReportOptions) -> NoReturn:
    """Check, wait for a change, and check again; Ctrl-C ends it."""

    while True:
        watched = list(_watched(check))
        before = state_of(watched)
        _print(check.report(), options)
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
        yield from text_files_of(project.all)
    yield Path(settings.source)


def _may_colour() -> bool:
    if not sys.stdout.isatty() and "FORCE_COLOR" not in os.environ:
        return False
    screen = console()
    return screen.is_terminal and not screen.no_color and not screen.is_dumb_terminal


def _settings(options: RuleOptions, path: Path) -> LintSettings:
    """The settings for a path; options override the settings file."""
    settings = load_settings(path, options.config)
    select, ignore = _words(options.select), _words(options.ignore)
    # Checked apart, so that a wrong name is reported with the option that has it.
    select_rules(rule_book().rules, LintSettings(select=select, source="--select"))
    select_rules(rule_book().rules, LintSettings(ignore=ignore, source="--ignore"))
    return replace(
        settings,
        select=select or settings.select,
        ignore=ignore or settings.ignore,
        model=options.model or settings.model,
    )


def _words(written: list[str] | None) -> tuple[str, ...]:
    return tuple(word.strip() for each in written or () for word in each.split(",") if word.strip())
