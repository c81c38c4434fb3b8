"""Summaries of history: what they depend on, what they leave to turns, and what they cost."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context import ContextAssembler
from tests.assembly.fakes import assembled, plan, words

HEADING = "Summary of the earlier conversation:\n"


def turns(count: int, size: int = 20) -> list[dict[str, Any]]:
    return [{"role": "user", "content": words(size, f"w{at}")} for at in range(count)]


def chat(budget: int = 120, **history: Any) -> dict[str, Any]:
    directive = {"type": "history", "keep_last": 1, "compactor": "extractive", **history}
    question = {"type": "user", "content": "{input.question}"}
    return plan(directive, question, input_budget={"max_tokens": budget})


def sent(assembler: ContextAssembler, history: list[Any], question: str) -> list[dict[str, Any]]:
    return assembler.assemble("main", inputs={"question": question}, history=history).messages


@given(
    st.lists(
        st.tuples(st.integers(3, 30), st.sampled_from(["w1?", "w7 w8?", words(9)])), max_size=6
    ),
    st.sampled_from(["extractive", "truncate", "summary"]),
    st.sampled_from([None, 0.75]),
)
def test_an_assembler_that_served_other_calls_gives_the_bytes_of_a_new_one(
    calls: list[tuple[int, str]], compactor: str, mark: float | None
):
    context = chat(compactor=compactor, low_mark=mark)
    reused = ContextAssembler({"main": context})
    for count, question in calls:
        fresh = ContextAssembler({"main": context})
        history = turns(count)
        assert sent(reused, history, question) == sent(fresh, history, question)


def test_no_words_of_a_question_are_in_the_request_for_another():
    asked: list[Any] = []

    def mine(request: Any) -> str:
        asked.append(request)
        return f"about {request.query}"

    assembler = ContextAssembler(
        {"main": chat(compactor="mine")}, compactor_registry={"mine": mine}
    )
    sent(assembler, turns(12), "secret?")
    assert "secret" not in str(sent(assembler, turns(12), "other?"))


def test_another_counter_or_room_is_another_summary():
    rooms: list[int] = []

    def mine(request: Any) -> str:
        rooms.append(request.max_tokens)
        return "short"

    small, large = chat(budget=120, compactor="mine"), chat(budget=240, compactor="mine")
    assembler = ContextAssembler({"main": small, "large": large}, compactor_registry={"mine": mine})
    for name in ("main", "large"):
        assembler.assemble(name, inputs={"question": "?"}, history=turns(30))
    assert len(set(rooms)) == 2


def test_threads_that_ask_at_the_same_time_get_one_summary():
    written = iter(range(1000))
    context = chat(compactor="mine")
    assembler = ContextAssembler(
        {"main": context}, compactor_registry={"mine": lambda _: f"summary {next(written)}"}
    )
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: sent(assembler, turns(12), "?"), range(32)))
    assert all(result == results[0] for result in results)


@pytest.mark.parametrize("size", [7, 13, 20, 29])
def test_a_short_summary_reserves_no_room_that_turns_could_use(size: int):
    context = chat(compactor="mine", keep_last=0)
    result = ContextAssembler(
        {"main": context}, compactor_registry={"mine": lambda _: "In short."}
    ).assemble("main", inputs={"question": "?"}, history=turns(40, size))
    assert result.history[0]["content"] == f"{HEADING}In short."
    assert 120 - result.token_count < size


def test_the_heading_of_a_summary_is_a_setting():
    context = chat(compactor="truncate", summary_heading="Bisher:")
    result = assembled(context, inputs={"question": "?"}, history=turns(20))
    assert result.history[0]["content"].startswith("Bisher:\n")


def test_a_summary_with_a_heading_of_its_own_is_continued():
    asked: list[str] = []

    def mine(request: Any) -> str:
        asked.append(request.text)
        return "so far so good"

    context = chat(compactor="mine", summary_heading="Bisher:")
    assembler = ContextAssembler({"main": context}, compactor_registry={"mine": mine})
    call = {"inputs": {"question": "?"}}
    first = assembler.assemble("main", history=turns(20), **call)
    assembler.assemble("main", history=turns(40), previous=first, **call)
    assert asked[1].startswith("so far so good\n\nuser: w")


class Counting:
    """A counter of words that knows how many texts it was asked for."""

    name = "counting"
    estimated = False

    def __init__(self) -> None:
        self.texts = 0

    def count(self, text: str) -> int:
        return self.count_many([text])[0]

    def count_many(self, texts: Any) -> list[int]:
        self.texts += len(texts)
        return [len(text.split()) for text in texts]


class Reading(dict[str, Any]):
    """A message that knows how often any message was read."""

    read = 0

    def get(self, *given: Any) -> Any:
        Reading.read += 1
        return super().get(*given)


@pytest.mark.parametrize("history", [{"low_mark": 0.75}, {"compactor": "truncate"}])
def test_the_work_does_not_grow_with_the_conversation(history: dict[str, Any]):
    def work(count: int) -> tuple[int, int]:
        counter = Counting()
        context = plan(
            {"type": "history", **history},
            input_budget={"max_tokens": 2000},
            counter="counting",
        )
        assembler = ContextAssembler({"main": context}, counters={"counting": counter})
        talk = [Reading(role="user", content=words(80, f"w{at}")) for at in range(count)]
        Reading.read = 0
        assembler.assemble("main", history=talk)
        return counter.texts, Reading.read

    few, many = work(2_000), work(40_000)
    assert many[0] <= few[0] + 1_200
    assert many[1] <= few[1] * 1.2 + 1_200
