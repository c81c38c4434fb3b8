"""The options of `lint`, grouped by subject."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from biblicus_context.cli.input.completion import complete
from biblicus_context.lint.engine.rule_book import rule_book
from biblicus_context.lint.engine.selection import select_rules
from biblicus_context.lint.engine.settings import LintSettings
from biblicus_context.lint.engine.settings_file import load_settings


class ReportFormat(StrEnum):
    """How findings are printed."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"
    JUNIT = "junit"


@dataclass(frozen=True)
class RuleOptions:
    """The options that choose rules; they override the settings file."""

    select: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RULES",
            show_default=False,
            help="Run only these rules: codes, families such as BC3, or names, separated by commas; "
            "may be repeated.",
        ),
    ] = None
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="RULES", show_default=False, help="Skip these rules."),
    ] = None
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Count tokens for this model; overrides the policies.",
            autocompletion=complete("model"),
        ),
    ] = None
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Settings file. Default: the nearest biblicus-context.toml or pyproject.toml "
            "at or above the first path.",
        ),
    ] = None

    def settings(self, path: Path) -> LintSettings:
        """The settings for a path."""

        settings = load_settings(path, self.config)
        select, ignore = _words(self.select), _words(self.ignore)
        select_rules(rule_book().rules, LintSettings(select=select, source="--select"))
        select_rules(rule_book().rules, LintSettings(ignore=ignore, source="--ignore"))
        return replace(
            settings,
            select=select or settings.select,
            ignore=ignore or settings.ignore,
            model=self.model or settings.model,
        )


@dataclass(frozen=True)
class ReportOptions:
    """The options that say how findings are printed."""

    output: Annotated[
        ReportFormat,
        typer.Option("--format", help="Output format."),
    ] = ReportFormat.TEXT
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Print the number of findings for each rule.")
    ] = False
    exit_zero: Annotated[
        bool, typer.Option("--exit-zero", help="Exit with 0 even if there are findings.")
    ] = False


@dataclass(frozen=True)
class RunOptions:
    """The mode of the run: at most one of these."""

    fix: Annotated[bool, typer.Option("--fix", help="Fix findings that can be fixed safely.")] = (
        False
    )
    diff: Annotated[
        bool, typer.Option("--diff", help="Show what --fix would change without changing it.")
    ] = False
    watch: Annotated[
        bool, typer.Option("--watch", help="Check again when a file changes, until Ctrl-C.")
    ] = False

    def __post_init__(self) -> None:
        if self.fix + self.diff + self.watch > 1:
            raise typer.BadParameter("Use only one of --fix, --diff and --watch.")


def _words(written: list[str] | None) -> tuple[str, ...]:
    return tuple(word.strip() for each in written or () for word in each.split(",") if word.strip())
