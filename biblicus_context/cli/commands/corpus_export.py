"""The command `corpus export`."""

from __future__ import annotations

import json
from dataclasses import replace

from biblicus_context.cli.input.corpora import declaring_project, indexed_corpus, principal_of
from biblicus_context.cli.options.corpora import CorpusExportArguments
from biblicus_context.cli.output.saving import saving
from biblicus_context.corpora.exporting import exported


def export(args: CorpusExportArguments) -> None:
    principal = replace(principal_of(args.who), sees_all=args.everything)
    with (
        indexed_corpus(
            args.name, declaring_project(args.place, needs=args.name), principal
        ) as corpus,
        saving(args.to) as write,
    ):
        for line in exported(corpus, vectors=args.vectors):
            write(json.dumps(line, ensure_ascii=False) + "\n")
