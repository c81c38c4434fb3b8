"""A tight budget holds in procedures, and tools' answers stay with what asked for them."""

from __future__ import annotations

import pytest

from biblicus_context import ContextAssemblyResult, count_tokens
from biblicus_context.integrations.tactus import install, installed
from tests.integrations.tactus.procedures import AGENT, Message, asking, sent_as, tool_call

TRACKING = """
track = Tool {
  description = "Where a parcel is.",
  input = { id = field.number{required=true} },
  function(args) return "Parcel " .. args.id .. " is on its way, for two days more." end
}
""" + AGENT.replace("context =", "tools = {track}, context =")
QUESTIONS = [f"This is question number {number}: where is my parcel?" for number in range(6)]


def plan(tokens: int) -> str:
    return f"""
support_context = Context {{
  policy = {{ input_budget = {{ max_tokens = {tokens} }} }},
  messages = {{ system("Be brief."), history(), user("{{input.message}}") }}
}}
"""


def text_tokens(messages: list[Message]) -> int:
    """Of the contents alone, counted without the engine's own account."""
    return sum(count_tokens(each["content"] or "", tokenizer_id="o200k_base") for each in messages)


@pytest.mark.parametrize("tokens", [30, 60, 90])
def test_a_conversation_that_grows_keeps_within_its_budget(play, tokens: int):
    results: list[ContextAssemblyResult] = []
    with installed(on_assembled=results.append):
        ran = play(plan(tokens) + AGENT + asking(*QUESTIONS), answers=["It is on its way."])
    assert ran.success, ran.error
    assert ran.sent == [sent_as(result) for result in results]
    assert all(text_tokens(messages) <= tokens for messages in ran.sent)
    assert all(result.token_count <= tokens for result in results)
    assert ran.sent[-1][-1]["content"] == QUESTIONS[-1]
    assert QUESTIONS[0] not in [each["content"] for each in ran.sent[-1]]


def test_without_it_the_same_conversation_goes_over(play):
    ran = play(plan(30) + AGENT + asking(*QUESTIONS), answers=["It is on its way."])
    assert text_tokens(ran.sent[-1]) > 30


def test_what_cannot_fit_fails_before_the_model_is_asked_and_says_why(play):
    install()
    ran = play(plan(5) + AGENT + asking(QUESTIONS[0]))
    assert not ran.success
    assert "context 'support_context' needs" in ran.error
    assert "its budget is 5" in ran.error
    assert ran.sent == []


def test_calls_of_tools_and_their_results_arrive_as_they_were_in_the_next_turn(play):
    answers = [tool_call("track", id=7), "On its way.", "Tomorrow."]
    install()
    ran = play(plan(500) + TRACKING + asking("Where is it?", "When?"), answers=answers)
    assert ran.success, ran.error
    _, asked, called, answered, said, last = ran.sent[2]
    assert asked == {"role": "user", "content": "Where is it?"}
    (call,) = called["tool_calls"]
    assert call["type"] == "function"
    assert call["function"] == {"name": "track", "arguments": '{"id": 7}'}
    assert answered == {
        "role": "tool",
        "tool_call_id": call["id"],
        "name": "track",
        "content": "Parcel 7 is on its way, for two days more.",
    }
    assert said == {"role": "assistant", "content": "On its way."}
    assert last == {"role": "user", "content": "When?"}


@pytest.mark.parametrize("tokens", range(20, 120, 10))
def test_a_call_is_never_sent_without_its_result_nor_a_result_without_its_call(play, tokens: int):
    answers = [tool_call("track", id=7), "On its way."] * 3
    results: list[ContextAssemblyResult] = []
    with installed(on_assembled=results.append):
        ran = play(
            plan(tokens) + TRACKING + asking("Where?", "When?", "Where now?"), answers=answers
        )
    assert ran.success, ran.error
    for result in results:
        calls = [call["id"] for each in result.history for call in each.get("tool_calls", ())]
        replies = [each["tool_call_id"] for each in result.history if each["role"] == "tool"]
        assert calls == replies
        assert sent_as(result) in ran.sent
