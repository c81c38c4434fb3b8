"""Histories that are long, old-fashioned or cut in the middle of a tool call."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context import ContextAssembler, InputError, RetrieverError
from tests.assembly.fakes import assembled, plan, words
from tests.assembly.oracle import orphans


def said(role: str = "user", count: int = 10) -> dict[str, Any]:
    return {"role": role, "content": words(count)}


def round_of_tools(number: int, results: int) -> list[dict[str, Any]]:
    calls = [
        {"id": f"{number}-{at}", "function": {"name": "f", "arguments": "{}"}}
        for at in range(results)
    ]
    return [
        {"role": "assistant", "content": None, "tool_calls": calls},
        *({"role": "tool", "tool_call_id": call["id"], "content": words(5)} for call in calls),
    ]


@given(st.integers(1, 9), st.integers(1, 60), st.integers(10, 900))
def test_a_long_history_is_never_cut_inside_a_tool_call(results: int, rounds: int, budget: int):
    history = [one for number in range(rounds) for one in round_of_tools(number, results)]
    context = plan({"type": "history"}, framing="none", input_budget={"max_tokens": budget})
    result = assembled(context, history=history)
    assert orphans(result.history) == []
    assert result.history == history[len(history) - len(result.history) :]
    room = budget - result.token_count
    assert len(result.history) == len(history) or room < result.token_count + 7 * results + 1


def test_a_call_of_one_function_and_its_result_are_one_turn():
    history = [
        said(),
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": words(5)},
        said(),
    ]
    context = plan({"type": "history"}, input_budget={"max_tokens": 19})
    assert assembled(context, history=history).history in (history[1:], history[3:])
    broken = [said(), history[1], said()]
    assert assembled(context, history=broken).history == [broken[2]]


def test_start_on_user_passes_over_hundreds_of_turns():
    history = [said("assistant", 1) for _ in range(150)] + [said("user", 1), said("assistant", 1)]
    context = plan({"type": "history", "start_on": "user"}, input_budget={"max_tokens": 120})
    result = assembled(context, history=history)
    assert result.history == history[-2:]
    turns = result.receipt.parts[0].turns
    assert [number for turn in turns for number in range(turn.first, turn.last + 1)] == list(
        range(152)
    )


def test_a_history_whose_middle_cannot_be_read_is_named_by_number_when_it_is_reached():
    history: list[Any] = [said(count=1) for _ in range(200)]
    history[20] = "not a message"
    context = plan({"type": "history"})
    with pytest.raises(InputError, match=r"history\[20\]"):
        assembled(context, history=history)
    near_the_end = plan({"type": "history"}, input_budget={"max_tokens": 20})
    assert len(assembled(near_the_end, history=history).history) == 20


def test_summaries_of_very_many_conversations_are_forgotten_the_oldest_first():
    asked: list[str] = []

    def summarise(request: Any) -> str:
        asked.append(request.text)
        return "short"

    context = plan(
        {"type": "history", "keep_last": 1, "compactor": "mine"}, input_budget={"max_tokens": 60}
    )
    assembler = ContextAssembler({"main": context}, compactor_registry={"mine": summarise})

    def talk(name: str) -> None:
        history = [{"role": "user", "content": words(20, name)} for _ in range(5)]
        assembler.assemble("main", history=history)

    for number in range(600):
        talk(f"n{number}")
    assert len(asked) == 600
    talk("n599")
    assert len(asked) == 600
    talk("n0")
    assert len(asked) == 601


def test_an_async_retriever_that_fails_inside_a_running_loop_is_named():
    async def failing(request: Any) -> Any:
        raise OSError("gone")

    async def main() -> None:
        assembled({"packs": "kb"}, {"kb": failing})

    with pytest.raises(RetrieverError, match=r"retriever 'kb' failed: OSError$"):
        asyncio.run(main())
