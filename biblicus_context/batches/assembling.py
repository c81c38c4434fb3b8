"""Rows become results; a row that fails is a result with its error, and stops nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from biblicus_context.assembly.assembler import ContextAssembler
from biblicus_context.assembly.result.provider_formats import PROVIDER_FORMATS
from biblicus_context.batches.row import row_of
from biblicus_context.errors import ContextError


@dataclass(frozen=True, slots=True)
class AssembledRow:
    """The result of one row, or why there is none."""

    row: int
    """Its number, from 1."""
    id: str | int | None = None
    messages: Any = None
    """What is sent, in the format that was asked for."""
    token_count: int = 0
    fingerprint: str = ""
    receipt: Mapping[str, Any] | None = None
    """Only if it was asked for."""
    error: str | None = None
    """The class of the error."""
    problem: str | None = None
    """What the error says."""


class Job(NamedTuple):
    """What is the same for all rows."""

    context: str
    format: str
    receipt: bool
    now: datetime
    """The moment of the batch: rows that are assembled later, or again, are measured from it too."""


class NumberedRows(NamedTuple):
    """Some rows, as they were read, and the number of the first."""

    first: int
    rows: Sequence[object]


def assembled_rows(
    assembler: ContextAssembler, job: Job, numbered: NumberedRows
) -> list[AssembledRow]:
    """The results of some rows."""
    return [
        _assembled(assembler, job, at, row)
        for at, row in enumerate(numbered.rows, start=numbered.first)
    ]


def _assembled(assembler: ContextAssembler, job: Job, at: int, value: object) -> AssembledRow:
    known: str | int | None = None
    try:
        row = row_of(value)
        known = row.id
        result = assembler.assemble(
            job.context, row.system, user_message=row.user, **row.options(job.now)
        )
        return AssembledRow(
            at,
            known,
            messages=PROVIDER_FORMATS[job.format](result, row.tools),
            token_count=result.token_count,
            fingerprint=result.fingerprint,
            receipt=result.receipt.without_timings().to_json() if job.receipt else None,
        )
    except Exception as error:  # of one row: a batch of a million does not end for it
        return AssembledRow(at, known, error=type(error).__name__, problem=_said(error))


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, ContextError) else f"{type(error).__name__}: {error}"
