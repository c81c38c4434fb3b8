"""The command `corpus vacuum`."""

from __future__ import annotations

from biblicus_context.cli.input.corpora import declaring_project, indexed_corpus
from biblicus_context.cli.options.corpora import CorpusVacuumArguments
from biblicus_context.cli.output.terminal import Format, format_bytes, write, write_json
from biblicus_context.cli.output.verbosity import is_quiet
from biblicus_context.corpora import maintenance


def vacuum(args: CorpusVacuumArguments) -> None:
    with indexed_corpus(args.name, declaring_project(args.place, needs=args.name)) as corpus:
        sizes = maintenance.vacuum(corpus)
    if args.output is Format.JSON:
        write_json({"corpus": args.name, "store": corpus.store_name, **sizes._asdict()})
    elif not is_quiet():
        write(
            f"{args.name}: {format_bytes(sizes.before)} before, {format_bytes(sizes.after)} after"
        )
