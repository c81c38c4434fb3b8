"""What a history directive keeps, and that tool calls and their results stay together."""

from __future__ import annotations

from typing import Any

import pytest

from biblicus_context import ContextAssembler, InputError


def said(role: str, count: int = 10, word: str = "w") -> dict[str, Any]:
    return {"role": role, "content": " ".join([word] * count)}


def calling(*ids: str) -> dict[str, Any]:
    calls = [{"id": one, "function": {"name": "f", "arguments": "{}"}} for one in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def answering(one: str, count: int = 5) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": one, "content": " ".join(["r"] * count)}


def kept(history: list[dict[str, Any]], budget: int | None = None, **options: Any) -> list[int]:
    policy: dict[str, Any] = {"counter": "whitespace", "framing": "none"}
    if budget is not None:
        policy["input_budget"] = {"max_tokens": budget}
    plan = {"messages": [{"type": "history", **options}], "policy": policy}
    result = ContextAssembler({"main": plan}).assemble("main", history=history)
    (part,) = [part for part in result.receipt.parts if part.kind == "history"]
    numbers = [
        number
        for turn in part.turns
        if turn.action == "kept"
        for number in range(turn.first, turn.last + 1)
    ]
    assert result.history == [history[number] for number in numbers]
    return numbers


def test_the_newest_turns_that_fit_are_kept_without_a_gap():
    history = [said("user"), said("assistant", 50), said("user"), said("assistant")]
    assert kept(history, budget=30) == [2, 3]


def test_max_turns_limits_turns_also_without_a_budget():
    assert kept([said("user")] * 5, max_turns=2) == [3, 4]


def test_a_ratio_budget_of_the_history_is_of_the_input_budget():
    plan = {
        "messages": [{"type": "history", "budget": {"ratio": 0.3}}],
        "policy": {"counter": "whitespace", "input_budget": {"max_tokens": 100}},
    }
    result = ContextAssembler({"main": plan}).assemble("main", history=[said("user")] * 5)
    assert len(result.history) == 3


def test_start_on_user_drops_older_turns_until_a_user_speaks():
    history = [said("user"), said("assistant"), said("assistant"), said("user"), said("assistant")]
    assert kept(history, budget=40, start_on="user") == [3, 4]


def test_start_on_user_never_drops_a_turn_that_is_to_be_kept():
    history = [said("assistant"), said("assistant")]
    assert kept(history, start_on="user", keep_last=1) == [1]


def test_a_call_and_all_its_results_stay_or_go_together():
    history = [said("user"), calling("a", "b"), answering("a"), answering("b"), said("assistant")]
    assert kept(history, budget=15) == [4]
    assert kept(history, budget=24) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("history", "expected"),
    [
        ([answering("x"), said("user")], [1]),
        ([said("user"), calling("a")], [0]),
        ([said("user"), calling("a", "b"), answering("a")], [0]),
        ([calling("a"), answering("a"), answering("x"), said("user")], [0, 1, 3]),
        ([said("user"), answering("x"), answering("y")], [0]),
    ],
)
def test_a_call_without_its_result_and_a_result_without_its_call_are_dropped(
    history: list[dict[str, Any]], expected: list[int]
):
    assert kept(history) == expected


def test_tool_use_and_tool_result_parts_stay_together_as_well():
    use = {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}],
    }
    result = {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "a", "content": "w w w w w"}],
    }
    assert kept([said("user"), use, result, said("assistant")], budget=20)[0] in (1, 3)
    assert kept([said("user"), result]) == [0]
    assert kept([said("user"), use]) == [0]


def test_old_turns_nobody_had_to_measure_are_one_entry_of_the_receipt():
    plan = {
        "messages": [{"type": "history"}],
        "policy": {"counter": "whitespace", "input_budget": {"max_tokens": 100}},
    }
    history = [said("user")] * 5000
    result = ContextAssembler({"main": plan}).assemble("main", history=history)
    (part,) = [part for part in result.receipt.parts if part.kind == "history"]
    first = part.turns[0]
    assert (first.first, first.last, first.asked, first.action) == (
        0,
        4989,
        None,
        "dropped",
    )
    assert len(part.turns) == 11


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ({"content": "no role"}, "role"),
        ({"role": "user", "content": 7}, "content"),
        ("just text", "must be a message"),
        ({"role": 3, "content": "x"}, "role"),
    ],
)
def test_a_message_that_cannot_be_read_is_named_by_its_number(message: Any, found: str):
    with pytest.raises(InputError, match=rf"history\[1\].*{found}"):
        kept([said("user"), message, said("user")])


def test_turns_that_have_to_go_become_one_summary_in_their_place():
    plan = {
        "messages": [
            {"type": "system", "content": "s"},
            {"type": "history", "keep_last": 1, "compactor": {"type": "truncate"}},
        ],
        "policy": {"input_budget": {"max_tokens": 100}},
    }
    history = [said("user", 20, f"w{n}") for n in range(20)]
    result = ContextAssembler({"main": plan}).assemble("main", history=history)
    assert result.history[0]["content"].startswith("Summary of the earlier conversation:\n")
    assert result.history[-1] == history[-1]
    assert 90 <= result.token_count <= 100


def test_only_turns_that_are_new_since_the_last_summary_are_summarised():
    seen: list[str] = []

    def summarise(request: Any) -> str:
        seen.append(request.text)
        return f"summary {len(seen)}"

    plan = {
        "messages": [{"type": "history", "keep_last": 1, "compactor": "mine"}],
        "policy": {"counter": "whitespace", "input_budget": {"max_tokens": 100}},
    }
    assembler = ContextAssembler({"main": plan}, compactor_registry={"mine": summarise})
    history = [said("user", 20, f"w{n}") for n in range(8)]
    first = assembler.assemble("main", history=history)
    again = assembler.assemble("main", history=history)
    assert (len(seen), again.history) == (1, first.history)
    longer = [*history, *[said("user", 20, "new")] * 6]
    assembler.assemble("main", history=longer, previous=first)
    assert seen[1].startswith("summary 1\n\nuser: w")
    assert "w0" not in seen[1]
