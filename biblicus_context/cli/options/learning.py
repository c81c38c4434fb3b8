"""The arguments of the commands over a learning memory."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from biblicus_context.cli.options.declaring import argument, option
from biblicus_context.cli.options.shared import FormatOption
from biblicus_context.cli.output.terminal import Format


class ContextType(StrEnum):
    """What a learning memory knows."""

    MEMORIES = "memories"
    CODE = "code"
    EXPERIENCES = "experiences"
    VALUES = "values"
    COMMITS = "commits"


@dataclass(frozen=True, kw_only=True)
class LearningOptions:
    """Which learning memory is read, and how much of it is printed."""

    store: Annotated[
        Path, option("Folder of the learning memory. Default: learning.", metavar="FOLDER")
    ] = Path("learning")
    workspace: Annotated[str, option("Workspace to read. Default: local.", metavar="NAME")] = (
        "local"
    )
    budget: Annotated[
        int | None,
        option(
            "Maximum number of tokens. Default: 2000, and 1500 for premortem.",
            metavar="TOKENS",
            min=1,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class RecallArguments:
    """Print what was learned about a query: memories, code, experiences, values, commits.

    The memory is filled from Python by LearningStore. Nothing is printed if nothing is found.

    Examples:
      biblicus-context recall "flaky test"
      biblicus-context recall "flaky test" --type experiences --type values --budget 800
    """

    query: Annotated[str, argument("What to look for.", metavar="QUERY")]
    learning: LearningOptions
    types: Annotated[
        list[ContextType] | None,
        option("Only this source; repeatable. Default: all.", "--type"),
    ] = None
    output: FormatOption = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class PremortemArguments:
    """Print what went wrong in a domain before: failures, surprises, root causes, principles.

    Run it in a hook of a coding agent when a test or a build fails for the first time.

    Examples:
      biblicus-context premortem --domain debugging
      biblicus-context premortem --domain debugging --strategy systematic-elimination --format json
    """

    domain: Annotated[str, option("Domain of the task.", metavar="NAME")]
    learning: LearningOptions
    strategy: Annotated[
        str | None,
        option("Strategy that is about to be used.", metavar="NAME"),
    ] = None
    output: FormatOption = Format.TEXT
