"""The command `eval`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from biblicus_context.base.visible import one_line
from biblicus_context.cli.input.options import FormatOption
from biblicus_context.cli.output.tables import Column, show_table
from biblicus_context.cli.output.terminal import Format, sayable, write_json
from biblicus_context.errors import InputError, LoadError

if TYPE_CHECKING:
    from biblicus_context.cli.input.retrievers import Retriever
    from biblicus_context.evaluation import Collection, Figures


def evaluation(
    collections: Annotated[
        list[Path],
        typer.Argument(metavar="FOLDER", help="Folders with docs.jsonl and queries.jsonl."),
    ],
    retriever: Annotated[
        list[Path] | None,
        typer.Option(
            "--retriever",
            metavar="FILE",
            show_default=False,
            help="A file that declares retrievers; may be repeated. "
            "Without it: the hybrid with its defaults.",
        ),
    ] = None,
    budget: Annotated[
        list[int] | None,
        typer.Option(
            "--budget",
            metavar="N",
            min=1,
            show_default=False,
            help="Tokens; may be repeated. Without it: 256, 512, 1024, 2048 and 4096.",
        ),
    ] = None,
    queries: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Only the first so many queries.")
    ] = None,
    embedder: Annotated[
        str, typer.Option(metavar="NAME", help="What makes the vectors; minilm is a stronger one.")
    ] = "wordllama",
    output: FormatOption = Format.TEXT,
) -> None:
    """Measure how much gold evidence retrievers get into a context, side by side.

    Each query is assembled under every budget; a gold record counts when it is found, as a hit or
    beside one, and its text stands in the context whole. docs.jsonl has a line with id, text and
    metadata for each record, queries.jsonl one with id, text and gold (ids of records) for each
    query, and collection where only records with that value in their metadata are searched.

    Examples:
      biblicus-context eval collection
      biblicus-context eval collection --retriever contexts/search.yaml --budget 512 --format json
    """
    from biblicus_context.evaluation import BUDGETS, evaluate, load_collection  # noqa: PLC0415

    retrievers = _retrievers(retriever or [])
    loaded = _told_apart(collections, [load_collection(folder) for folder in collections])
    budgets = sorted({*budget}) if budget else BUDGETS
    measured: list[Figures] = []
    for collection in loaded:
        with _bar(collection.name) as say:
            measured += evaluate(
                collection,
                {name: each.settings for name, each in retrievers.items()},
                budgets=budgets,
                most=queries,
                embedder=embedder,
                places={name: each.place for name, each in retrievers.items()},
                on_progress=say,
            )
    if output is Format.JSON:
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
    }


def _retrievers(files: Sequence[Path]) -> Mapping[str, Retriever]:
    """The retrievers in these files by their names, else the default."""
    from biblicus_context.cli.input.retrievers import Retriever, retriever_of  # noqa: PLC0415
    from biblicus_context.evaluation.run import DEFAULT  # noqa: PLC0415
    from biblicus_context.reading.files import read_plan  # noqa: PLC0415
    from biblicus_context.reading.load import read_documents  # noqa: PLC0415
    from biblicus_context.spec.retriever import RetrieverDeclaration  # noqa: PLC0415

    if not files:
        return {"hybrid": Retriever(DEFAULT, "retriever 'hybrid'")}
    found: dict[str, Retriever] = {}
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
        raise InputError("no retriever is declared there", found=", ".join(map(str, files)))
    return found


@contextmanager
def _bar(name: str) -> Iterator[Callable[[int, int], None] | None]:
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 - slower than the rest of the command
    from rich.progress import Progress  # noqa: PLC0415

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(sayable(name), total=None)
        yield lambda done, all_of_them: bar.update(task, completed=done, total=all_of_them)


def _print(measured: Sequence[Figures]) -> None:
    budgets = [*measured[0].recall]
    heads = [*map(str, budgets), "mean", "all", "nDCG@10", "p50 ms", "p95 ms"]
    show_table(
        [
            *(Column(name, folds=True) for name in ("collection", "retriever")),
            *(Column(head, right=True) for head in heads),
        ],
        [_row(each) for each in measured],
    )


def _row(figures: Figures) -> list[str]:
    shares = (
        *figures.recall.values(),
        figures.mean_recall,
        figures.mean_all_evidence,
        figures.ndcg_at_10,
    )
    return [
        sayable(one_line(figures.collection)),
        sayable(one_line(figures.retriever)),
        *(f"{100 * share:.1f}" for share in shares),
        f"{figures.p50_ms:.1f}",
        f"{figures.p95_ms:.1f}",
    ]
