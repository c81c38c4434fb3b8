"""The command `batch`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Final

import typer

from biblicus_context.assembly.assembler import ContextAssembler
from biblicus_context.batches import BatchProgress, run_batch
from biblicus_context.cli.input.corpora import allowed_keys, principal_of
from biblicus_context.cli.input.projects import context_in, project_at
from biblicus_context.cli.options.assembling import BatchArguments
from biblicus_context.cli.output.terminal import note, warn
from biblicus_context.cli.output.verbosity import is_quiet

_FAILED: Final = 1
_BETWEEN_LINES: Final = 10.0
"""Seconds between two lines of progress where they are kept, such as in the log of a job."""


def batch(args: BatchArguments) -> None:
    project = project_at(args.place, needs=args.name)
    context_in(project, args.name)
    assembler = ContextAssembler(
        project.contexts,
        project.retrievers,
        project.corpora,
        project.compactors,
        policy_registry=project.policies,
        format_registry=project.formats,
        principal=principal_of(args.who),
        allow_keys={name: [*hosts] for name, hosts in allowed_keys(args.allow_key).hosts.items()},
    )
    done = run_batch(
        assembler,
        args.name,
        args.inputs,
        args.output,
        format=args.form.value,
        receipt=args.receipt,
        table=args.table.value,
        processes=args.processes,
        ray=args.ray,
        on_progress=_progress(),
    )
    rate = (done.rows - done.before) / done.seconds if done.seconds else 0.0
    before = f", {done.before:,} of them before" if done.before else ""
    note(f"{_rows(done.rows)} in {args.output}{before}; {done.seconds:.1f} s, {rate:,.0f} rows/s")
    if done.errors:
        warn(f"{_rows(done.errors)} failed: see {args.output}/errors-*.jsonl")
        raise typer.Exit(_FAILED)


def _progress() -> Callable[[BatchProgress], None] | None:
    """One line that changes where a person looks, else a line now and then."""
    if is_quiet():
        return None
    is_terminal = sys.stderr.isatty()
    last = time.monotonic()

    def show(at: BatchProgress) -> None:
        nonlocal last
        if is_terminal:
            end = "\n" if at.done == at.all else ""
            sys.stderr.write(f"\r\x1b[K{_line(at)}{end}")
            sys.stderr.flush()
        elif time.monotonic() - last >= _BETWEEN_LINES:
            last = time.monotonic()
            note(_line(at))

    return show


def _line(at: BatchProgress) -> str:
    left = at.seconds_left
    wait = "" if left is None else f", {timedelta(seconds=round(left))} left"
    failed = f", {at.errors:,} failed" if at.errors else ""
    return f"{at.done:,} of {at.all:,} rows, {at.rate:,.0f} rows/s{failed}{wait}"


def _rows(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"
