"""Reasons are true: each names the limit that bound, with its figure, and can be derived again."""

from __future__ import annotations

from hypothesis import given, settings

from biblicus_context import BudgetError, ContextAssembler
from tests.assembly.reasons_oracle import problems
from tests.assembly.strategies import Case, cases


@settings(max_examples=5 * settings().max_examples)
@given(cases())
def test_every_reason_can_be_derived_from_the_figures_of_the_receipt(case: Case):
    try:
        result = ContextAssembler(**case.registries).assemble(**case.call)
    except BudgetError:
        return
    receipt = result.receipt.model_dump(mode="json")
    assert not [*problems(receipt)]
