"""One context under several budgets and models: what each keeps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from biblicus_context.assembly.result.receipt import Receipt
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.comparing.rows import ComparedPart, compared_parts
from biblicus_context.errors import BudgetError
from biblicus_context.pages.bars import bars_of

Assemble: TypeAlias = Callable[[int | None, str | None], ContextAssemblyResult]
"""Assembles under a budget and for a model; None leaves either to the policy."""


@dataclass(frozen=True, slots=True)
class WhatIfOutcome:
    """The outcome of one budget and model."""

    budget: int | None
    model: str | None
    receipt: Receipt | None = None
    problem: str = ""
    """Why nothing can be sent."""
    needed: int | None = None
    """Tokens that cannot shrink, where they are more than the budget."""


def what_if(
    assemble: Assemble, budgets: Sequence[int | None], models: Sequence[str | None]
) -> list[WhatIfOutcome]:
    """An outcome for each model and budget, in this order."""
    return [_outcome(assemble, budget, model) for model, budget in product(models, budgets)]


def table(outcomes: Sequence[WhatIfOutcome]) -> list[ComparedPart]:
    """The outcomes side by side; a part is the same where its place in the plan is."""
    columns = [bars_of(outcome.receipt) if outcome.receipt else [] for outcome in outcomes]
    return compared_parts(columns, lambda bar: bar.place)


def _outcome(assemble: Assemble, budget: int | None, model: str | None) -> WhatIfOutcome:
    try:
        return WhatIfOutcome(budget, model, assemble(budget, model).receipt)
    except BudgetError as error:
        return WhatIfOutcome(budget, model, None, str(error), error.needed)
