"""A tool call and its results stay or go together, in the shape of every provider."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from benchmarks.attacks.recount import orphans
from biblicus_context import ContextAssembler

Conversation = list[dict[str, Any]]
PLAN = {"messages": [{"type": "history"}], "policy": {"input_budget": {"max_tokens": 120}}}


def openai(number: int, ids: list[str], answers: list[str]) -> Conversation:
    calls = [
        {"id": one, "type": "function", "function": {"name": "f", "arguments": "{}"}} for one in ids
    ]
    said = {"role": "assistant", "content": None, "tool_calls": calls}
    return [said, *({"role": "tool", "tool_call_id": one, "content": "r"} for one in answers)]


def legacy(number: int, ids: list[str], answers: list[str]) -> Conversation:
    said = {
        "role": "assistant",
        "content": None,
        "function_call": {"name": f"f{number}", "arguments": "{}"},
    }
    return [said, *({"role": "function", "name": f"f{number}", "content": "r"} for _ in answers)]


def anthropic(number: int, ids: list[str], answers: list[str]) -> Conversation:
    uses = [{"type": "tool_use", "id": one, "name": "f", "input": {}} for one in ids]
    results = [{"type": "tool_result", "tool_use_id": one, "content": "r"} for one in answers]
    asked = [{"role": "user", "content": results}] if results else []
    return [{"role": "assistant", "content": uses}, *asked]


def langchain(number: int, ids: list[str], answers: list[str]) -> Conversation:
    calls = [{"type": "tool_call", "id": one, "name": "f", "args": {}} for one in ids]
    said = {"role": "assistant", "content": calls}
    return [said, *({"role": "tool", "tool_call_id": one, "content": "r"} for one in answers)]


def gemini(number: int, ids: list[str], answers: list[str]) -> Conversation:
    calls = [{"functionCall": {"id": one, "name": "f", "args": {}}} for one in ids]
    body = [{"functionResponse": {"id": one, "name": "f", "response": {}}} for one in answers]
    asked = [{"role": "user", "content": body}] if body else []
    return [{"role": "assistant", "content": calls}, *asked]


def gemini_by_name(number: int, ids: list[str], answers: list[str]) -> Conversation:
    calls = [{"function_call": {"name": "f", "args": {}}} for _ in ids]
    body = [{"function_response": {"name": "f", "response": {}}} for _ in answers]
    asked = [{"role": "user", "content": body}] if body else []
    return [{"role": "assistant", "content": calls}, *asked]


SHAPES = [openai, anthropic, langchain, gemini, gemini_by_name, legacy]


@pytest.mark.parametrize("shape", SHAPES)
def test_pairs_stay_in_every_shape(shape: Any) -> None:
    """Each call with its result is one turn, and none of it is dropped."""
    history = shape(0, ["a"], ["a"])
    result = ContextAssembler({"p": PLAN}).assemble("p", history=history)
    assert result.messages == history
    assert [turn.action for turn in result.receipt.parts[0].turns] == ["kept"]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("answers", [[], ["a", "a"]])
def test_a_call_with_no_result_or_two_is_not_sent(shape: Any, answers: list[str]) -> None:
    """Providers refuse both; the receipt says which turn is at fault."""
    history = [{"role": "user", "content": "hi"}, *shape(0, ["a"], answers)]
    result = ContextAssembler({"p": PLAN}).assemble("p", history=history)
    assert orphans(result.messages) == []
    reasons = {turn.reason for turn in result.receipt.parts[0].turns if turn.action == "dropped"}
    assert reasons <= {"a tool call without its result", "a tool result without its call"}
    assert reasons


@st.composite
def conversations(draw: st.DrawFn) -> Conversation:
    """Turns of all shapes, some without a result, with two, or with one of another call."""
    messages: Conversation = []
    for number in range(draw(st.integers(0, 8))):
        ids = [f"c{number}-{at}" for at in range(draw(st.integers(1, 2)))]
        damage = draw(st.sampled_from(["none", "none", "drop", "double", "other", "talk", "mixed"]))
        answers = {"drop": ids[1:], "double": [*ids, ids[0]], "other": ["lost", *ids]}.get(
            damage, ids
        )
        turn = draw(st.sampled_from(SHAPES))(number, ids, answers)
        if damage == "talk":
            turn.insert(1, {"role": "user", "content": "wait"})
        if damage == "mixed" and isinstance(turn[-1]["content"], list):
            turn[-1]["content"].append({"type": "tool_use", "id": "x", "name": "f", "input": {}})
        messages += turn
        if draw(st.booleans()):
            messages.append({"role": "user", "content": "and then?"})
    return messages


@given(conversations(), st.sampled_from([30, 120, 10_000]), st.integers(0, 2))
def test_no_call_or_result_is_ever_orphaned(history: Conversation, budget: int, keep: int) -> None:
    """However the conversation was damaged, and wherever the budget cuts it."""
    plan = {"messages": [{"type": "history"}]}
    result = ContextAssembler({"p": plan}).assemble("p", history=history, budget=budget)
    assert orphans(result.messages) == []
    numbers = [n for t in result.receipt.parts[0].turns for n in range(t.first, t.last + 1)]
    assert numbers == list(range(len(history)))
