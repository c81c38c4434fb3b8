"""The command `corpus remove`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from biblicus_context.base.visible import visible
from biblicus_context.cli.input.corpus_options import CorpusName, size
from biblicus_context.cli.input.options import FormatOption, Place
from biblicus_context.cli.output.terminal import Format, warn, write, write_json
from biblicus_context.errors import InputError


def remove(
    name: CorpusName,
    place: Place,
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    output: FormatOption = Format.TEXT,
) -> None:
    """Remove the index of a corpus with all its workspaces. The files it was made of stay.

    Examples:
      biblicus-context corpus remove plans --yes
    """
    from biblicus_context.cli.input.corpora import indexed_corpus, project_of  # noqa: PLC0415
    from biblicus_context.corpora import maintenance  # noqa: PLC0415

    corpus = indexed_corpus(name, project_of(place))
    gone = maintenance.removable(corpus)
    if not yes and not _agreed(f"Remove {corpus.place} ({size(gone)})?"):
        warn("nothing was removed")
        raise typer.Exit(1)
    maintenance.remove(corpus)
    if output is Format.JSON:
        write_json({"corpus": name, "store": str(corpus.place), "bytes": gone})
    else:
        write(f"{name}: removed {corpus.place} ({size(gone)})")


def _agreed(question: str) -> bool:
    if not sys.stdin.isatty():
        raise InputError("nobody is there to be asked", fix="Say --yes to remove it all the same.")
    return typer.confirm(visible(question), err=True)
