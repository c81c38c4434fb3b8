"""The command `eval`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from itertools import product
from pathlib import Path
from typing import Any

from biblicus_context.base.visible import one_line
from biblicus_context.cli.input.chosen_retriever import ChosenRetriever, retriever_of
from biblicus_context.cli.options.corpora import EvalArguments
from biblicus_context.cli.output.tables import Column, show_table
from biblicus_context.cli.output.terminal import Format, sayable, write_json
from biblicus_context.errors import InputError, LoadError
from biblicus_context.evaluation import BUDGETS, Collection, Figures, evaluate, load_collection
from biblicus_context.evaluation.run import DEFAULT, INDEXED_AS
from biblicus_context.reading.files import read_plan
from biblicus_context.reading.load import read_documents
from biblicus_context.spec.retriever import RetrieverDeclaration


def evaluation(args: EvalArguments) -> None:
    retrievers = _retrievers(args.retriever or [])
    loaded = _told_apart(args.collections, [load_collection(folder) for folder in args.collections])
    budgets = sorted({*args.budget}) if args.budget else BUDGETS
    measured: list[Figures] = []
    for collection, indexed_as in product(loaded, INDEXED_AS if args.as_files else ("blocks",)):
        with _bar(f"{collection.name} as {indexed_as}") as say:
            measured += evaluate(
                collection,
                {name: each.settings for name, each in retrievers.items()},
                budgets=budgets,
                most=args.queries,
                embedder=args.embedder,
                indexed_as=indexed_as,
                places={name: each.place for name, each in retrievers.items()},
                on_progress=say,
            )
    if args.output is Format.JSON:
        write_json([_as_json(each) for each in measured])
    else:
        _print(measured)


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


def _retrievers(files: Sequence[Path]) -> Mapping[str, ChosenRetriever]:
    """The retrievers in these files by their names, else the default."""

    if not files:
        return {"hybrid": ChosenRetriever(DEFAULT, "retriever 'hybrid'")}
    found: dict[str, ChosenRetriever] = {}
    for file in files:
        for document in read_documents(read_plan(file), str(file)):
            if isinstance(document, LoadError):
                raise document
            if isinstance(document.declaration, RetrieverDeclaration):
                name = document.declaration.name
                if name in found:
                    name = f"{name} ({document.file}:{document.line})"
                found[name] = retriever_of(document.declaration, document.file, document.line)
    if not found:
        raise InputError(
            "no retriever is declared in these files", found=", ".join(map(str, files))
        )
    return found


@contextmanager
def _bar(name: str) -> Iterator[Callable[[int, int], None] | None]:
    if not sys.stderr.isatty():
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
    show_table(
        [
            *(Column(name, folds=True) for name in ("collection", "retriever")),
            *(Column(head, right=True) for head in heads),
        ],
        [_row(each) for each in measured],
    )


def _label(figures: Figures) -> str:
    whole = figures.indexed_as == "blocks"
    return figures.collection if whole else f"{figures.collection} as {figures.indexed_as}"


def _row(figures: Figures) -> list[str]:
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
    ]
