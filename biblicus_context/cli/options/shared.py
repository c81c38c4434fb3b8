"""Arguments and options that several commands have."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from biblicus_context.cli.options.completion import complete
from biblicus_context.cli.output.terminal import Format

ContextName = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="Name of the context.",
        show_default=False,
        autocompletion=complete("context"),
    ),
]
CorpusName = Annotated[
    str,
    typer.Argument(metavar="NAME", help="Name of the corpus.", autocompletion=complete("corpus")),
]
BudgetOption = Annotated[
    int | None,
    typer.Option(
        "--budget", metavar="N", min=1, help="Input budget in tokens; overrides the policy."
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="NAME",
        help="Model; overrides the policy.",
        autocompletion=complete("model"),
    ),
]
FormatOption = Annotated[Format, typer.Option("--format", help="Output format.")]
AllowKeyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-key",
        metavar="NAME=HOST",
        show_default=False,
        help="Allow a plan's embedder to send the key in this environment variable to this host; "
        "may be repeated. The provider's own host needs no permission.",
    ),
]


@dataclass(frozen=True)
class ProjectOptions:
    """The options that choose the project."""

    heading: ClassVar[str] = "Project options"
    path: Annotated[
        list[Path] | None,
        typer.Option(
            "--path",
            metavar="PATH",
            show_default=False,
            help="File or folder with contexts; may be repeated. Default: contexts/ here or above.",
        ),
    ] = None
    shipped: Annotated[
        bool, typer.Option("--shipped", help="Use the contexts shipped with the package.")
    ] = False


@dataclass(frozen=True)
class PrincipalOptions:
    """The principal: only what it may read is shown and counted."""

    heading: ClassVar[str] = "Reader options"
    workspace: Annotated[str, typer.Option(metavar="NAME", help="Workspace to read.")] = "local"
    reader: Annotated[
        str | None,
        typer.Option("--as", metavar="NAME", show_default=False, help="Read as this user."),
    ] = None
    group: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="Read as a member of this group; may be repeated.",
        ),
    ] = None


@dataclass(frozen=True)
class CallOptions:
    """The options that describe one assembly."""

    heading: ClassVar[str] = "Input options"
    given: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            metavar="NAME=VALUE",
            show_default=False,
            autocompletion=complete("input"),
            help="Set an input; may be repeated. The value is JSON unless the input is declared as "
            "string; @FILE reads a file; start with @@ for a literal @.",
        ),
    ] = None
    inputs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Inputs as a mapping in YAML or JSON; --input overrides them."
        ),
    ] = None
    examples: Annotated[
        bool, typer.Option("--examples", help="Use the declared example for each missing input.")
    ] = False
    history: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Conversation so far: messages in JSON, JSON Lines or YAML."
        ),
    ] = None
    user: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="User message, for a plan without one."),
    ] = None
    system: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Base system prompt, for a plan that places it."),
    ] = None
    tools: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="List of tool definitions that are sent with the messages."
        ),
    ] = None
    packs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Recorded answers of retrievers by name: texts, blocks or packs.",
        ),
    ] = None
    previous: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Result of the previous call, as printed by render --format json; "
            "the history starts at the same turn while it fits.",
        ),
    ] = None
    allow_key: AllowKeyOption = None
    who: PrincipalOptions = PrincipalOptions()
