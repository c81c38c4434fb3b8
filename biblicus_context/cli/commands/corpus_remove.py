"""The command `corpus remove`."""

from __future__ import annotations

import sys

import typer

from biblicus_context.base.visible import visible
from biblicus_context.cli.input.corpora import indexed_corpus, project_of
from biblicus_context.cli.options.corpora import CorpusRemoveArguments
from biblicus_context.cli.output.terminal import Format, format_bytes, warn, write, write_json
from biblicus_context.corpora import maintenance
from biblicus_context.errors import InputError


def remove(args: CorpusRemoveArguments) -> None:
    corpus = indexed_corpus(args.name, project_of(args.place))
    gone = maintenance.removable(corpus)
    if not args.yes and not _agreed(f"Remove {corpus.place} ({format_bytes(gone)})?"):
        warn("nothing was removed")
        raise typer.Exit(1)
    maintenance.remove(corpus)
    if args.output is Format.JSON:
        write_json({"corpus": args.name, "store": str(corpus.place), "bytes": gone})
    else:
        write(f"{args.name}: removed {corpus.place} ({format_bytes(gone)})")


def _agreed(question: str) -> bool:
    if not sys.stdin.isatty():
        raise InputError(
            "cannot ask for confirmation: the input is not a terminal",
            fix="Pass --yes to remove it without asking.",
        )
    return typer.confirm(visible(question), err=True)
