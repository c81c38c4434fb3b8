"""Tokens: whether a result fits, and how many it has."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

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


def check_unused(expect: Expectation, seen: CallResult) -> Iterator[Mismatch]:
    """Tokens of the budget that are unused; the hints of the receipt name the setting to change."""
    most, receipt = expect.unused_at_most, seen.result.receipt
    if most is None:
        return
    if receipt.budget is None or receipt.left is None:
        yield Mismatch(("unused_at_most",), "there is no budget", str(most), "no budget")
        return
    if receipt.left > _tokens_of(most, receipt.budget):
        part = (
            f"{receipt.left:,} of {receipt.budget:,} tokens ({receipt.left / receipt.budget:.1%})"
        )
        found = "; ".join([part, *(hint.text for hint in receipt.hints)])
        yield Mismatch(("unused_at_most",), "more tokens are unused", str(most), found)


def _tokens_of(most: int | str, budget: int) -> Fraction:
    """The tokens that may be unused; exact, so that 5 % of 20 is 1."""
    if isinstance(most, int):
        return Fraction(most)
    return Fraction(most.removesuffix("%")) * budget / 100


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
