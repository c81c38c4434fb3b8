"""The arguments of the commands that check plans: lint, its rules, golden tests."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from biblicus_context.cli.options.declaring import argument, option
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
        option(
            "Run only these rules: codes, families such as BC3, or names, separated by commas; "
            "may be repeated.",
            metavar="RULES",
            list_of="rule",
        ),
    ] = None
    ignore: Annotated[
        list[str] | None,
        option("Skip these rules.", metavar="RULES", list_of="rule"),
    ] = None
    model: Annotated[
        str | None,
        option(
            "Count tokens for this model; overrides the policies.", metavar="NAME", names="model"
        ),
    ] = None
    config: Annotated[
        Path | None,
        option(
            "Settings file. Default: the nearest biblicus-context.toml or pyproject.toml "
            "at or above the first path.",
            metavar="FILE",
        ),
    ] = None


@dataclass(frozen=True)
class ReportOptions:
    """The options that say how findings are printed."""

    heading: ClassVar[str] = "Report options"
    output: Annotated[
        ReportFormat,
        option("Output format.", "--format"),
    ] = ReportFormat.TEXT
    statistics: Annotated[
        bool, option("Print the number of findings for each rule.", "--statistics")
    ] = False
    exit_zero: Annotated[bool, option("Exit with 0 even if there are findings.", "--exit-zero")] = (
        False
    )


@dataclass(frozen=True)
class RunOptions:
    """The mode of the run: at most one of these."""

    heading: ClassVar[str] = "Run options"
    fix: Annotated[bool, option("Fix findings that can be fixed safely.", "--fix")] = False
    diff: Annotated[bool, option("Show what --fix would change without changing it.", "--diff")] = (
        False
    )
    watch: Annotated[bool, option("Check again when a file changes, until Ctrl-C.", "--watch")] = (
        False
    )

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
        argument(
            "Plan files, or folders of them. Default: contexts/ here or above.", metavar="PATH"
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
        argument("Code or name of the rule.", metavar="CODE", names="rule"),
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
        argument(
            "Test files, or folders with *.test.yaml files; those that git ignores are "
            "skipped. Default: contexts/ here or above.",
            metavar="[PATHS]...",
        ),
    ] = None
    update: Annotated[
        bool, option("Write snapshots instead of comparing with them.", "--update")
    ] = False
    only: Annotated[
        str,
        option(
            "Run only cases with this text in their name or file path.", "--filter", metavar="TEXT"
        ),
    ] = ""
    outcome: Annotated[
        OutcomeFormat,
        option("Output format.", "--format"),
    ] = OutcomeFormat.TEXT
    fail_fast: Annotated[bool, option("Stop at the first case that fails.", "--fail-fast")] = False
    watch: Annotated[bool, option("Run again when a file changes, until Ctrl-C.", "--watch")] = (
        False
    )
