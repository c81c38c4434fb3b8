"""The command `index`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from threading import Event
from typing import Any

from biblicus_context.base.visible import one_line
from biblicus_context.cli.input.corpora import (
    allowed_keys,
    corpus_to_index,
    declaring_project,
    name_of,
)
from biblicus_context.cli.options.corpora import IndexArguments
from biblicus_context.cli.output.terminal import Format, warn, write, write_json
from biblicus_context.corpora import Corpus
from biblicus_context.errors import ContextError
from biblicus_context.ingest import watching
from biblicus_context.ingest.summary import Progress, Summary

_LISTED = 20


def index(args: IndexArguments) -> None:
    project = declaring_project(args.place)
    with corpus_to_index(
        args.root, args.corpus, project, args.store, allowed_keys(args.allow_key)
    ) as found:
        if args.watch:
            _watch(found, args.output, replace=args.replace)
            return
        _index(found, args.output, replace=args.replace)
        name = name_of(found, project)
        if args.output is Format.TEXT and name != found.name:
            write(f"Search it: biblicus-context search QUERY --corpus {shlex.quote(name)}")


def _watch(corpus: Corpus, output: Format, *, replace: bool) -> None:

    def run() -> None:
        _index(corpus, output, replace=replace)

    def say(error: ContextError) -> None:
        warn(f"{error} Retrying.")

    watching.watch(run, [corpus.root], stop=Event(), settings=corpus.walk, on_error=say)


def _index(corpus: Corpus, output: Format, *, replace: bool) -> None:
    with _bar() as show:
        summary = corpus.ingest(show, replace=replace)
    if output is Format.JSON:
        write_json(_as_json(corpus, summary))
    else:
        _write(corpus, summary)


@contextmanager
def _bar() -> Iterator[Callable[[Progress], None] | None]:
    """A progress bar with rate and remaining time, if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich import progress
    from rich.console import Console  # slower than the rest of the command

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
        write(f"  and {len(notes) - _LISTED:,} more; list all with --format json")


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
