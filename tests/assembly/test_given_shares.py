"""A call may replace the budgets that a plan declares for its packs and for the history."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context import BudgetError, ContextAssembler, InputError
from biblicus_context.spec import PackShareSpec
from tests.assembly.fakes import Shelf, plan, words

SHELVES = {"notes": [words(10)] * 9, "files": [words(10, "file")] * 9}


def assembler(**policy: Any) -> ContextAssembler:
    """Two packs of 90 words each, a history, and a text that uses ten words."""
    context = plan(
        {"type": "system", "content": words(10)},
        {"type": "context", "name": "notes", "budget": {"max_tokens": 30}, "priority": 1},
        {"type": "context", "name": "files"},
        {"type": "history"},
        **policy,
    )
    shelves = {
        name: Shelf([{"text": f"{name} {at} {text}"} for at, text in enumerate(texts)])
        for name, texts in SHELVES.items()
    }
    settings = {name: {"config": {"limit": 9, "join_with": " "}} for name in shelves}
    return ContextAssembler({"main": context}, settings, retriever_functions=shelves)


def used(result: Any) -> dict[str, int]:
    """The tokens of each pack."""
    return {part.name: part.given for part in result.receipt.parts if part.kind == "context"}


def test_a_number_is_the_most_that_a_pack_gets():
    given_ = used(assembler().assemble("main", shares={"notes": 60, "files": 24}))
    assert given_ == {"notes": 60, "files": 24}


def test_a_pack_that_gets_nothing_is_not_asked_and_is_in_the_receipt():
    result = assembler().assemble("main", shares={"files": 0})
    files = next(part for part in result.receipt.parts if part.name == "files")
    assert files.requests == 0
    assert files.given == 0
    assert files.reason


def test_what_the_call_leaves_out_is_as_the_plan_declares_it():
    assert used(assembler().assemble("main", shares={"files": 12}))["notes"] == 24


def test_a_share_may_be_all_that_a_budget_declares():
    policy = {"input_budget": {"max_tokens": 100}, "pack_budget": {"default_ratio": 1}}
    for share in ({"min_tokens": 84}, PackShareSpec(min_tokens=84)):
        result = assembler(**policy).assemble(
            "main", shares={"files": share, "notes": {"ratio": 1}}
        )
        assert used(result)["files"] == 84


def test_the_history_has_a_share_too():
    turns = [{"role": "user", "content": words(5)}] * 4
    for most, kept in ((0, 0), (11, 10), (100, 20)):
        result = assembler().assemble("main", history=turns, shares={"history": most})
        assert sum(len(each["content"].split()) for each in result.history) == kept


def test_packs_give_way_to_the_turns_that_the_history_is_guaranteed():
    turns = [{"role": "user", "content": words(5)}] * 8
    policy = {"input_budget": {"max_tokens": 100}, "pack_budget": {"default_ratio": 1}}
    without = assembler(**policy).assemble("main", history=turns)
    with_ = assembler(**policy).assemble(
        "main", history=turns, shares={"history": {"min_tokens": 20}}
    )
    assert len(without.history) < 4 <= len(with_.history)
    assert with_.token_count <= 100


@given(
    budget=st.integers(1, 200),
    notes=st.integers(0, 200),
    files=st.one_of(st.integers(0, 200), st.fixed_dictionaries({"min_tokens": st.integers(1, 99)})),
    history=st.one_of(
        st.integers(0, 90), st.fixed_dictionaries({"min_tokens": st.integers(1, 99)})
    ),
    turns=st.integers(0, 9),
)
def test_the_budget_holds_whatever_shares_are_given(budget, notes, files, history, turns):
    said = [{"role": "user", "content": words(5)}] * turns
    shares = {"notes": notes, "files": files, "history": history}
    policy = {"pack_budget": {"default_ratio": 1}}
    try:
        result = assembler(**policy, input_budget={"max_tokens": 999}).assemble(
            "main", history=said, budget=budget, shares=shares
        )
    except BudgetError:
        assert budget < 10
        return
    assert result.token_count <= budget
    assert used(result)["notes"] <= notes


@pytest.mark.parametrize(
    ("shares", "problem"),
    [
        ({"note": 5}, "shares: the context has no such pack: found 'note'"),
        ({"notes": -1}, r"shares\['notes'\]: a share is a whole number of tokens"),
        ({"notes": True}, "a share is a whole number of tokens"),
        ({"notes": "5"}, "a share is a whole number of tokens"),
        ({"notes": {"most": 5}}, r"shares\['notes'\]: most: "),
        ({"notes": {}}, "Budget must specify ratio or max_tokens"),
        (["notes"], "shares must be a mapping of packs to tokens: found 'list'"),
    ],
)
def test_a_wrong_share_is_an_error_that_says_what_to_pass(shares: Any, problem: str):
    with pytest.raises(InputError, match=problem):
        assembler().assemble("main", shares=shares)


def test_the_declared_plan_stays_as_it_is():
    both = assembler()
    before = both.contexts["main"].model_dump()
    both.assemble("main", shares={"notes": 5})
    assert both.contexts["main"].model_dump() == before
    assert used(both.assemble("main"))["notes"] == 24
