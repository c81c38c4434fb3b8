"""One call, judged: assembled, and held against what is expected of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from biblicus_context.assembly.assembler import ContextAssembler
from biblicus_context.assembly.result.receipt import Receipt
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.errors import BudgetError, ContextError
from biblicus_context.golden.checks import CHECKS, check_error, no_error
from biblicus_context.golden.playing.handing import Handed
from biblicus_context.golden.playing.seen import Problem, Seen
from biblicus_context.spec.expectation import Expectation


class Judged(NamedTuple):
    """What one call came to, and which expectations do not hold."""

    problems: tuple[Problem, ...]
    result: ContextAssemblyResult | None = None
    receipt: Receipt | None = None


def judged(
    handed: Handed,
    expect: Expectation,
    assembler: ContextAssembler,
    before: ContextAssemblyResult | None,
) -> Judged:
    """The verdict on one call; `before` is what the call before it came to."""
    try:
        result = assembler.assemble(
            handed.context,
            history_messages=handed.history,
            retriever_override=handed.retrievers,
            **handed.arguments,
        )
    except ContextError as error:
        receipt = error.receipt if isinstance(error, BudgetError) else None
        return Judged(tuple(check_error(expect, error)), receipt=receipt)
    problems = tuple(_problems(expect, Seen(result, len(handed.history), before)))
    return Judged(problems, result, result.receipt)


def _problems(expect: Expectation, seen: Seen) -> Iterator[Problem]:
    if expect.error is not None:
        yield from no_error(expect, seen.result)
        return
    for check in CHECKS:
        yield from check(expect, seen)
