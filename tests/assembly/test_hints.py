"""Hints: a receipt names the setting that left evidence out although tokens are unused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from biblicus_context import BudgetError, ContextAssembler
from tests.assembly.fakes import Shelf, assembled, plan, words
from tests.assembly.strategies import Case, cases

KB = {"type": "context", "name": "kb"}


def receipt(count: int = 10, directive: dict[str, Any] = KB, config: Any = None, **policy: Any):
    context = plan(directive, input_budget={"max_tokens": 1000}, **policy)
    kb = Shelf([{"evidence_item_id": f"e{n}", "text": words(10)} for n in range(count)])
    retrievers = {"kb": {"config": config or {}}}
    return assembled(context, retrievers, retriever_override=kb).receipt


def test_a_pack_budget_that_leaves_blocks_out_is_named_with_its_figure_and_the_unused_tokens():
    found = receipt(config={"limit": 10}, pack_budget={"default_max_tokens": 35})
    (hint,) = found.hints
    assert (hint.setting, hint.figure, hint.packs) == ("pack_budget", 35, ("kb",))
    assert hint.left_out == sum(block.action != "kept" for block in found.parts[0].blocks)
    assert hint.unused == found.left
    assert hint.text.startswith(f"pack_budget of 35 tokens left out {hint.left_out} blocks")
    assert hint.text.endswith("Raise pack_budget in the policy.")


def test_a_pack_s_own_budget_is_named():
    (hint,) = receipt(directive={**KB, "budget": {"max_tokens": 25}}, config={"limit": 10}).hints
    assert (hint.setting, hint.figure) == ("budget", 25)
    assert "its own budget of 25 tokens left out" in hint.text


@pytest.mark.parametrize(
    ("config", "said"),
    [({}, "default limit of 3 blocks bound pack 'kb'"), ({"limit": 4}, "limit of 4 blocks bound")],
)
def test_a_limit_of_blocks_is_named_and_whether_it_is_the_default(config: Any, said: str):
    found = receipt(config=config)
    (hint,) = found.hints
    assert (hint.setting, hint.figure) == ("limit", config.get("limit", 3))
    assert hint.text.startswith(said)
    assert found.parts[0].cause == "limit"


def test_a_limit_of_pages_is_named():
    found = receipt(pack_budget={"default_ratio": 1}, expansion={"max_pages": 2})
    (hint,) = found.hints
    assert (hint.setting, hint.figure) == ("max_pages", 2)
    assert (found.parts[0].action, found.parts[0].reason) == ("kept", "max_pages of 2")


def test_a_retriever_that_has_no_more_gets_no_hint():
    assert receipt(count=2).hints == ()


def test_a_total_that_is_nearly_full_gets_no_hint():
    context = plan(KB, {"type": "user", "content": words(65)}, input_budget={"max_tokens": 100})
    result = assembled(context, {"kb": Shelf([words(10)] * 10)})
    assert (result.receipt.left, result.receipt.hints) == (5, result.receipt.hints)
    context = plan(KB, {"type": "user", "content": words(66)}, input_budget={"max_tokens": 100})
    assert assembled(context, {"kb": Shelf([words(10)] * 10)}).receipt.hints == ()


def test_the_table_has_the_hint():
    context = plan(KB, input_budget={"max_tokens": 1000})
    text = assembled(context, {"kb": Shelf([words(10)] * 10)}).explain(200)
    assert "hint: default limit of 3 blocks bound pack 'kb', while 970 of 1,000 tokens" in text


@settings(max_examples=3 * settings().max_examples)
@given(cases())
def test_a_hint_names_a_limit_that_binds_and_only_where_a_twentieth_is_unused(case: Case):
    try:
        found = ContextAssembler(**case.registries).assemble(**case.call).receipt
    except BudgetError:
        return
    for hint in found.hints:
        assert hint.unused == found.left
        assert 20 * hint.unused >= (found.budget or 0)
        assert f"{hint.figure:,}" in hint.text
        assert hint.left_out or hint.setting in ("limit", "max_pages")
