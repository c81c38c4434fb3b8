"""The command `corpus check`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Final

import typer

from biblicus_context.cli.corpus_options import CorpusName
from biblicus_context.cli.options import FormatOption, Place
from biblicus_context.cli.terminal import Format, warn, write, write_json

PROGRAM: Final = "biblicus-context"


def check(name: CorpusName, place: Place, output: FormatOption = Format.TEXT) -> None:
    """Check an index: its database, its full-text index, its embeddings. Nothing is changed.

    Examples:
      biblicus-context corpus check plans
      biblicus-context corpus check plans --format json
    """
    from biblicus_context.cli.corpora import indexed_corpus, project_of  # noqa: PLC0415
    from biblicus_context.corpora import maintenance  # noqa: PLC0415

    project = project_of(place)
    with indexed_corpus(name, project) as corpus:
        problems = maintenance.check(corpus)
    if output is Format.JSON:
        store = str(corpus.place)
        account = {"corpus": name, "store": store, "sound": not problems}
        write_json({**account, "problems": [*problems]})
    else:
        for problem in problems or ("sound",):
            write(f"{name}: {problem}")
    if problems:
        root = corpus.root if project and name in project.corpora else "PATH"
        warn(f"The index can be made again from its files. Run: {_made_again(name, root)}")
        raise typer.Exit(1)


def _made_again(name: str, root: Path | str) -> str:
    """The commands that make an index as if there had never been one."""
    remove = shlex.join([PROGRAM, "corpus", "remove", name, "--yes"])
    return f"{remove} && {shlex.join([PROGRAM, 'index', str(root), '--corpus', name])}"
