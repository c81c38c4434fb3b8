"""The command `corpus export`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from biblicus_context.cli.input.corpora import indexed_corpus, project_of
from biblicus_context.cli.input.corpus_options import CorpusName, PrincipalOptions
from biblicus_context.cli.input.data_files import STANDARD
from biblicus_context.cli.input.options import ProjectOptions
from biblicus_context.cli.output.saving import saving
from biblicus_context.corpora.exporting import exported


def export(
    name: CorpusName,
    place: ProjectOptions,
    who: PrincipalOptions,
    to: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="File to write; - is standard output."),
    ] = Path(STANDARD),
    *,
    vectors: Annotated[bool, typer.Option("--vectors", help="Include embeddings.")] = False,
    everything: Annotated[
        bool,
        typer.Option(
            "--everything", help="Include documents that only some users of the workspace may read."
        ),
    ] = False,
) -> None:
    """Write one version of a corpus as JSON Lines: documents, blocks and relations.

    The first line describes the corpus. Each document is followed by its blocks and relations. Only
    what the given workspace, user and groups may read is written.

    Examples:
      biblicus-context corpus export plans
      biblicus-context corpus export plans --vectors --output plans.jsonl
    """

    principal = replace(who.principal, sees_all=everything)
    with indexed_corpus(name, project_of(place), principal) as corpus, saving(to) as write:
        for line in exported(corpus, vectors=vectors):
            write(json.dumps(line, ensure_ascii=False) + "\n")
