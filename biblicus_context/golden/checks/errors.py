"""Errors: which one an assembly ends with, and what it says."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.errors import BudgetError, ContextError
from biblicus_context.golden.checks.call_result import Mismatch
from biblicus_context.golden.checks.texts import text_problems
from biblicus_context.spec.expectation import ErrorExpectation, Expectation, TextChecks


def check_error(expect: Expectation, error: ContextError) -> Iterator[Mismatch]:
    """An assembly that ended with an error."""
    if expect.error is None:
        over_budget = isinstance(error, BudgetError) and not expect.fits
        if not over_budget or expect.model_fields_set != {"fits"}:
            yield Mismatch(("fits",), "it ends with an error", found=_told(error))
        return
    by_name = isinstance(expect.error, str)
    wanted = ErrorExpectation(name=expect.error) if isinstance(expect.error, str) else expect.error
    if wanted.name not in _names(error):
        path = ("error",) if by_name else ("error", "name")
        yield Mismatch(path, "the error is another one", wanted.name, _told(error))
    for problem in text_problems(TextChecks(contains=wanted.says), str(error), ()):
        yield problem._replace(path=("error", "says", *problem.path[1:]), found=_told(error))


def no_error(expect: Expectation, result: ContextAssemblyResult) -> Iterator[Mismatch]:
    """An assembly that ended without the error that is expected."""
    receipt = result.receipt
    of = "" if receipt.budget is None else f" of {receipt.budget:,}"
    name = expect.error.name if isinstance(expect.error, ErrorExpectation) else expect.error
    found = f"a result of {receipt.used:,}{of} tokens"
    yield Mismatch(("error",), "it ends without an error", name, found)


def _names(error: ContextError) -> list[str]:
    return [each.__name__ for each in type(error).__mro__]


def _told(error: ContextError) -> str:
    return f"{type(error).__name__}: {error}"
