"""What the commands below `corpus` have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from biblicus_context.cli.input.completion import complete
from biblicus_context.stores import Principal

CorpusName = Annotated[
    str,
    typer.Argument(metavar="NAME", help="The corpus.", autocompletion=complete("corpus")),
]


@dataclass(frozen=True)
class PrincipalOptions:
    """Who asks: what others may read is neither shown nor counted."""

    workspace: Annotated[
        str, typer.Option(metavar="NAME", help="The workspace that is looked into.")
    ] = "local"
    user: Annotated[
        str | None,
        typer.Option(metavar="NAME", show_default=False, help="With the eyes of this user."),
    ] = None
    group: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", show_default=False, help="And of this group; may be repeated."
        ),
    ] = None

    @property
    def principal(self) -> Principal:
        """The same, as a store takes it."""

        return Principal(self.workspace, self.user, frozenset(self.group or ()))
