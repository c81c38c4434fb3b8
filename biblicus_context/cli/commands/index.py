"""The command `index`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from biblicus_context.base.visible import one_line
from biblicus_context.cli.input.options import FormatOption, Place
from biblicus_context.cli.output.terminal import Format, warn, write, write_json

if TYPE_CHECKING:
    from biblicus_context.corpora import Corpus
    from biblicus_context.errors import ContextError
    from biblicus_context.ingest.summary import Progress, Summary

_LISTED = 20


def index(
    place: Place,
    root: Annotated[
        Path | None,
        typer.Argument(
            metavar="ROOT",
            show_default=False,
            help="The folder, or the file. Without it: the root that the corpus is declared with.",
        ),
    ] = None,
    corpus: Annotated[
        str | None,
        typer.Option(
            "--corpus",
            metavar="NAME",
            show_default=False,
            help="What it is called. Without it: as the folder is.",
        ),
    ] = None,
    *,
    store: Annotated[
        Path | None,
        typer.Option(
            "--store",
            metavar="FOLDER",
            show_default=False,
            help="Where the index is kept. Without it: as the corpus says, or in "
            ".biblicus-context/NAME beside ROOT.",
        ),
    ] = None,
    replace: Annotated[
        bool,
        typer.Option(
            "--replace",
            help="Give up what was indexed of another folder, or of this one where it is empty now.",
        ),
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Index again after every change, until Ctrl-C.")
    ] = False,
    output: FormatOption = Format.TEXT,
) -> None:
    """Make a folder of files searchable, or bring its index up to date.

    The index is kept in .biblicus-context/NAME beside the folder. Only files that have changed are
    read; files that are gone are taken out.

    Examples:
      biblicus-context index contexts --corpus plans
      biblicus-context index contexts --store indexes/plans
      biblicus-context index README.md --format json
    """
    from biblicus_context.cli.input.corpora import (  # noqa: PLC0415
        corpus_to_index,
        declaring_project,
        name_of,
    )

    project = declaring_project(place)
    with corpus_to_index(root, corpus, project, store) as found:
        if watch:
            _watch(found, output, replace=replace)
            return
        _index(found, output, replace=replace)
        name = name_of(found, project)
        if output is Format.TEXT and name != found.name:
            write(f"Search it: biblicus-context search QUESTION --corpus {shlex.quote(name)}")


def _watch(corpus: Corpus, output: Format, *, replace: bool) -> None:
    from threading import Event  # noqa: PLC0415

    from biblicus_context.ingest.watching import watch  # noqa: PLC0415

    def run() -> None:
        _index(corpus, output, replace=replace)

    def say(error: ContextError) -> None:
        warn(f"{error} It is tried again.")

    watch(run, [corpus.root], stop=Event(), settings=corpus.walk, on_error=say)


def _index(corpus: Corpus, output: Format, *, replace: bool) -> None:
    with _bar() as show:
        summary = corpus.ingest(show, replace=replace)
    if output is Format.JSON:
        write_json(_as_json(corpus, summary))
    else:
        _write(corpus, summary)


@contextmanager
def _bar() -> Iterator[Callable[[Progress], None] | None]:
    """A bar with rate and remaining time, where somebody looks at one."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich import progress  # noqa: PLC0415
    from rich.console import Console  # noqa: PLC0415 - slower than the rest of the command

    columns = (
        progress.BarColumn(),
        progress.DownloadColumn(),
        progress.TransferSpeedColumn(),
        progress.TimeRemainingColumn(),
        progress.TextColumn("{task.fields[current]}", markup=False),
    )
    with progress.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("index", total=None, current="")

        def show(at: Progress) -> None:
            bar.update(
                task, completed=at.bytes, total=at.all_bytes or 1, current=one_line(at.current)
            )

        yield show


def _write(corpus: Corpus, summary: Summary) -> None:
    read = len(summary.added) + len(summary.changed)
    write(
        f"{one_line(corpus.name)}: {len(summary.added):,} added, {len(summary.changed):,} changed, "
        f"{summary.unchanged:,} unchanged, {len(summary.removed):,} removed, "
        f"{len(summary.skipped):,} skipped"
    )
    if read:
        write(
            f"{summary.blocks:,} block{'' if summary.blocks == 1 else 's'} "
            f"({summary.tokens:,} token{'' if summary.tokens == 1 else 's'}): {_vectors(summary)}"
            f"{summary.seconds:.1f} s, {summary.megabytes_per_second:.1f} MB/s"
        )
    notes = [
        *(f"skipped {each.name}: {each.reason}" for each in summary.skipped),
        *(f"note on {each.name}: {each.note}" for each in summary.remarks),
    ]
    for note in notes[:_LISTED]:
        write(f"  {one_line(note)}")
    if len(notes) > _LISTED:
        write(f"  and {len(notes) - _LISTED:,} more, which --format json lists")


def _vectors(summary: Summary) -> str:
    """How many texts were embedded, and how many vectors were reused."""
    if summary.hit_rate is None:
        return ""
    return f"{summary.embedded:,} embedded, {summary.known:,} reused; "


def _as_json(corpus: Corpus, summary: Summary) -> dict[str, Any]:
    skipped = [each._asdict() for each in summary.skipped]
    remarks = [each._asdict() for each in summary.remarks]
    return {
        "corpus": corpus.name,
        "root": str(corpus.root),
        "store": str(corpus.place),
        **asdict(summary),
        "skipped": skipped,
        "remarks": remarks,
    }
