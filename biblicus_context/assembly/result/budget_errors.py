"""The errors of an assembly that is over its budget, each with its receipt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.steps.parts import PackPart, Part, TextPart
from biblicus_context.base.deferred import Deferred
from biblicus_context.errors import BudgetError

if TYPE_CHECKING:
    from biblicus_context.assembly.result.account import write_receipt
    from biblicus_context.assembly.result.receipt import Receipt
else:  # only errors need it here
    write_receipt = Deferred("biblicus_context.assembly.result.account:write_receipt")


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


def texts_too_large(
    draft: Draft, what: str, needed: int, limit: str, tokens: int, sizes: Mapping[int, int]
) -> BudgetError:
    """The error where texts of nested contexts are larger than a limit that the author set."""
    return BudgetError(
        f"{what} needs {needed} tokens that cannot shrink, {limit} is {tokens}",
        budget=tokens,
        needed=needed,
        parts={_name(draft.parts[index]): size for index, size in sizes.items()},
        fix="Raise the limit, shorten these texts, or mark system text with shrink: true.",
    )


def _name(part: Part) -> str:
    match part:
        case PackPart():
            return f"{part.place} ({part.name})"
        case TextPart():
            return f"{part.place} ({part.role})"
        case _:
            return part.place


def _sizes(receipt: Receipt) -> dict[str, int]:
    """What cannot shrink, with its tokens."""
    sizes = {
        f"{part.place} ({part.name or part.kind})": part.given
        for part in receipt.parts
        if part.given
    }
    return {**sizes, "message framing": receipt.framing} if receipt.framing else sizes
