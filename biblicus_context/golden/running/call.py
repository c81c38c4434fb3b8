"""One call is assembled and checked against its expectations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from biblicus_context.assembly.assembler import ContextAssembler
from biblicus_context.assembly.result.receipt import Receipt
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.errors import BudgetError, ContextError
from biblicus_context.golden.checks import CHECKS, check_error, no_error
from biblicus_context.golden.checks.call_result import CallResult, Mismatch
from biblicus_context.golden.running.call_arguments import CallArguments
from biblicus_context.spec.expectation import Expectation


class JudgedCall(NamedTuple):
    """The result of one call, and the expectations that do not hold."""

    problems: tuple[Mismatch, ...]
    result: ContextAssemblyResult | None = None
    receipt: Receipt | None = None


def judged(
    handed: CallArguments,
    expect: Expectation,
    assembler: ContextAssembler,
    before: ContextAssemblyResult | None,
) -> JudgedCall:
    """Assemble one call and check it; `before` is the result of the previous call."""
    try:
        result = assembler.assemble(
            handed.context,
            history_messages=handed.history,
            retriever_override=handed.retrievers,
            **handed.arguments,
        )
    except ContextError as error:
        receipt = error.receipt if isinstance(error, BudgetError) else None
        return JudgedCall(tuple(check_error(expect, error)), receipt=receipt)
    problems = tuple(_problems(expect, CallResult(result, len(handed.history), before)))
    return JudgedCall(problems, result, result.receipt)


def _problems(expect: Expectation, seen: CallResult) -> Iterator[Mismatch]:
    if expect.error is not None:
        yield from no_error(expect, seen.result)
        return
    for check in CHECKS:
        yield from check(expect, seen)
