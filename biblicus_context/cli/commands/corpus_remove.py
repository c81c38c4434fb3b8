"""The command `corpus remove`."""

from __future__ import annotations

import sys

import typer

from biblicus_context.base.visible import visible
from biblicus_context.cli.input.corpora import declaring_project, indexed_corpus
from biblicus_context.cli.options.corpora import CorpusRemoveArguments
from biblicus_context.cli.output.terminal import Format, format_bytes, note, write, write_json
from biblicus_context.cli.output.verbosity import is_quiet
from biblicus_context.corpora import maintenance
from biblicus_context.errors import InputError


def remove(args: CorpusRemoveArguments) -> None:
    corpus = indexed_corpus(args.name, declaring_project(args.place, needs=args.name))
    gone = maintenance.removable(corpus)
    lost = "" if corpus.root else " No file has its documents."
    if not args.yes and not _agreed(f"Remove {corpus.place} ({format_bytes(gone)})?{lost}"):
        note("nothing was removed")
        raise typer.Exit(1)
    maintenance.remove(corpus)
    if args.output is Format.JSON:
        write_json({"corpus": args.name, "store": corpus.store_name, "bytes": gone})
    elif not is_quiet():
        write(f"{args.name}: removed {corpus.place} ({format_bytes(gone)})")


def _agreed(question: str) -> bool:
    if not sys.stdin.isatty():
        raise InputError(
            "cannot ask for confirmation: the input is not a terminal",
            fix="Pass --yes to remove it without asking.",
        )
    return typer.confirm(visible(question), err=True)
