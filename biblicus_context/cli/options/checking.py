"""The arguments of the commands that check plans: lint, its rules, golden tests."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from biblicus_context.cli.options.completion import complete, complete_list
from biblicus_context.cli.options.shared import (
    FormatOption,
)
from biblicus_context.cli.output.terminal import Format


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

    heading: ClassVar[str] = "Rule options"
    select: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RULES",
            show_default=False,
            autocompletion=complete_list("rule"),
            help="Run only these rules: codes, families such as BC3, or names, separated by commas; "
            "may be repeated.",
        ),
    ] = None
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RULES",
            show_default=False,
            autocompletion=complete_list("rule"),
            help="Skip these rules.",
        ),
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


@dataclass(frozen=True)
class ReportOptions:
    """The options that say how findings are printed."""

    heading: ClassVar[str] = "Report options"
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

    heading: ClassVar[str] = "Run options"
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


@dataclass(frozen=True, kw_only=True)
class LintArguments:
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

    rules: RuleOptions
    report: ReportOptions
    mode: RunOptions
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PATH",
            show_default=False,
            help="Plan files, or folders of them. Default: contexts/ here or above.",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class RuleArguments:
    """Explain a lint rule: what it finds, why it matters, and what to write instead.

    Examples:
      biblicus-context rule BC101
      biblicus-context rule unknown-key --format json
    """

    code: Annotated[
        str,
        typer.Argument(
            metavar="CODE",
            help="Code or name of the rule.",
            show_default=False,
            autocompletion=complete("rule"),
        ),
    ]
    output: FormatOption = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class RulesArguments:
    """List all lint rules, including those of installed packages.

    Examples:
      biblicus-context rules
      biblicus-context rules --format json
    """

    output: FormatOption = Format.TEXT


class OutcomeFormat(StrEnum):
    """How test results are printed."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"


@dataclass(frozen=True, kw_only=True)
class GoldenTestArguments:
    """Run golden tests: YAML cases that state what a context must produce.

    The exit status is 0 if all cases pass, 1 if some fail, and 2 if some could not run.

    Examples:
      biblicus-context test
      biblicus-context test contexts/support.test.yaml --filter question
      biblicus-context test --format junit > report.xml
      biblicus-context test --update
    """

    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATHS]...",
            show_default=False,
            help="Test files, or folders with *.test.yaml files; those that git ignores are "
            "skipped. Default: contexts/ here or above.",
        ),
    ] = None
    update: Annotated[
        bool, typer.Option("--update", help="Write snapshots instead of comparing with them.")
    ] = False
    only: Annotated[
        str,
        typer.Option(
            "--filter",
            metavar="TEXT",
            show_default=False,
            help="Run only cases with this text in their name or file path.",
        ),
    ] = ""
    outcome: Annotated[
        OutcomeFormat,
        typer.Option("--format", help="Output format."),
    ] = OutcomeFormat.TEXT
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="Stop at the first case that fails.")
    ] = False
    watch: Annotated[
        bool, typer.Option("--watch", help="Run again when a file changes, until Ctrl-C.")
    ] = False
