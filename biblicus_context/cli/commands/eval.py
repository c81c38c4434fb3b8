"""The command `eval`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from itertools import product
from pathlib import Path
from typing import Any, Final

import typer

from biblicus_context.base.temporary import temporary_folder
from biblicus_context.base.visible import one_line
from biblicus_context.cli.input.budgets import budgets_of
from biblicus_context.cli.input.chosen_retriever import measured_retrievers
from biblicus_context.cli.input.corpora import (
    allowed_keys,
    declaring_project,
    indexed_corpus,
    ready_corpus,
)
from biblicus_context.cli.options.corpora import EvalArguments
from biblicus_context.cli.output.tables import Column, show_table
from biblicus_context.cli.output.terminal import Format, detail, sayable, warn, write_json
from biblicus_context.cli.output.verbosity import is_quiet
from biblicus_context.corpora import Corpus
from biblicus_context.errors import InputError
from biblicus_context.evaluation import (
    BUDGETS,
    Collection,
    Figures,
    Question,
    evaluate_corpus,
    evaluate_pool,
    load_collection,
    load_questions,
)
from biblicus_context.evaluation.questions import LINES, TABLES
from biblicus_context.evaluation.run import AS_IT_IS, INDEXED_AS

_FAILED: Final = 1


def evaluation(args: EvalArguments) -> None:
    tables = [each for each in args.sources if each.suffix.lower() in (*TABLES, *LINES)]
    folders = [each for each in args.sources if each not in tables]
    if args.as_files and tables:
        problem = "--as-files is for records, and questions are about a corpus as it is indexed"
        raise InputError(problem, fix="Omit it.")
    loaded = _told_apart(folders, [load_collection(folder) for folder in folders])
    questions = [(table, load_questions(table)) for table in tables]
    measured = [
        figures for table, asked in questions for figures in _over_corpus(args, table, asked)
    ]
    measured += _over_records(args, loaded)
    if args.output is Format.JSON:
        write_json([_as_json(each) for each in measured])
    else:
        _print(measured)
    if args.at_least is not None and _fall_short(measured, args.at_least):
        raise typer.Exit(_FAILED)


def _fall_short(measured: Sequence[Figures], least: float) -> bool:
    """Whether a retriever finds less than it has to; standard error names each one."""
    short = [each for each in measured if each.recall[max(each.recall)] < least]
    for each in short:
        budget = max(each.recall)
        warn(
            f"{each.retriever}: recall {each.recall[budget]:.3f} in {budget:,} tokens, "
            f"less than {least:g} ({one_line(_label(each))})"
        )
    return bool(short)


def _over_corpus(args: EvalArguments, table: Path, asked: Sequence[Question]) -> list[Figures]:
    """A corpus as it is indexed, measured by questions."""
    project = declaring_project(args.place, needs=args.corpus)
    as_it_is = indexed_corpus(args.corpus, project, allowed=allowed_keys(args.allow_key))
    retrievers = measured_retrievers(args.retriever, project, as_it_is.name)
    with _embedded_with(args.embedder, as_it_is) as corpus, _bar(_title(corpus, table)) as say:
        found = evaluate_corpus(
            corpus,
            asked,
            {name: each.settings for name, each in retrievers.items()},
            budgets=_budgets(args),
            most=args.queries,
            places={name: each.place for name, each in retrievers.items()},
            on_progress=say,
        )
    return [replace(each, collection=_title(corpus, table)) for each in found]


def _title(corpus: Corpus, table: Path) -> str:
    return f"{corpus.name} by {table.name}"


@contextmanager
def _embedded_with(embedder: str | None, corpus: Corpus) -> Iterator[Corpus]:
    """The corpus as it is indexed, or its files with another embedder, in a temporary folder."""
    if embedder is None:
        yield ready_corpus(corpus)
        return
    with temporary_folder() as folder:
        yield ready_corpus(corpus.with_embedder(embedder, folder / "index"), at_once=None)


def _over_records(args: EvalArguments, loaded: Sequence[Collection]) -> list[Figures]:
    """Collections of records, indexed for this."""
    _require_two(args, loaded)
    if not loaded:
        return []
    project = declaring_project(args.place) if args.retriever else None
    retrievers = measured_retrievers(args.retriever, project)
    measured: list[Figures] = []
    asked = (
        [_with_foreign(each, loaded, args.queries) for each in loaded] if args.foreign else loaded
    )
    # In a pool no query is foreign: the evidence of every collection is there.
    corpora = [[each] for each in asked] + ([[*loaded]] if args.pool else [])
    for collections, indexed_as in product(corpora, INDEXED_AS if args.as_files else ("blocks",)):
        with _bar(f"{', '.join(each.name for each in collections)} as {indexed_as}") as say:
            measured += evaluate_pool(
                collections,
                {name: each.settings for name, each in retrievers.items()},
                budgets=_budgets(args),
                most=args.queries,
                embedder=args.embedder,
                indexed_as=indexed_as,
                places={name: each.place for name, each in retrievers.items()},
                on_progress=say,
            )
    return measured


def _require_two(args: EvalArguments, loaded: Sequence[Collection]) -> None:
    """Refuse options that compare collections if there is nothing to compare."""
    if len(loaded) > 1:
        return
    if args.foreign:
        fix = "Name another collection, whose queries are asked of this one."
        raise InputError("--foreign needs two collections", fix=fix)
    if args.pool:
        fix = "Name another collection, which is put into the same corpus."
        raise InputError("--pool needs two collections", fix=fix)


def _with_foreign(
    collection: Collection, loaded: Sequence[Collection], most: int | None
) -> Collection:
    """The collection with the queries of all others, up to `most` of each."""
    others = (each for each in loaded if each is not collection)
    asked = tuple(query.text for each in others for query in each.queries[:most])
    return replace(collection, foreign=asked)


def _budgets(args: EvalArguments) -> Sequence[int]:
    return sorted({*budgets_of(args.budget or ())}) or BUDGETS


def _told_apart(folders: Sequence[Path], loaded: Sequence[Collection]) -> list[Collection]:
    """The collections; those whose folders have the same name are called by their paths."""
    names = [each.name for each in loaded]
    return [
        replace(each, name=str(folder)) if names.count(each.name) > 1 else each
        for folder, each in zip(folders, loaded, strict=True)
    ]


def _as_json(figures: Figures) -> dict[str, Any]:
    return {
        **asdict(figures),
        "mean_recall": figures.mean_recall,
        "mean_all_evidence": figures.mean_all_evidence,
        "mean_filled": figures.mean_filled,
    }


@contextmanager
def _bar(name: str) -> Iterator[Callable[[int, int], None] | None]:
    if not sys.stderr.isatty() or is_quiet():
        yield None
        return
    from rich.console import Console  # slower than the rest of the command
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(sayable(name), total=None)
        yield lambda done, all_of_them: bar.update(task, completed=done, total=all_of_them)


def _print(measured: Sequence[Figures]) -> None:
    budgets = [*measured[0].recall]
    heads = [*map(str, budgets), "mean", "all", "filled", "nDCG@10", "p50 ms", "p95 ms"]
    shows_silent = any(each.silent is not None for each in measured)
    if shows_silent:
        heads.append("silent")
    show_table(
        [
            *(Column(name, folds=True) for name in ("collection", "retriever")),
            *(Column(head, right=True) for head in heads),
        ],
        [_row(each, shows_silent=shows_silent) for each in measured],
    )
    for each in measured:
        for question in each.missed:
            detail(f"{each.retriever}: not all files are found: {one_line(question)}")


def _label(figures: Figures) -> str:
    usual = figures.indexed_as in ("blocks", AS_IT_IS)
    name = f"{figures.collection} in a pool" if figures.pooled_with else figures.collection
    return name if usual else f"{name} as {figures.indexed_as}"


def _row(figures: Figures, *, shows_silent: bool) -> list[str]:
    shares = (
        *figures.recall.values(),
        figures.mean_recall,
        figures.mean_all_evidence,
        figures.mean_filled,
        figures.ndcg_at_10,
    )
    return [
        sayable(one_line(_label(figures))),
        sayable(one_line(figures.retriever)),
        *(f"{100 * share:.1f}" for share in shares),
        f"{figures.p50_ms:.1f}",
        f"{figures.p95_ms:.1f}",
        *([_share(figures.silent)] if shows_silent else []),
    ]


def _share(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}"
