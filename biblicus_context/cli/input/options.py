"""Options that several commands have."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from biblicus_context.cli.input.completion import complete
from biblicus_context.cli.output.terminal import Format

ContextName = Annotated[
    str,
    typer.Argument(
        metavar="NAME", help="The context.", show_default=False, autocompletion=complete("context")
    ),
]
BudgetOption = Annotated[
    int | None,
    typer.Option(
        "--budget", metavar="N", min=1, help="Tokens, instead of the policy's input budget."
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="NAME",
        help="Instead of the policy's model.",
        autocompletion=complete("model"),
    ),
]
FormatOption = Annotated[Format, typer.Option("--format", help="How to print it.")]


@dataclass(frozen=True)
class ProjectOptions:
    """Where the contexts are."""

    path: Annotated[
        list[Path] | None,
        typer.Option(
            "--path",
            metavar="PATH",
            show_default=False,
            help="A file or folder of contexts; may be repeated. "
            "Without it: contexts/ if that is here, else the contexts that come with the package.",
        ),
    ] = None
    shipped: Annotated[
        bool, typer.Option("--shipped", help="Use the contexts that come with the package.")
    ] = False


@dataclass(frozen=True)
class CallOptions:
    """What is handed in for one assembly."""

    given: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            metavar="NAME=VALUE",
            show_default=False,
            help="An input; may be repeated. JSON where the context declares another type than "
            "string; @FILE for what a file holds, @@ for a text that begins with @.",
        ),
    ] = None
    inputs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Inputs as a mapping, in YAML or JSON; --input goes before it."
        ),
    ] = None
    examples: Annotated[
        bool, typer.Option("--examples", help="Fill in missing inputs with their examples.")
    ] = False
    history: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The conversation so far: messages in JSON, JSON Lines or YAML."
        ),
    ] = None
    user: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="The user message, where the plan has none."),
    ] = None
    system: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="The base system prompt, where the plan places it."),
    ] = None
    tools: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Tool definitions that will be sent along, as a list."),
    ] = None
    packs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Recorded answers of retrievers, by name: texts, blocks or packs.",
        ),
    ] = None
    previous: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The result of the call before, as render --format json prints it: "
            "the history begins as it did there, as long as that fits.",
        ),
    ] = None
