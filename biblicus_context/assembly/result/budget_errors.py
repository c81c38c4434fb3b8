"""The errors of an assembly that is over its budget, each with its receipt."""

from __future__ import annotations

from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.result.account import write_receipt
from biblicus_context.assembly.result.receipt import Receipt
from biblicus_context.errors import BudgetError


def overflowing(draft: Draft, problem: str, *, budget: int, needed: int) -> BudgetError:
    """The error where the policy has `overflow: error` and more was asked for than fits."""
    return BudgetError(
        problem,
        budget=budget,
        needed=needed,
        receipt=write_receipt(draft),
        fix="Raise the budget, or set overflow: compact.",
    )


def cannot_shrink(bare: Draft) -> BudgetError:
    """The error where what cannot shrink is larger than the budget."""
    receipt = write_receipt(bare)
    return BudgetError(
        f"context '{bare.context.name}' needs {bare.tokens} tokens that cannot shrink, "
        f"its budget is {bare.limits.budget}",
        budget=bare.limits.budget,
        needed=bare.tokens,
        parts=_sizes(receipt),
        receipt=receipt,
        fix="Raise the budget, shorten these parts, or mark system text with shrink: true.",
    )


def _sizes(receipt: Receipt) -> dict[str, int]:
    """What cannot shrink, with its tokens."""
    sizes = {
        f"{part.place} ({part.name or part.kind})": part.given
        for part in receipt.parts
        if part.given
    }
    return {**sizes, "message framing": receipt.framing} if receipt.framing else sizes
