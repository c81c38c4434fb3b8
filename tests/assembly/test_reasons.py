"""Reasons are true: each names the limit that bound, with its figure, and can be derived again."""

from __future__ import annotations

from hypothesis import given, settings

from benchmarks.attacks.derived_reasons import problems
from biblicus_context import BudgetError, ContextAssembler
from tests.assembly.strategies import Case, cases


@settings(max_examples=10 * settings().max_examples)
@given(cases())
def test_every_reason_can_be_derived_from_the_figures_of_the_receipt(case: Case):
    try:
        result = ContextAssembler(**case.registries).assemble(**case.call)
    except BudgetError:
        return
    receipt = result.receipt.model_dump(mode="json")
    assert not [*problems(receipt)]


def test_a_block_that_is_shortened_alone_is_given_no_tokens_of_its_format():
    """Title and header are written with the first block, and are the format's own."""
    messages = [
        {
            "type": "context",
            "name": "kb",
            "title": "## What the handbook says",
            "format": {"header": "Read all of this:\n", "footer": "\nEnd of the handbook"},
        }
    ]
    plan = {"main": {"messages": messages, "policy": {"input_budget": {"max_tokens": 40}}}}
    text = "Goods can be sent back within thirty days after delivery. " * 9
    result = ContextAssembler(plan, {"kb": lambda _: [text]}).assemble("main")
    (part,) = (each for each in result.receipt.parts if each.name == "kb")
    (block,) = part.blocks
    assert block.action == "shortened"
    assert part.format > 10
    assert block.given + part.format == part.given


def test_a_pack_whose_only_block_does_not_fit_asks_for_its_format_as_well():
    """Else a receipt says that a budget is full which has room for the block."""
    messages = [{"type": "context", "name": "kb", "title": "## What the handbook says of it"}]
    policy = {"input_budget": {"max_tokens": 5}}
    result = ContextAssembler(
        {"main": {"messages": messages, "policy": policy}},
        {"kb": lambda _: ["Yes."]},
    ).assemble("main")
    (part,) = (each for each in result.receipt.parts if each.name == "kb")
    (block,) = part.blocks
    assert (part.given, block.action) == (0, "dropped")
    assert block.asked <= 5 < part.asked
