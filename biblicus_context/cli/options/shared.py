"""Arguments and options that several commands have."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from biblicus_context.cli.options.declaring import argument, option
from biblicus_context.cli.output.terminal import Format

ContextName = Annotated[
    str,
    argument("Name of the context.", metavar="NAME", names="context"),
]
CorpusName = Annotated[
    str,
    argument("Name of the corpus.", metavar="NAME", names="corpus"),
]
BudgetOption = Annotated[
    int | None,
    option("Input budget in tokens; overrides the policy.", "--budget", metavar="N", min=1),
]
ModelOption = Annotated[
    str | None,
    option("Model; overrides the policy.", "--model", metavar="NAME", names="model"),
]
FormatOption = Annotated[Format, option("Output format.", "--format")]
AllowKeyOption = Annotated[
    list[str] | None,
    option(
        "Allow a plan's embedder to send the key in this environment variable to this host; "
        "may be repeated. The provider's own host needs no permission.",
        "--allow-key",
        metavar="NAME=HOST",
    ),
]


@dataclass(frozen=True)
class ProjectOptions:
    """The options that choose the project."""

    heading: ClassVar[str] = "Project options"
    path: Annotated[
        list[Path] | None,
        option(
            "File or folder with contexts; may be repeated. Default: contexts/ here or above.",
            "--path",
            metavar="PATH",
        ),
    ] = None
    shipped: Annotated[bool, option("Use the contexts shipped with the package.", "--shipped")] = (
        False
    )


@dataclass(frozen=True)
class PrincipalOptions:
    """The principal: only what it may read is shown and counted."""

    heading: ClassVar[str] = "Reader options"
    workspace: Annotated[str, option("Workspace to read.", metavar="NAME")] = "local"
    reader: Annotated[
        str | None,
        option("Read as this user.", "--as", metavar="NAME"),
    ] = None
    group: Annotated[
        list[str] | None,
        option("Read as a member of this group; may be repeated.", metavar="NAME"),
    ] = None


@dataclass(frozen=True)
class CallOptions:
    """The options that describe one assembly."""

    heading: ClassVar[str] = "Input options"
    given: Annotated[
        list[str] | None,
        option(
            "Set an input; may be repeated. The value is JSON unless the input is declared as "
            "string; @FILE reads a file; start with @@ for a literal @.",
            "--input",
            metavar="NAME=VALUE",
            names="input",
        ),
    ] = None
    inputs: Annotated[
        Path | None,
        option("Inputs as a mapping in YAML or JSON; --input overrides them.", metavar="FILE"),
    ] = None
    examples: Annotated[
        bool, option("Use the declared example for each missing input.", "--examples")
    ] = False
    history: Annotated[
        Path | None,
        option("Conversation so far: messages in JSON, JSON Lines or YAML.", metavar="FILE"),
    ] = None
    user: Annotated[
        str | None,
        option("User message, for a plan without one.", metavar="TEXT"),
    ] = None
    system: Annotated[
        str | None,
        option("Base system prompt, for a plan that places it.", metavar="TEXT"),
    ] = None
    tools: Annotated[
        Path | None,
        option("List of tool definitions that are sent with the messages.", metavar="FILE"),
    ] = None
    packs: Annotated[
        Path | None,
        option("Recorded answers of retrievers by name: texts, blocks or packs.", metavar="FILE"),
    ] = None
    previous: Annotated[
        Path | None,
        option(
            "Result of the previous call, as printed by render --format json; "
            "the history starts at the same turn while it fits.",
            metavar="FILE",
        ),
    ] = None
    allow_key: AllowKeyOption = None
    who: PrincipalOptions = PrincipalOptions()
