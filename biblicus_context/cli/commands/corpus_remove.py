"""The command `corpus remove`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from biblicus_context.cli.input.corpora import indexed_corpus, project_of
from biblicus_context.cli.input.corpus_options import CorpusName
from biblicus_context.cli.input.options import FormatOption, ProjectOptions
from biblicus_context.cli.output.terminal import (
    Format,
    format_bytes,
    visible,
    warn,
    write,
    write_json,
)
from biblicus_context.corpora import maintenance
from biblicus_context.errors import InputError


def remove(
    name: CorpusName,
    place: ProjectOptions,
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    output: FormatOption = Format.TEXT,
) -> None:
    """Remove the index of a corpus, for all workspaces. The source files are kept.

    Examples:
      biblicus-context corpus remove plans --yes
    """

    corpus = indexed_corpus(name, project_of(place))
    gone = maintenance.removable(corpus)
    if not yes and not _agreed(f"Remove {corpus.place} ({format_bytes(gone)})?"):
        warn("nothing was removed")
        raise typer.Exit(1)
    maintenance.remove(corpus)
    if output is Format.JSON:
        write_json({"corpus": name, "store": str(corpus.place), "bytes": gone})
    else:
        write(f"{name}: removed {corpus.place} ({format_bytes(gone)})")


def _agreed(question: str) -> bool:
    if not sys.stdin.isatty():
        raise InputError(
            "cannot ask for confirmation: the input is not a terminal",
            fix="Pass --yes to remove it without asking.",
        )
    return typer.confirm(visible(question), err=True)
