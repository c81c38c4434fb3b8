"""The command `corpus check`."""

from __future__ import annotations

import shlex
from pathlib import Path

import typer

from biblicus_context.cli.help_texts import PROGRAM
from biblicus_context.cli.input.corpora import declaring_project, indexed_corpus
from biblicus_context.cli.options.corpora import CorpusCheckArguments
from biblicus_context.cli.output.terminal import Format, note, write, write_json
from biblicus_context.corpora import Corpus, maintenance
from biblicus_context.corpora.index_location import store_of
from biblicus_context.stores import StoreError


def check(args: CorpusCheckArguments) -> None:
    project = declaring_project(args.place, needs=args.name)
    with indexed_corpus(args.name, project) as corpus:
        problems = maintenance.check(corpus)
    if args.output is Format.JSON:
        store = corpus.store_name
        account = {"corpus": args.name, "store": store, "sound": not problems}
        write_json({**account, "problems": [*problems]})
    else:
        for problem in problems or ("sound",):
            write(f"{args.name}: {problem}")
    if problems:
        if corpus.root is not None and maintenance.is_removable(corpus):
            declared = project is not None and args.name in project.corpora
            root = [] if declared else _root_and_store(corpus, corpus.root)
            again = f"{_run('corpus', 'remove', args.name, '--yes')} && "
            again += _run("index", *root, "--corpus", corpus.name)
            note(f"The index can be rebuilt from its files. Run: {again}")
        raise typer.Exit(1)


def _run(*arguments: str) -> str:
    return shlex.join([PROGRAM, *arguments])


def _root_and_store(corpus: Corpus, guessed: Path) -> list[str]:
    """The arguments for `index`, as far as the source of this index is known."""

    try:
        root = corpus.source or guessed
    except StoreError:
        root = guessed
    if not root.exists():
        return ["PATH"]
    is_usual = store_of(root, corpus.name) == corpus.place
    return [str(root)] if is_usual else [str(root), "--store", str(corpus.place)]
