"""What the commands below `corpus` have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from biblicus_context.cli.input.completing import corpus_names

if TYPE_CHECKING:
    from biblicus_context.stores import Principal

CorpusName = Annotated[
    str,
    typer.Argument(metavar="NAME", help="The corpus.", autocompletion=corpus_names),
]


@dataclass(frozen=True)
class Who:
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
        from biblicus_context.stores import Principal  # noqa: PLC0415 - help is printed without it

        return Principal(self.workspace, self.user, frozenset(self.group or ()))


def size(count: int) -> str:
    """Bytes for people.

    >>> size(999), size(1_500), size(2_000_000)
    ('999 B', '1.5 kB', '2.0 MB')
    """
    if count < 1000:
        return f"{count} B"
    number, unit = count / 1000, "kB"
    for larger in ("MB", "GB", "TB"):
        if number < 1000:
            break
        number, unit = number / 1000, larger
    return f"{number:.1f} {unit}"
