"""Hints: a receipt names the setting that left evidence out although tokens are unused."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings

from biblicus_context import BudgetError, ContextAssembler, ContextPack
from tests.assembly.fakes import Shelf, assembled, plan, words
from tests.assembly.strategies import Case, cases

KB = {"type": "context", "name": "kb"}


class Saying(Shelf):
    """A retriever that says whether it has more."""

    def __call__(self, request: Any) -> ContextPack:
        page = super().__call__(request)
        more = request.offset + request.limit < len(self.blocks)
        return page.model_copy(update={"more": more})


def receipt(
    count: int = 10,
    directive: dict[str, Any] = KB,
    config: Any = None,
    shelf: type[Shelf] = Saying,
    **policy: Any,
):
    context = plan(directive, input_budget={"max_tokens": 1000}, **policy)
    kb = shelf([{"evidence_item_id": f"e{n}", "text": words(10)} for n in range(count)])
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


def test_a_limit_of_blocks_is_named():
    found = receipt(config={"limit": 4})
    (hint,) = found.hints
    assert (hint.setting, hint.figure) == ("limit", 4)
    assert hint.text.startswith("limit of 4 blocks stops")
    assert (found.parts[0].cause, found.warnings) == ("limit", ())


def test_a_limit_that_nobody_set_is_a_warning():
    found = receipt()
    (warning,) = found.warnings
    assert found.hints == ()
    assert warning.startswith(
        "pack 'kb' has only the 3 blocks that are requested by default, and its"
    )
    assert "its retriever has more. Set limit" in warning
    assert receipt(count=2).warnings == ()
    (unsure,) = receipt(count=3, shelf=Shelf).warnings
    assert "its retriever may have more" in unsure


def test_a_share_that_is_full_gets_no_warning_of_the_limit():
    directive = {**KB, "budget": {"max_tokens": 30}}
    assert receipt(directive=directive).warnings == ()


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


def test_nobody_knows_whether_a_retriever_that_does_not_say_it_has_more():
    found = receipt(shelf=Shelf)
    assert found.hints == ()
    assert (found.parts[0].cause, found.parts[0].figure) == ("limit", 3)


def test_a_block_that_fits_nowhere_gets_no_hint():
    context = plan(
        {**KB, "budget": {"max_tokens": 25}},
        {"type": "user", "content": words(60)},
        input_budget={"max_tokens": 100},
    )
    blocks = [words(20, "first"), words(60, "second")]
    result = assembled(context, {"kb": Shelf(blocks)})
    assert result.receipt.left == 20
    assert result.receipt.hints == ()


def test_a_block_that_another_pack_has_gets_no_hint():
    context = plan(
        {**KB, "budget": {"max_tokens": 25}},
        {"type": "context", "name": "other"},
        input_budget={"max_tokens": 1000},
    )
    shelves = {
        "kb": Shelf([words(20, "first"), words(15, "second")]),
        "other": Shelf([words(15, "second")]),
    }
    assert assembled(context, shelves).receipt.hints == ()


def test_a_pack_budget_that_is_the_whole_total_cannot_be_raised():
    directive = {**KB, "budget": {"max_tokens": 25}}
    found = receipt(directive=directive, config={"limit": 10}, pack_budget={"default_ratio": 1})
    assert {hint.setting for hint in found.hints} == {"budget"}


def test_a_figure_that_is_enough_for_one_more_block_is_named():
    directive = {**KB, "budget": {"max_tokens": 25}}
    (hint,) = receipt(directive=directive, config={"limit": 10}).hints
    assert hint.enough is not None
    assert hint.text.endswith(f"Raise the pack's own budget to {hint.enough} or more.")
    again = receipt(directive={**KB, "budget": {"max_tokens": hint.enough}}, config={"limit": 10})
    assert sum(block.action == "kept" for block in again.parts[0].blocks) == 3


def test_the_table_has_the_hint():
    context = plan(KB, input_budget={"max_tokens": 1000})
    settings = {"kb": {"config": {"limit": 3}}}
    kb = Saying([words(10)] * 10)
    text = assembled(context, settings, retriever_override=kb).explain(200)
    assert "hint: limit of 3 blocks stops pack 'kb', while 970 of 1,000 tokens" in text


@settings(max_examples=6 * settings().max_examples)
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
