"""The common beginning of two lists of messages."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from biblicus_context import ContextAssembler
from biblicus_context.assembly.result.saved import saved_from, saved_in
from biblicus_context.comparing.changes import difference
from biblicus_context.comparing.prefix import shared_prefix
from biblicus_context.text.counters import Counters
from biblicus_context.text.messages.meter import MessageMeter

METER = MessageMeter(Counters().get("whitespace"))

messages = st.lists(
    st.builds(
        lambda role, content: {"role": role, "content": content},
        st.sampled_from(["system", "user"]),
        st.text("ab \n", max_size=6),
    ),
    max_size=4,
)


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def test_the_place_where_two_texts_part_is_named_with_how_each_goes_on():
    before = [user("one two"), user("three\nfour five six")]
    after = [user("one two"), user("three\nfour nine")]
    found = shared_prefix(before, after, METER)
    assert (found.messages, found.line, found.column) == (1, 2, 6)
    assert (found.before, found.after) == ("five six", "nine")
    assert found.tokens == 4
    assert not found.is_whole


def test_another_role_ends_what_is_shared():
    found = shared_prefix([user("a b")], [{"role": "system", "content": "a b"}], METER)
    assert (found.tokens, found.messages) == (0, 0)
    assert (found.before, found.after) == ("[user] a b", "[system] a b")


def test_one_that_goes_on_where_the_other_ends_shares_all_of_the_other():
    found = shared_prefix([user("a b")], [user("a b"), user("c")], METER)
    assert (found.tokens, found.messages, found.before, found.after) == (2, 1, None, "[user] c")


def test_a_tool_call_that_differs_is_a_difference():
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}
    other = {**call, "tool_calls": [{"id": "2"}]}
    assert not shared_prefix([call], [other], METER).is_whole


@given(messages, messages)
def test_up_to_the_place_named_both_are_the_same_and_there_they_differ(before, after):
    found = shared_prefix(before, after, METER)
    assert found.is_whole == (before == after)
    assert before[: found.messages] == after[: found.messages]
    if found.messages < min(len(before), len(after)):
        one, other = before[found.messages], after[found.messages]
        assert one != other
        if one["role"] == other["role"]:
            lines = one["content"].split("\n")[: found.line]
            at = sum(len(line) + 1 for line in lines[:-1]) + found.column - 1
            assert one["content"][:at] == other["content"][:at]
            assert one["content"][at : at + 1] != other["content"][at : at + 1]


@given(messages, messages)
def test_it_is_the_same_whichever_side_is_first_but_for_the_sides(before, after):
    one, other = shared_prefix(before, after, METER), shared_prefix(after, before, METER)
    assert (one.tokens, one.messages, one.before) == (other.tokens, other.messages, other.after)


@pytest.mark.parametrize(
    "policy",
    [
        {"model": "gpt-4o"},
        {"counter": "whitespace"},
        {"model": "gpt-4o", "framing": {"per_message": 9, "per_reply": 2}},
    ],
)
@given(messages, messages)
def test_the_receipt_and_a_diff_of_the_same_two_calls_give_one_answer(policy, before, after):
    assembler = ContextAssembler({"main": {"messages": [{"type": "history"}], "policy": policy}})
    earlier = assembler.assemble("main", history=before, user_message="Where is Ada?")
    later = assembler.assemble(
        "main", history=after, user_message="Where is Adam?", previous=earlier
    )
    live = difference(saved_from(earlier), saved_from(later))
    stored = difference(*(saved_in(each.to_json(), "result.json") for each in (earlier, later)))
    assert later.receipt.same_prefix == live.prefix.tokens == stored.prefix.tokens


def test_a_saved_result_without_its_framing_is_framed_as_its_model_is():
    context = {"messages": [{"type": "history"}], "policy": {"model": "gpt-4o"}}
    result = ContextAssembler({"main": context}).assemble("main", history=[user("a")])
    saved = saved_in({**result.to_json(), "framing": None}, "result.json")
    assert difference(saved, saved).prefix == difference(*[saved_from(result)] * 2).prefix
