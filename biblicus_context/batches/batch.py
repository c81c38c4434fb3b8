"""A batch in files: rows in a file, results in a folder, a part for each chunk of rows.

A part is written whole or not at all, and then noted in the journal. So a batch that is killed goes on
where it was: no row is lost, and none is there twice.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from biblicus_context.assembly.assembler import ContextAssembler
from biblicus_context.assembly.result.provider_formats import PROVIDER_FORMATS
from biblicus_context.base.doors import door
from biblicus_context.base.file_locks import hold
from biblicus_context.base.options import require_counts, require_one_of
from biblicus_context.base.paths import path_of
from biblicus_context.base.rewrite import replacement
from biblicus_context.base.version import __version__
from biblicus_context.batches.assembling import AssembledRow, Job, NumberedRows
from biblicus_context.batches.tables import (
    LINES,
    PARQUET,
    as_bytes,
    count_rows,
    rows_in,
    write_errors,
    write_results,
)
from biblicus_context.batches.workers import BatchWorkers, workers
from biblicus_context.errors import ContextError, UnknownNameError

_JOURNAL: Final = "batch.jsonl"
_PART: Final = 1_000
"""Rows in a part."""
_FEW: Final = 10_000
_PART_OF_FEW: Final = 100
"""The same of a batch with few rows, so that several processes have something to do."""


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """How far a batch is."""

    done: int
    """Rows that have a result or an error, those of earlier runs included."""
    all: int
    errors: int
    seconds: float
    """Since this run began."""
    rate: float
    """Rows a second of this run."""

    @property
    def seconds_left(self) -> float | None:
        """None as long as nobody can tell."""
        return (self.all - self.done) / self.rate if self.rate else None


@dataclass(frozen=True, slots=True)
class BatchSummary:
    """What a batch made."""

    rows: int
    errors: int
    before: int
    """Rows that an earlier run had done."""
    seconds: float


class _Part(NamedTuple):
    number: int
    digest: str
    rows: NumberedRows


@door
def run_batch(  # noqa: PLR0913 - all but four are by name
    assembler: ContextAssembler,
    context_name: str,
    inputs: str | Path,
    output: str | Path,
    *,
    format: str = "messages",  # noqa: A002 - as the command calls it
    receipt: bool = False,
    table: str = LINES,
    now: datetime | None = None,
    processes: int = 1,
    ray: str | None = None,
    on_progress: Callable[[BatchProgress], None] | None = None,
) -> BatchSummary:
    """Assemble a context for each row of a file, and write the results into a folder.

    Results are in `part-00000.jsonl` and so on, in the order of the rows; rows that failed are in
    `errors-00000.jsonl` with their errors. Where a batch was interrupted, the same call goes on.

    Args:
        assembler: What assembles; with several processes, each gets a copy.
        context_name: The context to assemble.
        inputs: A file of rows, JSON Lines or Parquet.
        output: A folder of its own for this batch.
        format: Format of `messages`: messages, openai, openai-responses, anthropic, gemini, langchain
            or pydantic-ai.
        receipt: Whether results have their receipts.
        table: What the parts are: jsonl or parquet.
        now: The moment that relative times are measured from; by default that of the first run.
        processes: Processes that assemble at the same time.
        ray: Address of a Ray cluster that assembles instead; `local` starts one here.
        on_progress: Is called after each part.
    """
    require_counts(processes=processes)
    require_one_of(PROVIDER_FORMATS, format=format)
    require_one_of((LINES, PARQUET), table=table)
    if context_name not in assembler.contexts:
        raise UnknownNameError("Context", context_name, assembler.contexts)
    source, folder = path_of(inputs, "inputs"), path_of(output, "output")
    total = count_rows(source)
    said: dict[str, Any] = {
        "context": context_name,
        "plan": _digest(repr(sorted(assembler.contexts.items())).encode()),
        "format": format,
        "receipt": receipt,
        "table": table,
        "rows": total,
        "version": __version__,
    }
    with _journal(folder, said, now or datetime.now(UTC)) as journal:
        job = Job(context_name, format, receipt, journal.now)
        batch = _Batch(journal, folder, table, total, on_progress)
        parts = batch.unfinished(_parts(source, _PART if total > _FEW else _PART_OF_FEW))
        with workers(assembler, job, processes=processes, ray=ray) as made:
            batch.run(made, parts)
        return batch.summary


class _Batch:
    """The state of one run."""

    def __init__(
        self,
        journal: _Journal,
        folder: Path,
        table: str,
        total: int,
        on_progress: Callable[[BatchProgress], None] | None,
    ) -> None:
        self._journal, self._folder, self._table = journal, folder, table
        self._total, self._on_progress = total, on_progress
        # What somebody removed is made again.
        self._known = {at: each for at, each in journal.done.items() if self._part(at).exists()}
        self._before = sum(each["rows"] for each in self._known.values())
        self._errors = sum(each["errors"] for each in self._known.values())
        self._done = self._before
        self._began = time.monotonic()

    def unfinished(self, parts: Iterator[_Part]) -> Iterator[_Part]:
        """The parts that no run has done; those that one has are the same rows still."""
        for part in parts:
            known = self._known.get(part.number)
            if known is None:
                yield part
            elif known["digest"] != part.digest:
                raise ContextError(
                    f"the rows from row {part.rows.first:,} have changed since this batch began",
                    fix="Pass another --output for the new rows.",
                )

    def run(self, made: BatchWorkers, parts: Iterator[_Part]) -> None:
        waiting: dict[Future[list[AssembledRow]], _Part] = {}
        for part in parts:
            waiting[made.submit(part.rows)] = part
            while len(waiting) >= made.most_waiting:
                self._write_some(waiting)
        while waiting:
            self._write_some(waiting)

    def _write_some(self, waiting: dict[Future[list[AssembledRow]], _Part]) -> None:
        finished, _ = wait(waiting, return_when=FIRST_COMPLETED)
        for each in finished:
            self._write(waiting.pop(each), each.result())

    def _write(self, part: _Part, results: list[AssembledRow]) -> None:
        errors = sum(each.error is not None for each in results)
        if errors:
            with replacement(self._folder / f"errors-{part.number:05}.jsonl") as stream:
                write_errors(stream, results)
        with replacement(self._part(part.number)) as stream:
            write_results(stream, self._table, results)
        self._journal.note(part, errors)
        self._done += len(results)
        self._errors += errors
        if self._on_progress is not None:
            self._on_progress(self._progress())

    def _part(self, number: int) -> Path:
        return self._folder / f"part-{number:05}.{self._table}"

    def _progress(self) -> BatchProgress:
        seconds = time.monotonic() - self._began
        own = self._done - self._before
        rate = own / seconds if seconds else 0.0
        return BatchProgress(self._done, self._total, self._errors, seconds, rate)

    @property
    def summary(self) -> BatchSummary:
        seconds = time.monotonic() - self._began
        return BatchSummary(self._done, self._errors, self._before, seconds)


class _Journal:
    """What is done, in a file that only grows; a line that a kill cut short is not counted."""

    def __init__(self, stream: BinaryIO, head: dict[str, Any], done: dict[int, Any]) -> None:
        self._stream = stream
        self.now = datetime.fromisoformat(head["now"])
        self.done = done

    def note(self, part: _Part, errors: int) -> None:
        rows = len(part.rows.rows)
        line = {"part": part.number, "rows": rows, "errors": errors, "digest": part.digest}
        _append(self._stream, line)


@contextmanager
def _journal(folder: Path, said: dict[str, Any], now: datetime) -> Iterator[_Journal]:
    """The journal of a batch, which one run at a time may write."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _JOURNAL).open("ab+") as stream:
        try:
            hold(stream.fileno())
        except OSError:
            raise ContextError("another run writes into this folder", place=str(folder)) from None
        stream.seek(0)
        lines = [*_whole_lines(stream)]
        if not lines:
            lines = [{**said, "now": now.isoformat()}]
            _append(stream, lines[0])
        head, *done = lines
        for name, value in said.items():
            if head.get(name) != value:
                raise ContextError(
                    f"this folder has the results of another batch: its '{name}' differs",
                    place=str(folder),
                    fix="Pass another --output.",
                )
        yield _Journal(stream, head, {each["part"]: each for each in done})


def _whole_lines(stream: BinaryIO) -> Iterator[Any]:
    """The lines up to one that was not written to its end, which is removed."""
    end = 0
    for line in stream:
        if not line.endswith(b"\n"):
            break
        end += len(line)
        yield json.loads(line)
    stream.truncate(end)


def _append(stream: BinaryIO, line: dict[str, Any]) -> None:
    stream.write(json.dumps(line).encode() + b"\n")
    stream.flush()
    os.fsync(stream.fileno())


def _parts(source: Path, size: int) -> Iterator[_Part]:
    rows, number, first = rows_in(source), 0, 1
    while some := [*islice(rows, size)]:
        digest = blake2b(digest_size=16)
        for each in some:
            written = as_bytes(each)
            digest.update(len(written).to_bytes(8, "big"))
            digest.update(written)
        yield _Part(number, digest.hexdigest(), NumberedRows(first, some))
        number, first = number + 1, first + len(some)


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()
