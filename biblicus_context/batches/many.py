"""Rows in, results out, in the order of the rows."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Final

from biblicus_context.assembly.assembler import ContextAssembler
from biblicus_context.assembly.result.provider_formats import PROVIDER_FORMATS
from biblicus_context.base.doors import door
from biblicus_context.base.options import require_counts, require_one_of
from biblicus_context.batches.assembling import AssembledRow, Job, NumberedRows
from biblicus_context.batches.row import BatchRow
from biblicus_context.batches.workers import BatchWorkers, workers

_AT_ONCE: Final = 100
"""Rows that one worker gets at a time."""


@door
def assemble_many(
    assembler: ContextAssembler,
    context_name: str,
    rows: Iterable[Mapping[str, Any] | BatchRow],
    *,
    format: str = "messages",  # noqa: A002 - as the command calls it
    receipt: bool = False,
    now: datetime | None = None,
    processes: int = 1,
    ray: str | None = None,
) -> Iterator[AssembledRow]:
    """Assemble a context for each of many rows; results come in the order of the rows, as they are made.

    Rows are read as they are needed, so neither they nor their results are ever all in memory. A row that
    fails is an `AssembledRow` with its error.

    >>> plan = {"messages": [{"type": "user", "content": "{input.question}"}]}
    >>> rows = [{"inputs": {"question": "Why?"}}, {"inputs": {}}]
    >>> for each in assemble_many(ContextAssembler({"ask": plan}), "ask", rows):
    ...     print(each.row, each.messages, each.error)
    1 [{'role': 'user', 'content': 'Why?'}] None
    2 None TemplateError

    Args:
        assembler: What assembles; with several processes, each gets a copy.
        context_name: The context to assemble.
        rows: Mappings with any of `id`, `inputs`, `history`, `user`, `system`, `tools`, `model`,
            `budget`, `now`.
        format: Format of `messages`: messages, openai, openai-responses, anthropic, gemini, langchain
            or pydantic-ai.
        receipt: Whether results have their receipts.
        now: The moment that relative times are measured from; by default that of this call.
        processes: Processes that assemble at the same time.
        ray: Address of a Ray cluster that assembles instead; `local` starts one here.
    """
    require_counts(processes=processes)
    require_one_of(PROVIDER_FORMATS, format=format)
    job = Job(context_name, format, receipt, now or datetime.now(UTC))
    with workers(assembler, job, processes=processes, ray=ray) as made:
        for results in in_order(made, _numbered(rows)):
            yield from results


def _numbered(rows: Iterable[object]) -> Iterator[NumberedRows]:
    left, first = iter(rows), 1
    while some := [_plain(each) for each in islice(left, _AT_ONCE)]:
        yield NumberedRows(first, some)
        first += len(some)


def _plain(row: object) -> object:
    return row.model_dump(exclude_unset=True) if isinstance(row, BatchRow) else row


def in_order(made: BatchWorkers, chunks: Iterable[NumberedRows]) -> Iterator[list[AssembledRow]]:
    """The results of chunks in their order; no more of them are in memory than workers can hold."""
    waiting = deque[Future[list[AssembledRow]]]()
    for chunk in chunks:
        waiting.append(made.submit(chunk))
        while len(waiting) >= made.most_waiting:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
