"""`first`: the fullest alternative that fits beside what cannot shrink."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context import BudgetError, ContextAssembler
from tests.assembly.fakes import Shelf, assembled, plan, words

LONG, SHORT, LEFT_OUT = words(50, "long"), words(10, "short"), "(left out)"
GROUP = {"first": [LONG, SHORT, LEFT_OUT]}


@pytest.mark.parametrize(
    ("budget", "expected"), [(60, LONG), (50, LONG), (49, SHORT), (10, SHORT), (9, LEFT_OUT)]
)
def test_the_fullest_alternative_that_fits_is_placed(budget: int, expected: str):
    result = assembled(plan(GROUP, input_budget={"max_tokens": budget}))
    assert result.system_prompt == expected


def test_without_a_budget_the_fullest_is_placed():
    assert assembled(plan(GROUP)).system_prompt == LONG


def test_with_overflow_none_the_fullest_is_placed_and_reported_as_over():
    result = assembled(plan(GROUP, input_budget={"max_tokens": 20}, overflow="none"))
    assert (result.system_prompt, result.receipt.over) == (LONG, 30)


def test_the_last_alternative_is_placed_also_where_it_does_not_fit():
    with pytest.raises(BudgetError) as caught:
        assembled(plan(GROUP, input_budget={"max_tokens": 1}))
    assert caught.value.parts == {"messages[0].first[2] (system)": 2}


def test_a_user_message_among_alternatives_is_the_user_message_of_the_plan():
    group = {
        "first": [{"type": "user", "content": LONG}, {"type": "user", "content": "Short {input.q}"}]
    }
    result = assembled(plan(group, input_budget={"max_tokens": 20}), inputs={"q": "one?"})
    assert (result.system_prompt, result.user_message) == ("", "Short one?")


def test_pinned_text_and_framing_are_taken_off_before_an_alternative_is_measured():
    system = {"type": "system", "content": words(20)}
    question = {"type": "user", "content": words(20)}
    whole = plan(system, GROUP, question, input_budget={"max_tokens": 90})
    assert LONG in assembled(whole).system_prompt
    framed = plan(
        system,
        question,
        {"first": [{"type": "user", "content": text} for text in GROUP["first"]]},
        input_budget={"max_tokens": 90},
        framing={"per_message": 5, "per_reply": 3},
    )
    assert assembled(framed).user_message == SHORT


def test_text_that_may_shrink_gives_way_to_the_fullest_alternative():
    system = {"type": "system", "content": words(80), "shrink": True}
    result = assembled(plan(GROUP, system, input_budget={"max_tokens": 60}))
    assert result.system_prompt == f"{LONG}\n\n{words(10)}"


def test_with_overflow_error_an_alternative_has_to_fit_beside_everything_whole():
    system = {"type": "system", "content": words(30), "shrink": True}
    budget: dict[str, Any] = {"input_budget": {"max_tokens": 60}}
    assert LONG in assembled(plan(GROUP, system, **budget)).system_prompt
    result = assembled(plan(GROUP, system, overflow="error", **budget))
    assert result.system_prompt == f"{SHORT}\n\n{words(30)}"

    kb = Shelf([words(30)])
    pack = {"type": "context", "name": "kb"}
    result = assembled(plan(GROUP, pack, overflow="error", **budget), {"kb": kb})
    assert result.system_prompt == f"{SHORT}\n\n{words(30)}"

    history = [{"role": "user", "content": words(10, f"t{n}")} for n in range(3)]
    chat = plan(GROUP, {"type": "history"}, overflow="error", **budget)
    result = assembled(chat, history=history)
    assert (result.system_prompt, len(result.history)) == (SHORT, 3)
    few = plan(GROUP, {"type": "history", "max_turns": 1}, overflow="error", **budget)
    assert assembled(few, history=history).system_prompt == LONG


def test_history_gives_way_to_the_fullest_alternative_but_not_turns_that_are_to_be_kept():
    history = [{"role": "user", "content": words(10, f"t{n}")} for n in range(4)]
    budget = {"max_tokens": 60}
    result = assembled(plan(GROUP, {"type": "history"}, input_budget=budget), history=history)
    assert (result.system_prompt, len(result.history)) == (LONG, 1)
    keeping = plan(GROUP, {"type": "history", "keep_last": 2}, input_budget=budget)
    result = assembled(keeping, history=history)
    assert (result.system_prompt, len(result.history)) == (SHORT, 4)


def test_a_pinned_history_is_kept_whole_beside_a_shorter_alternative():
    history = [{"role": "user", "content": words(10)} for _ in range(4)]
    context = plan(GROUP, {"type": "history", "pin": True}, input_budget={"max_tokens": 60})
    result = assembled(context, history=history)
    assert (result.system_prompt, len(result.history)) == (SHORT, 4)


def test_a_pinned_pack_is_taken_off_and_another_gives_way():
    kb = Shelf([words(30)])
    budget = {"max_tokens": 60}
    result = assembled(
        plan({"type": "context", "name": "kb", "pin": True}, GROUP, input_budget=budget), {"kb": kb}
    )
    assert result.system_prompt == f"{words(30)}\n\n{SHORT}"
    result = assembled(
        plan({"type": "context", "name": "kb"}, GROUP, input_budget=budget), {"kb": kb}
    )
    assert LONG in result.system_prompt


def test_a_pack_alternative_is_placed_where_it_fits_whole():
    group = {"first": [{"type": "context", "name": "kb"}, "Nothing was found."]}
    context = plan(group, input_budget={"max_tokens": 20})
    assert assembled(context, {"kb": Shelf([words(20)])}).system_prompt == words(20)
    assert assembled(context, {"kb": Shelf([words(21)])}).system_prompt == "Nothing was found."
    assert assembled(context, {"kb": Shelf([])}).system_prompt == "Nothing was found."


def test_a_pack_as_the_last_alternative_is_fitted_like_any_pack():
    group = {"first": [LONG, {"type": "context", "name": "kb"}]}
    context = plan(group, input_budget={"max_tokens": 20})
    kb = Shelf([words(8, "a"), words(8, "b"), words(8, "c")])
    result = assembled(context, {"kb": kb})
    assert result.system_prompt.startswith(f"{words(8, 'a')}\n\n{words(8, 'b')}")
    assert result.token_count <= 20


def test_a_nested_context_may_be_an_alternative():
    inner = {"messages": [{"type": "system", "content": LONG}]}
    group = {"first": [{"type": "context", "name": "inner"}, SHORT]}
    contexts = {"inner": inner}
    roomy = plan(group, input_budget={"max_tokens": 60})
    assert assembled(roomy, contexts=contexts).system_prompt == LONG
    tight = plan(group, input_budget={"max_tokens": 40})
    assert assembled(tight, contexts=contexts).system_prompt == SHORT


def test_alternatives_in_a_nested_context_fit_its_share():
    contexts = {"inner": {"messages": [GROUP]}}
    insert = {"type": "context", "name": "inner", "budget": {"max_tokens": 12}}
    context = plan(insert, input_budget={"max_tokens": 100})
    assert assembled(context, contexts=contexts).system_prompt == SHORT


def test_a_later_alternative_keeps_within_a_budget_of_its_own():
    group = {
        "first": [
            {"type": "context", "name": "large", "budget": {"max_tokens": 50}},
            {"type": "context", "name": "small", "budget": {"max_tokens": 10}},
        ]
    }
    large, small = Shelf([words(60)]), Shelf([words(40)])
    context = plan(group, input_budget={"max_tokens": 100}, max_iterations=1)
    result = assembled(context, {"large": large, "small": small})
    assert small.requests[0].max_tokens == 10
    assert result.token_count <= 10


def test_a_pack_that_was_asked_but_not_placed_is_in_the_receipt_with_its_blocks():
    group = {"first": [{"type": "context", "name": "kb"}, SHORT]}
    kb = Shelf([{"evidence_item_id": "e1", "text": words(60)}])
    result = assembled(plan(group, input_budget={"max_tokens": 20}, max_iterations=1), {"kb": kb})
    assert len(kb.requests) == 1
    assert "e1" in result.receipt.model_dump_json()


def test_alternatives_whose_condition_does_not_hold_are_passed_over():
    group = {
        "first": [
            {"type": "system", "content": LONG, "when": "input.detail"},
            {"type": "system", "content": SHORT},
        ]
    }
    assert assembled(plan(group), inputs={"detail": True}).system_prompt == LONG
    assert assembled(plan(group), inputs={"detail": False}).system_prompt == SHORT


def test_a_group_whose_condition_does_not_hold_is_named_as_not_placed():
    result = assembled(plan({**GROUP, "when": "input.detail"}), inputs={"detail": False})
    (part,) = [part for part in result.receipt.parts if part.kind == "first"]
    assert (result.system_prompt, part.action) == ("", "not asked")
    assert "input.detail" in part.reason


def test_a_group_without_an_alternative_that_holds_places_nothing_and_says_so():
    group = {"first": [{"type": "system", "content": LONG, "when": "input.detail"}]}
    result = assembled(plan(group), inputs={"detail": False})
    assert result.messages == []
    assert not any("alternative 1" in note for note in result.receipt.notes)


def test_two_groups_share_the_room_the_first_is_served_first():
    other = {"first": [words(30, "more"), "less"]}
    result = assembled(plan(GROUP, other, input_budget={"max_tokens": 60}))
    assert result.system_prompt == f"{LONG}\n\nless"
    result = assembled(plan(GROUP, other, input_budget={"max_tokens": 80}))
    assert result.system_prompt == f"{LONG}\n\n{words(30, 'more')}"
    result = assembled(plan(GROUP, other, input_budget={"max_tokens": 50}))
    assert result.system_prompt == f"{SHORT}\n\n{words(30, 'more')}"


def test_the_receipt_says_which_alternative_was_placed():
    result = assembled(plan(GROUP, input_budget={"max_tokens": 20}))
    (placed,) = [part for part in result.receipt.parts if part.given]
    assert (placed.kind, placed.place) == ("system", "messages[0].first[1]")
    assert any("alternative 2" in note for note in result.receipt.notes)


sentences = st.integers(0, 30).map(lambda count: " ".join(f"word{n}" for n in range(count)))


@given(
    st.lists(sentences, min_size=1, max_size=3),
    st.lists(sentences, min_size=2, max_size=4),
    st.integers(1, 150),
    st.sampled_from(["none", "openai"]),
    st.booleans(),
)
def test_a_group_fits_wherever_its_last_alternative_alone_would(
    pinned: list[str], group: list[str], budget: int, framing: str, last: bool
):
    texts: list[Any] = [{"type": "system", "content": text} for text in pinned]
    policy = {"input_budget": {"max_tokens": budget}, "framing": framing}
    ordered = sorted(group, key=len, reverse=True)
    at = len(texts) if last else 0

    def placing(directive: Any) -> str | None:
        messages = [*texts[:at], directive, *texts[at:]]
        try:
            assembler = ContextAssembler({"main": {"messages": messages, "policy": policy}})
            return assembler.assemble("main").system_prompt
        except BudgetError:
            return None

    alone = [placing({"type": "system", "content": text}) for text in ordered]
    expected = next((text for text in alone if text is not None), None)
    assert placing({"first": ordered}) == expected


def test_an_alternative_that_gives_up_duplicates_keeps_to_its_own_budget():
    """It is asked again for what fits besides them: under its own cap, not under the group's share."""
    long = {"type": "context", "name": "long"}
    pack = {"type": "context", "name": "kb", "budget": {"max_tokens": 15}}
    other = {"type": "context", "name": "other", "priority": 1}
    policy = {
        "input_budget": {"max_tokens": 100},
        "pack_budget": {"default_ratio": 1.0},
        "expansion": {"max_pages": 3},
    }
    blocks = [words(10, "same"), words(12, "next"), words(14, "last")]
    shelves = {
        "long": Shelf([words(200)]),
        "kb": Shelf(blocks),
        "other": Shelf([words(10, "same")]),
    }
    result = assembled(plan(other, {"first": [long, pack]}, **policy), shelves)
    part = next(each for each in result.receipt.parts if each.name == "kb")
    assert part.cap == 15
    assert 0 < part.given <= 15


@pytest.mark.parametrize(("budget", "given"), [(7, 1), (10, 4), (12, 6), (40, 6)])
def test_alternatives_in_a_nested_context_without_a_budget_fit_what_the_total_leaves(
    budget: int, given: int
):
    contexts = {
        "main": {
            "messages": [
                {"type": "system", "content": words(4, "rule")},
                {"type": "context", "name": "inner", "title": "A title"},
            ],
            "policy": {"counter": "whitespace", "input_budget": {"max_tokens": budget}},
        },
        "inner": {"messages": [{"first": [words(6), words(4), words(1)]}]},
    }
    result = ContextAssembler(contexts).assemble("main")
    assert result.token_count == 4 + 2 + given


def test_where_no_text_fits_the_smallest_is_named():
    plan = {
        "messages": [{"first": [words(9), words(2), words(3)]}],
        "policy": {"counter": "whitespace", "input_budget": {"max_tokens": 1}},
    }
    with pytest.raises(BudgetError) as caught:
        ContextAssembler({"main": plan}).assemble("main")
    assert caught.value.parts == {"messages[0].first[1] (system)": 2}
