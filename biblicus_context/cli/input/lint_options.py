"""The options of `lint`, by what they are about."""

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
    """What is looked for; goes before the settings file."""

    select: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RULES",
            show_default=False,
            help="Only these rules: codes, families such as BC3, or names, with commas; "
            "may be repeated.",
        ),
    ] = None
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="RULES", show_default=False, help="All but these rules."),
    ] = None
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Count for this model instead of the policies' own.",
            autocompletion=complete("model"),
        ),
    ] = None
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The settings. Without it: the nearest biblicus-context.toml or pyproject.toml "
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
    """How findings are told."""

    output: Annotated[
        ReportFormat,
        typer.Option("--format", help="For reading, or for a program or service."),
    ] = ReportFormat.TEXT
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Say how many findings there are of each rule.")
    ] = False
    exit_zero: Annotated[
        bool, typer.Option("--exit-zero", help="Exit with 0 although there are findings.")
    ] = False


@dataclass(frozen=True)
class RunOptions:
    """What else is done than to look once; one of these at most."""

    fix: Annotated[bool, typer.Option("--fix", help="Put right what can safely be put right.")] = (
        False
    )
    diff: Annotated[
        bool, typer.Option("--diff", help="Show what --fix would change, and change nothing.")
    ] = False
    watch: Annotated[
        bool, typer.Option("--watch", help="Check again whenever a file changes, until Ctrl-C.")
    ] = False

    def __post_init__(self) -> None:
        if self.fix + self.diff + self.watch > 1:
            raise typer.BadParameter("--fix, --diff and --watch exclude each other.")


def _words(written: list[str] | None) -> tuple[str, ...]:
    return tuple(word.strip() for each in written or () for word in each.split(",") if word.strip())
