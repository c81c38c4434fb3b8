"""The command `corpus list`."""

from __future__ import annotations

from typing import Any, NamedTuple

from biblicus_context.base.visible import one_line
from biblicus_context.cli.input.corpora import (
    declaring_project,
    indexed_corpus,
    known_corpora,
    principal_of,
)
from biblicus_context.cli.options.corpora import CorpusListArguments
from biblicus_context.cli.output.tables import Column, show_table
from biblicus_context.cli.output.terminal import Format, format_bytes, sayable, warn, write_json
from biblicus_context.corpora import Corpus, NotIndexedError
from biblicus_context.corpora.maintenance import Account, account
from biblicus_context.stores import StoreError


class _Listed(NamedTuple):
    """A corpus, and what is in its index or why that cannot be said."""

    name: str
    """What the other commands call it."""
    corpus: Corpus
    declared: bool
    account: Account | None
    problem: str | None


def list_corpora(args: CorpusListArguments) -> None:
    project = declaring_project(args.place)
    declared = project.corpora if project else {}
    listed = [
        _listed(
            name, indexed_corpus(name, project, principal_of(args.who)), declared=name in declared
        )
        for name in known_corpora(project)
    ]
    if args.output is Format.JSON:
        write_json([_as_json(each) for each in listed])
    elif listed:
        _print(listed)
    else:
        warn("no corpus is declared or indexed here")


def _listed(name: str, corpus: Corpus, *, declared: bool) -> _Listed:

    with corpus:
        try:
            return _Listed(name, corpus, declared, account(corpus), None)
        except NotIndexedError:
            return _Listed(name, corpus, declared, None, None)
        except StoreError as error:
            return _Listed(name, corpus, declared, None, str(error))


def _print(listed: list[_Listed]) -> None:
    show_table(
        [
            Column("corpus", folds=True),
            Column("documents", right=True),
            Column("blocks", right=True),
            Column("embeddings", folds=True),
            Column("size", right=True),
            Column("version", right=True),
            Column("last change"),
        ],
        [[sayable(one_line(each.name)), *_cells(each)] for each in listed],
    )
    for each in listed:
        if each.problem:
            warn(f"{each.name}: {each.problem}")


def _cells(listed: _Listed) -> list[str]:
    account = listed.account
    if account is None:
        missing = "not indexed" if listed.corpus.root else "nothing written"
        return ["cannot be read" if listed.problem else missing, *[""] * 5]
    info = account.info
    return [
        f"{info.documents:,}",
        f"{info.blocks:,}",
        sayable(", ".join(info.vectors) or "none"),
        format_bytes(account.bytes),
        f"{info.version:,}",
        f"{account.changed:%Y-%m-%d %H:%M} UTC" if account.changed else "never",
    ]


def _as_json(listed: _Listed) -> dict[str, Any]:
    corpus = listed.corpus
    return {
        "name": listed.name,
        "declared": listed.declared,
        "root": str(corpus.root) if corpus.root and listed.declared else None,
        "store": corpus.store_name,
        "problem": listed.problem,
        **(figures(listed.account) if listed.account else {}),
    }


def figures(account: Account) -> dict[str, Any]:
    """What an index holds, as values of JSON."""
    info = account.info
    return {
        "version": info.version,
        "changed": account.changed.isoformat() if account.changed else None,
        "documents": info.documents,
        "blocks": info.blocks,
        "tokens": info.tokens,
        "vectors": {model: count.rows for model, count in info.vectors.items()},
        "bytes": account.bytes,
    }
