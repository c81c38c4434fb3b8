"""A history that goes down to a low mark at once, and then begins alike for many calls."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context import BudgetError, ContextAssembler, ContextAssemblyResult, InputError
from tests.assembly.fakes import plan, words
from tests.assembly.oracle import orphans
from tests.assembly.strategies import Case, cases

BUDGET = 200


def chat(*more: Any, budget: int = BUDGET, **history: Any) -> dict[str, Any]:
    system = {"type": "system", "content": words(10, "rule")}
    directive = {"type": "history", **history}
    return plan(system, *more, directive, input_budget={"max_tokens": budget})


def assembler_of(**history: Any) -> ContextAssembler:
    return ContextAssembler({"main": chat(**history)})


def said(number: int, size: int, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": words(size, f"{role[0]}{number}")}


def looked_up(number: int, sizes: list[int]) -> list[dict[str, Any]]:
    calls = [
        {
            "id": f"call-{number}-{at}",
            "type": "function",
            "function": {"name": "look_up", "arguments": "{}"},
        }
        for at in range(len(sizes))
    ]
    results = [
        {"role": "tool", "tool_call_id": call["id"], "content": words(size, f"r{number}")}
        for call, size in zip(calls, sizes, strict=True)
    ]
    return [{"role": "assistant", "content": None, "tool_calls": calls}, *results]


@st.composite
def talks(draw: st.DrawFn) -> list[list[dict[str, Any]]]:
    """What each of many turns adds: a question, now and then tools, an answer."""
    turns: list[list[dict[str, Any]]] = []
    for number in range(draw(st.integers(10, 40))):
        turn = [said(number, draw(st.integers(1, 12)))]
        if draw(st.booleans()):
            turn += looked_up(number, draw(st.lists(st.integers(1, 6), min_size=1, max_size=3)))
        turns.append([*turn, said(number, draw(st.integers(1, 12)), "assistant")])
    return turns


def followed(
    assembler: ContextAssembler, turns: list[list[dict[str, Any]]], *, told: bool
) -> list[ContextAssemblyResult]:
    """The results of a conversation turn by turn, each told of the one before, or of nothing."""
    history: list[dict[str, Any]] = []
    results: list[ContextAssemblyResult] = []
    for turn in turns:
        history += turn
        previous = results[-1] if told and results else None
        results.append(assembler.assemble("main", history=history, previous=previous))
    return results


def first_of(result: ContextAssemblyResult) -> int:
    """The number of the first message that is kept."""
    turns = result.receipt.parts[1].turns
    return min((turn.first for turn in turns if turn.action == "kept"), default=-1)


def tokens_of(messages: list[dict[str, Any]]) -> int:
    """As the whitespace counter sees them."""
    texts = [message["content"] or "" for message in messages]
    for message in messages:
        for call in message.get("tool_calls", ()):
            texts += [call["function"]["name"], call["function"]["arguments"]]
    return sum(len(text.split()) for text in texts)


in_both_ways = pytest.mark.parametrize("told", [True, False], ids=["previous", "stateless"])


@in_both_ways
@given(talks(), st.sampled_from([0.5, 0.6, 0.75, 0.9]))
def test_a_growing_conversation_begins_alike_until_turns_go_down_to_the_low_mark(
    told: bool, turns: list[list[dict[str, Any]]], mark: float
):
    """Few times they go, and hardly below the mark."""
    results = followed(assembler_of(low_mark=mark), turns, told=told)
    drops = 0
    for before, after in pairwise(results):
        assert first_of(before) <= first_of(after)
        if first_of(before) == first_of(after):
            assert after.messages[: len(before.messages)] == before.messages
        else:
            drops += 1
    for result in results:
        assert result.token_count <= BUDGET
        assert orphans(result.messages) == []
        if first_of(result) > 0:
            longest = 2 + 3 * 8  # an assistant with three calls and their results
            assert result.token_count >= BUDGET // 2 - longest
            assert result.token_count >= mark * BUDGET - 10 - longest
    added = sum(map(tokens_of, turns))
    # A step is an eighth smaller where it would be more than half of what the system text leaves.
    assert drops <= added / (BUDGET * (1 - mark) * 7 / 8) + 1


@given(talks())
def test_without_a_mark_and_without_a_previous_result_no_more_goes_than_has_to(
    turns: list[list[dict[str, Any]]],
):
    history = [message for turn in turns for message in turn]
    without = assembler_of().assemble("main", history=history)
    assert assembler_of(low_mark=1).assemble("main", history=history).messages == without.messages
    told = assembler_of(low_mark=1).assemble("main", history=history, previous=without)
    assert told.messages == without.messages


def long_talk(turns: int = 30) -> list[list[dict[str, Any]]]:
    return [
        [said(n, 5), *looked_up(n, [3, 4] if n % 2 else [7]), said(n, 6, "assistant")]
        for n in range(turns)
    ]


def test_a_previous_result_holds_the_history_where_the_plan_says_nothing():
    sliding = followed(assembler_of(), long_talk(), told=False)
    held = followed(assembler_of(), long_talk(), told=True)
    assert (
        len({first_of(result) for result in held}) < len({first_of(each) for each in sliding}) / 2
    )
    marked = followed(assembler_of(low_mark=0.75), long_talk(), told=True)
    assert [each.messages for each in held] == [each.messages for each in marked]


def test_a_previous_result_may_be_the_result_its_json_a_text_or_a_copy_that_was_stored():
    history = [message for turn in long_talk() for message in turn]
    assembler = assembler_of(low_mark=0.6)
    before = assembler.assemble("main", history=history[:-8])
    after = assembler.assemble("main", history=history, previous=before)
    needed = {"messages": before.messages, "receipt": before.receipt.model_dump(mode="json")}
    forms: list[Any] = [
        before.to_json(),
        json.dumps(before.to_json()),
        needed,
        pickle.loads(pickle.dumps(before)),
    ]
    for form in forms:
        same = ContextAssembler({"main": chat(low_mark=0.6)})
        result = same.assemble("main", history=history, previous=form)
        assert result.messages == after.messages
        assert result.fingerprint == after.fingerprint
    assert first_of(after) == first_of(before) > 0


def test_async_begins_alike_too():
    history = [message for turn in long_talk() for message in turn]
    assembler = assembler_of()
    before = assembler.assemble("main", history=history[:-8], previous=None)
    one = assembler.assemble("main", history=history, previous=before)
    two = asyncio.run(assembler.aassemble("main", history=history, previous=before))
    assert (one.messages, one.fingerprint) == (two.messages, two.fingerprint)


@pytest.mark.parametrize(
    ("previous", "problem"),
    [
        (7, "must be a result: found 'int'"),
        ("{", "not JSON"),
        ("[1]", "must be a result: found 'list'"),
        ({"messages": []}, r"previous\.receipt"),
        ({"messages": "none", "receipt": {}}, r"previous\.messages"),
    ],
)
def test_what_is_no_result_is_refused_and_what_to_do_is_said(previous: Any, problem: str):
    with pytest.raises(InputError, match=rf"{problem}.*to_json"):
        assembler_of().assemble("main", previous=previous)


def test_the_result_of_another_conversation_holds_nothing():
    history = [message for turn in long_talk() for message in turn]
    other = [{**message, "content": f"{message['content']} other"} for message in history]
    assembler = assembler_of(low_mark=0.75)
    alone = assembler.assemble("main", history=history)
    strange = assembler.assemble("main", history=other, previous=None)
    assert assembler.assemble("main", history=history, previous=strange).messages == alone.messages
    short = assembler.assemble("main", history=history[:1], previous=alone)
    assert short.history == history[:1]


def test_a_beginning_that_the_plan_does_not_allow_any_more_is_left():
    history = [said(n, 9, "assistant" if n % 2 else "user") for n in range(41)]
    before = assembler_of(low_mark=0.75).assemble("main", history=history)
    while first_of(before) % 2 == 0:
        history.append(said(len(history), 9, "assistant" if len(history) % 2 else "user"))
        before = assembler_of(low_mark=0.75).assemble("main", history=history)
    strict = assembler_of(low_mark=0.75, start_on="user")
    after = strict.assemble("main", history=history, previous=before)
    assert after.history[0]["role"] == "user"
    assert after.messages == strict.assemble("main", history=history).messages


@in_both_ways
def test_turns_that_the_plan_keeps_stay_and_the_history_starts_on_the_user(told: bool):
    settings = {"low_mark": 0.5, "keep_last": 3, "start_on": "user"}
    for result in followed(assembler_of(**settings), long_talk(), told=told):
        assert result.history[0]["role"] == "user"
        assert result.token_count <= BUDGET
    kept = [turn for turn in result.receipt.parts[1].turns if turn.action == "kept"]
    assert len(kept) >= 3


def test_more_turns_are_kept_than_the_mark_leaves_where_the_plan_keeps_them():
    history = [said(n, 30) for n in range(20)]
    result = assembler_of(low_mark=0.5, keep_last=5).assemble("main", history=history)
    assert result.history == history[-5:] or len(result.history) > 5


def test_a_very_long_turn_at_the_mark_stays():
    turns = [[said(0, 20)], [said(1, 120)], [said(2, 30)], [said(3, 30)]]
    results = followed(assembler_of(low_mark=0.75), turns, told=True)
    assert [first_of(result) for result in results] == [0, 0, 0, 1]
    results = followed(assembler_of(low_mark=0.75), turns, told=False)
    assert results[-1].token_count >= BUDGET / 2


def test_a_history_with_more_room_than_before_is_not_left_nearly_empty():
    history = [said(n, 10) for n in range(40)]
    assembler = assembler_of(low_mark=0.75)
    small = assembler.assemble("main", history=history, budget=60)
    large = assembler.assemble("main", history=history, previous=small)
    assert len(small.history) < 6
    assert 140 <= large.token_count <= BUDGET
    everything = assembler.assemble("main", history=history, budget=1000, previous=small)
    assert everything.history == history


def test_a_budget_of_the_history_has_a_mark_too():
    context = chat(budget=1000, low_mark=0.5)
    context["messages"][1]["budget"] = {"max_tokens": 100}
    history = [said(n, 7) for n in range(30)]
    results = followed(ContextAssembler({"main": context}), [[one] for one in history], told=True)
    kept = [result.receipt.parts[1].given for result in results]
    assert max(kept) == 98
    assert min(kept[20:]) == 49


@pytest.mark.parametrize("history", [{"pin": True}, {"max_turns": 3}])
def test_where_room_is_not_what_decides_the_mark_changes_nothing(history: dict[str, Any]):
    talk = [said(n, 3) for n in range(8)]
    without = assembler_of(**history).assemble("main", history=talk)
    marked = assembler_of(**history, low_mark=0.5).assemble("main", history=talk)
    assert marked.messages == without.messages
    told = assembler_of(**history).assemble("main", history=talk, previous=without)
    assert told.messages == without.messages


def test_with_overflow_error_nothing_goes():
    context = chat(low_mark=0.5)
    context["policy"]["overflow"] = "error"
    assembler = ContextAssembler({"main": context})
    talk = [said(n, 10) for n in range(18)]
    assert assembler.assemble("main", history=talk).history == talk
    with pytest.raises(BudgetError):
        assembler.assemble("main", history=[*talk, said(19, 20)])


def test_the_receipt_says_why_turns_went_and_accounts_for_each_once():
    lost = {"role": "tool", "tool_call_id": "nobody", "content": "Lost."}
    history = [message for turn in long_talk() for message in turn]
    history[-10:-10] = [lost]
    assembler = assembler_of(low_mark=0.6)
    before = assembler.assemble("main", history=history[:-4])
    after = assembler.assemble("main", history=history, previous=before)
    for result, reason in ((before, "low mark at once"), (after, "as the previous result did")):
        part = result.receipt.parts[1]
        assert (part.action, reason in part.reason) == ("shortened", True)
        numbers = [n for turn in part.turns for n in range(turn.first, turn.last + 1)]
        assert numbers == [*range(len(numbers))]


@given(cases(overflow=("compact", "none")), st.integers(0, 8))
def test_any_plan_told_of_an_earlier_call_keeps_the_budget_the_pairs_and_its_inputs(
    case: Case, earlier: int
):
    assembler = ContextAssembler(**case.registries)
    call = dict(case.call)
    history = call.pop("history_messages")
    try:
        before = assembler.assemble(**call, history=history[:earlier])
        sent = copy.deepcopy(before.messages)
        after = assembler.assemble(**call, history=history, previous=before)
        again = assembler.assemble(**call, history=history, previous=before.to_json())
    except BudgetError:
        return
    receipt = after.receipt
    assert before.messages == sent
    assert after.messages == again.messages
    assert receipt.over or after.token_count <= case.budget
    assert orphans(after.messages) == []
    assert receipt.previous_used == before.token_count
    assert 0 <= receipt.same_prefix <= min(after.token_count, before.token_count)


# What is said of the same beginning.


def test_the_receipt_counts_the_messages_that_are_sent_again_as_they_were():
    history = [said(n, 10) for n in range(6)]
    assembler = ContextAssembler({"main": chat({"type": "assistant", "content": "Hello."})})
    before = assembler.assemble("main", history=history[:3], user_message="one two")
    after = assembler.assemble("main", history=history, user_message="three", previous=before)
    assert (after.receipt.same_prefix, after.receipt.previous_used) == (
        10 + 1 + 30,
        10 + 1 + 30 + 2,
    )
    assert "begins as the previous result did" in after.explain()
    assert before.receipt.same_prefix is None
    assert before.receipt.previous_used is None
    assert "previous" not in before.explain()


def test_of_a_message_that_goes_on_differently_the_equal_words_count():
    context = plan({"type": "system", "content": "You help {input.name} with parcels."})
    assembler = ContextAssembler({"main": context})
    before = assembler.assemble("main", inputs={"name": "Ada"})
    after = assembler.assemble("main", inputs={"name": "Adam"}, previous=before)
    assert after.receipt.same_prefix == 2
    same = assembler.assemble("main", inputs={"name": "Ada"}, previous=before)
    assert same.receipt.same_prefix == same.token_count


def test_what_differs_in_more_than_its_text_has_no_equal_words():
    assembler = ContextAssembler({"main": plan({"type": "history"})})
    history: list[dict[str, Any]] = [{"role": "user", "content": "one two three"}]
    before = assembler.assemble("main", history=history)
    for other in (
        {"role": "assistant", "content": "one two four"},
        {"role": "user", "content": None},
        {"role": "user", "content": "one two four", "name": "Ada"},
    ):
        after = assembler.assemble("main", history=[other], previous=before)
        assert after.receipt.same_prefix == 0


def test_framing_is_part_of_what_is_the_same():
    context = {
        "messages": [{"type": "history"}],
        "policy": {"counter": "whitespace", "framing": {"per_message": 4, "per_reply": 3}},
    }
    assembler = ContextAssembler({"main": context})
    history = [said(n, 5) for n in range(3)]
    before = assembler.assemble("main", history=history[:2])
    after = assembler.assemble("main", history=history, previous=before)
    assert after.receipt.same_prefix == 2 * (5 + 4)


def test_a_result_does_not_keep_the_one_before_alive():
    assembler = assembler_of()
    before = assembler.assemble("main")
    after = assembler.assemble("main", previous=before)
    assert after.draft is not None
    assert after.draft.call.previous is None


# Summaries of what went.


def summarising(calls: list[str], **history: Any) -> ContextAssembler:
    def mine(request: Any) -> str:
        calls.append(request.text)
        return words(12, f"s{len(calls)}")

    context = chat(compactor="mine", **history)
    return ContextAssembler({"main": context}, compactor_registry={"mine": mine})


@in_both_ways
def test_a_summary_stays_as_it_is_while_the_history_begins_at_the_same_turn(told: bool):
    calls: list[str] = []
    turns = long_talk(40)
    results = followed(summarising(calls, low_mark=0.75), turns, told=told)
    summarised = [result for result in results if "Summary" in str(result.history[0]["content"])]
    for before, after in pairwise(summarised):
        if first_of(before) == first_of(after):
            assert after.messages[: len(before.messages)] == before.messages
    assert len(summarised) > 20
    assert len(calls) == len({first_of(result) for result in summarised}) < len(summarised) / 2


def test_another_process_that_is_told_of_the_previous_result_sends_its_summary_again():
    calls: list[str] = []
    history = [message for turn in long_talk(40) for message in turn]
    before = summarising(calls, low_mark=0.75).assemble("main", history=history[:-4])
    elsewhere = summarising([], low_mark=0.75)
    after = elsewhere.assemble("main", history=history, previous=before.to_json())
    assert after.history[0] == before.history[0]
    assert after.messages[: len(before.messages)] == before.messages


def test_another_process_goes_on_from_the_summary_that_it_is_told_of():
    history = [message for turn in long_talk(60) for message in turn]
    before = summarising([], low_mark=0.75).assemble("main", history=history[:120])
    calls: list[str] = []
    summarising(calls, low_mark=0.75).assemble("main", history=history, previous=before)
    assert calls[0].startswith(before.history[0]["content"].partition("\n")[2])
    assert "u1 " not in calls[0]


def test_a_message_of_the_plan_in_front_of_the_history_is_no_summary():
    context = chat({"type": "assistant", "content": "Hello."}, compactor="mine", low_mark=0.75)
    calls: list[str] = []

    def mine(request: Any) -> str:
        calls.append(request.text)
        return words(12)

    assembler = ContextAssembler({"main": context}, compactor_registry={"mine": mine})
    history = [message for turn in long_talk(40) for message in turn]
    short = assembler.assemble("main", history=history[:4])
    assembler.assemble("main", history=history, previous=short)
    assert calls[0].startswith("user: u0")
