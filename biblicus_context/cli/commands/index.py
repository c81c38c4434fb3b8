"""The command `index`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from threading import Event
from typing import Any

import typer

from biblicus_context.base.visible import one_line
from biblicus_context.cli.help_texts import PROGRAM
from biblicus_context.cli.input.corpora import (
    allowed_keys,
    corpus_to_index,
    declared_names,
    declaring_project,
    name_of,
)
from biblicus_context.cli.main import COULD_NOT_RUN
from biblicus_context.cli.options.corpora import IndexArguments
from biblicus_context.cli.output.failures import failure_of, report
from biblicus_context.cli.output.terminal import Format, note, warn, write, write_json
from biblicus_context.cli.output.verbosity import is_quiet
from biblicus_context.corpora import Corpus
from biblicus_context.corpora.maintenance import vacuum
from biblicus_context.errors import ContextError, InputError
from biblicus_context.ingest import watching
from biblicus_context.ingest.summary import Progress, Summary
from biblicus_context.reading import Project

_LISTED = 20
_MANY = 1_000
"""Blocks whose earlier copies are worth a second."""


def index(args: IndexArguments) -> None:
    project = declaring_project(args.place, needs=args.corpus)
    if args.root is not None or args.corpus is not None:
        _index_one(args, args.corpus, project)
        return
    names = declared_names(project)
    if not args.watch and not args.store:
        _index_all(args, names, project)
    elif len(names) == 1:
        _index_one(args, names[0], project)
    else:
        option = "--watch" if args.watch else "--store"
        problem = f"{option} is for one corpus, and {len(names)} are declared"
        raise InputError(problem, fix="Pass --corpus NAME.", valid=names)


def _index_one(args: IndexArguments, name: str | None, project: Project | None) -> None:
    with _opened(args, name, project) as found:
        if args.watch and found.root is not None:
            _watch(found, found.root, args)
            return
        _tell(found, _ingested(found, args), args.output)
        known_as = name_of(found, project)
        if known_as != found.name and args.output is Format.TEXT and not is_quiet():
            write(f"Search it: {PROGRAM} search QUERY --corpus {shlex.quote(known_as)}")


def _index_all(args: IndexArguments, names: Sequence[str], project: Project | None) -> None:
    """Every declared corpus; one that fails does not stop the others."""
    accounts: list[dict[str, Any]] = []
    failures = 0
    for name in names:
        try:
            with _opened(args, name, project) as corpus:
                if corpus.root is None:
                    note(f"{corpus.name}: it has no root, so there is nothing to read")
                    continue
                summary = _ingested(corpus, args)
                accounts.append(_as_json(corpus, summary))
                if args.output is Format.TEXT and not is_quiet():
                    _write(corpus, summary)
        except ContextError as error:
            failure = failure_of(error.within(f"corpus '{name}'"))
            report(failure, as_json=False)
            accounts.append({"corpus": name, "error": failure.as_json()})
            failures += 1
    if args.output is Format.JSON:
        write_json(accounts)
    if failures:
        raise typer.Exit(COULD_NOT_RUN)


def _opened(args: IndexArguments, name: str | None, project: Project | None) -> Corpus:
    allowed = allowed_keys(args.allow_key)
    return corpus_to_index(args.root, name, project, args.store, allowed)


def _watch(corpus: Corpus, root: Path, args: IndexArguments) -> None:
    if corpus.history is not None:
        problem = f"--watch watches files, and corpus '{corpus.name}' has source: git"
        raise InputError(problem, fix="Run index after each commit, such as in a git hook.")

    def run() -> None:
        _tell(corpus, _ingested(corpus, args), args.output)

    def say(error: ContextError) -> None:
        warn(f"{error} Retrying.")

    watching.watch(run, [root], stop=Event(), settings=corpus.walk, on_error=say)


def _ingested(corpus: Corpus, args: IndexArguments) -> Summary:
    with _bar() as show:
        summary = corpus.ingest(show, replace=args.replace, at_once=0 if args.quick else None)
    if corpus.index.quick_embedder is not None and summary.embedded > _MANY:
        vacuum(corpus)  # blocks that were embedded were written twice
    return summary


def _tell(corpus: Corpus, summary: Summary, output: Format) -> None:
    if output is Format.JSON:
        write_json(_as_json(corpus, summary))
    elif not is_quiet():
        _write(corpus, summary)


@contextmanager
def _bar() -> Iterator[Callable[[Progress], None] | None]:
    """A progress bar with rate and remaining time, if standard error is a terminal."""
    if not sys.stderr.isatty() or is_quiet():
        yield None
        return
    from rich import progress
    from rich.console import Console  # slower than the rest of the command

    console = Console(stderr=True)
    rest = (
        progress.TimeRemainingColumn(),
        progress.TextColumn("{task.fields[current]}", markup=False),
    )
    columns = {
        "reading": (progress.DownloadColumn(), progress.TransferSpeedColumn(), *rest),
        # By now all of it can be searched.
        "embedding": (
            progress.MofNCompleteColumn(),
            progress.TextColumn("blocks embedded"),
            *rest,
        ),
    }
    with ExitStack() as shown:
        bars: dict[str, tuple[progress.Progress, progress.TaskID]] = {}

        def show(at: Progress) -> None:
            if at.task not in bars:
                shown.close()  # the bar of the task before
                bar = progress.Progress(
                    progress.BarColumn(), *columns[at.task], console=console, transient=True
                )
                bars[at.task] = bar, bar.add_task(at.task, total=None, current="")
                shown.enter_context(bar)
            bar, task = bars[at.task]
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
            f"{_blocks(summary.blocks)} "
            f"({summary.tokens:,} token{'' if summary.tokens == 1 else 's'}): {_vectors(summary)}"
            f"{summary.seconds:.1f} s{_rate(summary)}"
        )
    elif summary.embedded:
        write(f"{summary.embedded:,} embedded that waited; {summary.seconds:.1f} s")
    if summary.waiting:
        write(
            f"{_blocks(summary.waiting)} can be searched by quick vectors; run index again to embed "
            "with the model of the corpus, which finds more"
        )
    notes = [
        *(f"skipped {each.name}: {each.reason}" for each in summary.skipped),
        *(f"note on {each.name}: {each.note}" for each in summary.remarks),
    ]
    for each in notes[:_LISTED]:
        write(f"  {one_line(each)}")
    if len(notes) > _LISTED:
        write(f"  and {len(notes) - _LISTED:,} more; list all with --format json")


def _rate(summary: Summary) -> str:
    """How fast files were read; nothing where that says nothing, as for a few small ones."""
    rate = summary.megabytes_per_second
    return f", {rate:.1f} MB/s" if rate >= 0.1 else ""


def _blocks(number: int) -> str:
    return f"{number:,} block{'' if number == 1 else 's'}"


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
        "store": corpus.store_name,
        **asdict(summary),
        "remains_until": summary.remains_until and summary.remains_until.isoformat(),
        "skipped": skipped,
        "remarks": remarks,
    }
