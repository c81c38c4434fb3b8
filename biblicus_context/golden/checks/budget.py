"""Tokens: whether a result fits, and how many it has."""

from __future__ import annotations

from collections.abc import Iterator

from biblicus_context.golden.checks.call_result import CallResult, Mismatch
from biblicus_context.reading.yaml.tree import Step
from biblicus_context.spec.expectation import Expectation, TokenExpectation


def check_fits(expect: Expectation, seen: CallResult) -> Iterator[Mismatch]:
    """Whether it is within its budget; with `overflow: none` it need not be."""
    receipt = seen.result.receipt
    if expect.fits is (receipt.over > 0):
        budget = "no budget" if receipt.budget is None else f"of {receipt.budget:,}"
        said = "it does not fit" if receipt.over else "it fits"
        yield Mismatch(("fits",), said, found=f"{receipt.used:,} tokens, {budget}")


def check_tokens(expect: Expectation, seen: CallResult) -> Iterator[Mismatch]:
    """The exact count of everything that is sent."""
    yield from token_problems(expect.tokens, seen.result.token_count, ("tokens",))


def token_problems(
    wanted: int | TokenExpectation | None, tokens: int, path: tuple[Step, ...]
) -> Iterator[Mismatch]:
    """What is wrong with a number of tokens."""
    if wanted is None:
        return
    if isinstance(wanted, int):
        wanted = TokenExpectation(min=wanted, max=wanted)
    low, high = wanted.min or 0, wanted.max
    if tokens < low or (high is not None and tokens > high):
        problem = "there are fewer tokens" if tokens < low else "there are more tokens"
        yield Mismatch(path, problem, _range(wanted), f"{tokens:,}")


def _range(wanted: TokenExpectation) -> str:
    if wanted.min == wanted.max:
        return f"{wanted.min:,}"
    low = None if wanted.min is None else f"at least {wanted.min:,}"
    high = None if wanted.max is None else f"at most {wanted.max:,}"
    return " and ".join(filter(None, (low, high)))
