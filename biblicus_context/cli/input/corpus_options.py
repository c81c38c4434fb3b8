"""What the commands below `corpus` have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from biblicus_context.cli.input.completion import complete
from biblicus_context.stores import Principal

CorpusName = Annotated[
    str,
    typer.Argument(metavar="NAME", help="Name of the corpus.", autocompletion=complete("corpus")),
]


@dataclass(frozen=True)
class PrincipalOptions:
    """The principal: only what it may read is shown and counted."""

    workspace: Annotated[str, typer.Option(metavar="NAME", help="Workspace to read.")] = "local"
    user: Annotated[
        str | None,
        typer.Option(metavar="NAME", show_default=False, help="Read as this user."),
    ] = None
    group: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="Read as a member of this group; may be repeated.",
        ),
    ] = None

    @property
    def principal(self) -> Principal:
        """The principal that a store expects."""

        return Principal(self.workspace, self.user, frozenset(self.group or ()))
