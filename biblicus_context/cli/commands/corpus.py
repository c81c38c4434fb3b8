"""The commands `corpus list`, `info`, `check`, `vacuum`, `export` and `remove`."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, replace
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple

import typer

from biblicus_context.base.visible import one_line, visible
from biblicus_context.cli.help_texts import PROGRAM
from biblicus_context.cli.input.corpora import (
    declaring_project,
    indexed_corpus,
    known_corpora,
    principal_of,
)
from biblicus_context.cli.options.corpora import (
    CorpusCheckArguments,
    CorpusCopyArguments,
    CorpusExportArguments,
    CorpusImportArguments,
    CorpusInfoArguments,
    CorpusListArguments,
    CorpusRemoveArguments,
    CorpusVacuumArguments,
)
from biblicus_context.cli.output.saving import saving
from biblicus_context.cli.output.tables import Column, show_table
from biblicus_context.cli.output.terminal import (
    Format,
    format_bytes,
    note,
    sayable,
    warn,
    write,
    write_json,
)
from biblicus_context.cli.output.verbosity import is_quiet
from biblicus_context.corpora import Corpus, NotIndexedError, maintenance
from biblicus_context.corpora.copying import copied
from biblicus_context.corpora.exporting import exported
from biblicus_context.corpora.importing import exported_name, imported
from biblicus_context.corpora.index_location import store_of
from biblicus_context.corpora.maintenance import Account, account, languages
from biblicus_context.corpora.staleness import Staleness, measure_staleness
from biblicus_context.errors import InputError
from biblicus_context.stores import Principal, StoreError


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


def info(args: CorpusInfoArguments) -> None:
    with indexed_corpus(
        args.name, declaring_project(args.place, needs=args.name), principal_of(args.who)
    ) as corpus:
        found, code, since = account(corpus), languages(corpus), measure_staleness(corpus)
        if args.output is Format.JSON:
            write_json(_summary_as_json(corpus, found, code, since))
            return
        lines = [*_lines(corpus, found, code, since)]
        width = max(len(label) for label, _ in lines)
        for label, value in lines:
            write(f"{label:{width}}  {value}")


_NOT_COMPLETE: Final[dict[bool | None, str]] = {
    True: "no: it is being made at this moment",
    False: "no: its making was interrupted; run index to finish it",
    None: "no: it is being made, or that was interrupted; run index to finish it",
}


def _lines(
    corpus: Corpus, found: Account, code: Mapping[str, int], since: Staleness | None
) -> Iterator[tuple[str, str]]:
    info = found.info
    yield "corpus", corpus.name
    yield "index", corpus.store_name
    if corpus.root is not None:
        yield "files", str(corpus.source or "not known")
    yield "size", format_bytes(found.bytes)
    yield "workspace", corpus.principal.workspace
    changed = f", written {found.changed:%Y-%m-%d %H:%M:%S} UTC" if found.changed else ""
    yield "version", f"{info.version:,}{changed}"
    if corpus.index.is_partial:
        yield "complete", _NOT_COMPLETE[corpus.index.is_being_made]
    if since is not None and any(since):
        parts = _counted(None, {name: count for name, count in since._asdict().items() if count})
        yield "since then", f"{parts}; run index to update it"
    yield "documents", _counted(info.documents, info.kinds)
    if code:
        yield "languages", _counted(None, code)
    yield "blocks", f"{info.blocks:,}"
    yield "tokens", f"{info.tokens:,}"
    yield "relations", f"{info.relations:,}"
    for model, count in info.vectors.items():
        share = f"{100 * found.coverage(model):.1f} % of the blocks"
        yield "embeddings", f"{model}: {count.rows:,} of {count.dimensions} numbers each, {share}"
    if not info.vectors:
        yield "embeddings", "none"
    for kind, counted in (corpus.index.cache_counts or {}).items():
        asked = counted["hits"] + counted["misses"]
        share = f"{100 * counted['hits'] / asked:.0f} %" if asked else "none"
        yield "cache", f"{kind}: {share} of {asked:,} requests in seven days found there"
    if waiting := _waiting(corpus, found):
        yield "waiting", f"{waiting:,} blocks have quick vectors only; run index to embed them"


def _waiting(corpus: Corpus, found: Account) -> int:
    """Blocks that have only the vectors of a quick embedder."""
    embedder, quick = corpus.embedder, corpus.index.quick_embedder
    if embedder is None or quick is None:
        return 0
    return found.waiting(embedder.model)


def _counted(total: int | None, parts: Mapping[str, int]) -> str:
    listed = ", ".join(f"{name} {count:,}" for name, count in parts.items())
    return listed if total is None else f"{total:,}" + (f": {listed}" if listed else "")


def _summary_as_json(
    corpus: Corpus, found: Account, code: Mapping[str, int], since: Staleness | None
) -> dict[str, Any]:
    return {
        "name": corpus.name,
        "store": corpus.store_name,
        "source": str(corpus.source) if corpus.source else None,
        "workspace": corpus.principal.workspace,
        "complete": not corpus.index.is_partial,
        **figures(found),
        "since": since._asdict() if since is not None else None,
        "relations": found.info.relations,
        "kinds": dict(found.info.kinds),
        "languages": dict(code),
        "waiting": _waiting(corpus, found),
        "cache": corpus.index.cache_counts,
        "coverage": {model: found.coverage(model) for model in found.info.vectors},
    }


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


def copy(args: CorpusCopyArguments) -> None:
    principal = replace(principal_of(args.who), sees_all=True)
    place = declaring_project(args.place, needs=args.name)
    with (
        indexed_corpus(args.name, place, principal) as source,
        Corpus.open_records(args.to, name=source.name, principal=principal) as target,
    ):
        done = copied(source, target, lambda count: note(f"documents compared: {count:,}"))
        where = target.store_name
    if args.output is Format.JSON:
        write_json({"corpus": source.name, "store": where, **asdict(done)})
    elif not is_quiet():
        write(
            f"{source.name} is in {where}. Documents: {done.documents:,}, of them written now:"
            f" {done.written:,}; blocks: {done.blocks:,}"
        )


def import_(args: CorpusImportArguments) -> None:
    principal = replace(principal_of(args.who), sees_all=True)
    with ExitStack() as opened:
        lines: Iterable[str] = sys.stdin
        if str(args.file) != "-":
            lines = opened.enter_context(args.file.open(encoding="utf-8"))
        rest = iter(lines)
        first = next(rest, "")
        corpus = opened.enter_context(
            Corpus.open_records(
                args.to, name=args.corpus or exported_name(first), principal=principal
            )
        )
        done = imported(corpus, chain([first], rest))
        where = corpus.store_name
    if args.output is Format.JSON:
        write_json({"store": where, **asdict(done)})
    elif not is_quiet():
        write(
            f"{done.name} is in {where}. Documents: {done.documents:,}; blocks: {done.blocks:,};"
            f" relations: {done.relations:,}"
        )


def remove(args: CorpusRemoveArguments) -> None:
    project = declaring_project(args.place, needs=args.name)
    corpus = indexed_corpus(args.name, project, Principal(args.workspace, sees_all=True))
    if not corpus.index.is_in_folder:
        _forget(corpus, args)
        return
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


def _forget(corpus: Corpus, args: CorpusRemoveArguments) -> None:
    """One workspace on a server: what others keep there nobody here can tell."""
    with corpus:
        documents = account(corpus).info.documents
        where = f"{documents:,} documents of workspace '{args.workspace}' in {corpus.store_name}"
        lost = "" if corpus.root else " No file has them."
        if not args.yes and not _agreed(f"Remove {where}?{lost}"):
            note("nothing was removed")
            raise typer.Exit(1)
        maintenance.forget(corpus)
    if args.output is Format.JSON:
        own = {"workspace": args.workspace, "documents": documents}
        write_json({"corpus": args.name, "store": corpus.store_name, **own})
    elif not is_quiet():
        write(f"{args.name}: removed {where}")


def _agreed(question: str) -> bool:
    if not sys.stdin.isatty():
        raise InputError(
            "cannot ask for confirmation: the input is not a terminal",
            fix="Pass --yes to remove it without asking.",
        )
    return typer.confirm(visible(question), err=True)


def vacuum(args: CorpusVacuumArguments) -> None:
    with indexed_corpus(args.name, declaring_project(args.place, needs=args.name)) as corpus:
        sizes = maintenance.vacuum(corpus)
    if args.output is Format.JSON:
        write_json({"corpus": args.name, "store": corpus.store_name, **sizes._asdict()})
    elif not is_quiet():
        write(
            f"{args.name}: {format_bytes(sizes.before)} before, {format_bytes(sizes.after)} after"
        )
