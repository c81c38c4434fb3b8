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
class LearningPlace:
    """Which learning memory is written."""

    store: Annotated[
        Path, option("Folder of the learning memory. Default: learning.", metavar="FOLDER")
    ] = Path("learning")
    workspace: Annotated[str, option("Its workspace. Default: local.", metavar="NAME")] = "local"


@dataclass(frozen=True, kw_only=True)
class LearningOptions:
    """Which learning memory is read, and how much of it is printed."""

    store: Annotated[
        Path, option("Folder of the learning memory. Default: learning.", metavar="FOLDER")
    ] = Path("learning")
    workspace: Annotated[str, option("Workspace to read. Default: local.", metavar="NAME")] = (
        "local"
    )
    also: Annotated[
        list[str] | None,
        option(
            "Another workspace to read, such as one for all repositories; repeatable.",
            metavar="NAME",
        ),
    ] = None
    no_resident: Annotated[
        bool,
        option(
            "Load the memory in this process. Default: ask a process that keeps it open, which starts with the "
            "first question and ends ten minutes after the last one.",
            "--no-resident",
        ),
    ] = False
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

    The memory is filled by remember, experience and index-code, or from Python by LearningStore.
    Nothing is printed if nothing is found.

    Examples:
      biblicus-context recall "flaky test"
      biblicus-context recall "flaky test" --type experiences --type values --budget 800
      biblicus-context recall "flaky test" --also global
    """

    query: Annotated[
        str,
        argument(
            "What to look for; - reads it, or the JSON of a hook, from the input.", metavar="QUERY"
        ),
    ]
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


class ExperienceOutcome(StrEnum):
    """What came of a prediction."""

    CONFIRMED = "confirmed"
    FALSIFIED = "falsified"
    ABANDONED = "abandoned"


class Tier(StrEnum):
    """How sure an agent is of what it learned."""

    GOLD = "gold"
    SILVER = "silver"
    BRONZE = "bronze"
    ABANDONED = "abandoned"


@dataclass(frozen=True, kw_only=True)
class RememberArguments:
    """Write a fact, a decision or a preference into a learning memory.

    Keys and passwords are taken out first. The same text written twice is one memory.

    Examples:
      biblicus-context remember "Tests run in UTC." --category decision
      echo "Release on Tuesdays." | biblicus-context remember -
    """

    text: Annotated[str, argument("What to remember; - reads it from the input.", metavar="TEXT")]
    place: LearningPlace
    category: Annotated[
        str, option("Such as fact, decision, preference or error. Default: fact.", metavar="NAME")
    ] = "fact"
    importance: Annotated[
        float, option("From 0 to 1. Default: 0.5.", metavar="NUMBER", min=0.0, max=1.0)
    ] = 0.5
    id: Annotated[
        str | None,
        option("Id, to change or forget it by. Default: from the text.", metavar="ID"),
    ] = None
    output: FormatOption = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class ExperienceArguments:
    """Write what was tried and what came of it into a learning memory.

    Keys and passwords are taken out first.

    Examples:
      biblicus-context experience --domain debugging --strategy read-the-error --goal "Find the flaky test" --outcome falsified --result "It was the time zone"
    """

    domain: Annotated[str, option("Such as debugging, feature or refactoring.", metavar="NAME")]
    strategy: Annotated[str, option("Such as read-the-error.", metavar="NAME")]
    goal: Annotated[str, option("What was to be reached.", metavar="TEXT")]
    outcome: Annotated[ExperienceOutcome, option("Whether what was predicted was so.")]
    result: Annotated[str, option("What happened.", metavar="TEXT")]
    place: LearningPlace
    hypothesis: Annotated[str, option("What was thought to be the case.", metavar="TEXT")] = ""
    action: Annotated[str, option("What was done.", metavar="TEXT")] = ""
    prediction: Annotated[str, option("What was expected.", metavar="TEXT")] = ""
    surprise: Annotated[str, option("What was not expected.", metavar="TEXT")] = ""
    root_cause: Annotated[str, option("Why it was so.", metavar="TEXT")] = ""
    lesson: Annotated[str, option("What to do next time.", metavar="TEXT")] = ""
    tier: Annotated[Tier, option("How sure that is. Default: silver.")] = Tier.SILVER
    id: Annotated[
        str | None, option("Id, to forget it by. Default: from the texts.", metavar="ID")
    ] = None
    output: FormatOption = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class IndexCodeArguments:
    """Read the code of a folder, and the commits of a repository, into a learning memory.

    Only what has changed is read. Use a workspace for each repository, and read several with --also.

    Examples:
      biblicus-context index-code .
      biblicus-context index-code ../api --workspace api
    """

    root: Annotated[Path, argument("Folder to read.", metavar="FOLDER")]
    place: LearningPlace
    output: FormatOption = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class ForgetArguments:
    """Remove memories, experiences and values by id; no file holds a byte of them afterwards.

    Prints what was removed, without its text. An unknown id is an error, after the others are removed.

    Examples:
      biblicus-context forget m-0a1b2c3d4e5f
    """

    ids: Annotated[list[str], argument("Ids to remove.", metavar="ID...")]
    place: LearningPlace
    output: FormatOption = Format.TEXT


class Agent(StrEnum):
    """What can be told to ask a learning memory."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    GEMINI_CLI = "gemini-cli"
    CURSOR = "cursor"
    AGENTS_MD = "agents-md"
    GIT = "git"


@dataclass(frozen=True, kw_only=True)
class HooksArguments:
    """Print what a coding agent has to be told so that it asks the learning memory, or write it.

    At each prompt the agent gets what was learned about it, and when a test fails for the first time what
    went wrong before. agents-md is a section for AGENTS.md, for agents that run commands by themselves;
    git keeps code and commits up to date. --install keeps what else is in a file.

    Examples:
      biblicus-context hooks claude-code
      biblicus-context hooks cursor --install
      biblicus-context hooks codex --store ~/learning --workspace api --also global --install
    """

    agent: Annotated[Agent, argument("Which agent.", metavar="AGENT")]
    store: Annotated[
        Path,
        option(
            "Folder of the learning memory, in the project. Default: learning.", metavar="FOLDER"
        ),
    ] = Path("learning")
    workspace: Annotated[str, option("Its workspace. Default: local.", metavar="NAME")] = "local"
    also: Annotated[
        list[str] | None, option("Another workspace to read; repeatable.", metavar="NAME")
    ] = None
    install: Annotated[
        bool, option("Write the file of the project, next to what is there.", "--install")
    ] = False
    project: Annotated[
        Path, option("Folder of the project. Default: this one.", metavar="FOLDER")
    ] = Path()


@dataclass(frozen=True, kw_only=True)
class HookArguments(LearningOptions):
    """Answer a coding agent: read the JSON of its hook from the input, print what it adds to its context.

    A prompt is recalled. A command that tests or builds and has failed, for the first time in a session, is
    answered by a premortem. Nothing is printed where nothing was learned, and nothing stops the agent.

    Examples:
      biblicus-context hook --store ~/learning --workspace api
    """

    budget: Annotated[
        int | None, option("Maximum number of tokens. Default: 800.", metavar="TOKENS", min=1)
    ] = 800
    domain: Annotated[str, option("Domain of a premortem. Default: debugging.", metavar="NAME")] = (
        "debugging"
    )
