"""Summaries that somebody else writes."""

from __future__ import annotations

import asyncio
import threading

import pytest

from biblicus_context.base.effects import TookTooLongError
from biblicus_context.base.tasks import arun
from biblicus_context.base.threads import run
from biblicus_context.errors import CompactorError
from biblicus_context.text.compactors import (
    CompactionRequest,
    DropBlocksCompactor,
    SummarizeCompactor,
    TailCompactor,
    shorten_checked,
)
from biblicus_context.text.counters import Counters

WORDS = Counters().get("whitespace")
LONG = "one two three four five six seven eight"


def request(text: str = LONG, max_tokens: int = 3, query: str = "") -> CompactionRequest:
    """A request counted in words."""
    return CompactionRequest(text, max_tokens, query, WORDS)


class Writer:
    """Answers every request in the same way, and notes what it was asked."""

    def __init__(self, answer: object = "in short") -> None:
        self.answer = answer
        self.asked: list[CompactionRequest] = []

    def __call__(self, asked: CompactionRequest) -> str:
        self.asked.append(asked)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer  # type: ignore[return-value]


async def slow(asked: CompactionRequest) -> str:
    await asyncio.sleep(0)
    return f"summary of {asked.max_tokens}"


def test_the_function_gets_the_request_and_gives_the_text() -> None:
    writer = Writer()

    assert SummarizeCompactor(writer).compact(request(query="why")) == "in short"
    assert writer.asked == [request(query="why")]


def test_a_function_may_be_async_wherever_it_is_called_from() -> None:
    async def inside_a_loop() -> tuple[str, str]:
        compactor = SummarizeCompactor(slow)
        return await arun(compactor.shorten(request())), compactor.compact(request(max_tokens=4))

    assert run(SummarizeCompactor(slow).shorten(request())) == "summary of 3"
    assert SummarizeCompactor(slow).compact(request()) == "summary of 3"
    assert asyncio.run(inside_a_loop()) == ("summary of 3", "summary of 4")


def test_a_text_that_fits_is_not_summarised() -> None:
    writer = Writer()

    assert SummarizeCompactor(writer).compact(request("one two")) == "one two"
    assert SummarizeCompactor(writer).compact(request(max_tokens=0)) == ""
    assert not writer.asked


def test_the_same_request_is_asked_once() -> None:
    writer = Writer()
    compactor = SummarizeCompactor(writer)
    requests = [request(), request(max_tokens=4), request(query="q"), request(LONG + " nine")]

    for each in [*requests, *requests]:
        assert compactor.compact(each) == "in short"

    assert writer.asked == requests


def test_only_the_latest_answers_are_remembered() -> None:
    writer = Writer()
    compactor = SummarizeCompactor(writer)

    for number in [*range(300), 299, 0]:
        compactor.compact(request(f"{LONG} {number}"))

    assert len(writer.asked) == 301


@pytest.mark.parametrize(
    "answer", [None, 42, b"bytes", "", "  \n", RuntimeError("down"), TookTooLongError()]
)
def test_what_is_no_summary_is_left_to_the_fallback(answer: object) -> None:
    compactor = SummarizeCompactor(Writer(answer), TailCompactor())

    assert compactor.compact(request()) == "six seven eight"


def test_a_failure_is_not_remembered() -> None:
    writer = Writer(RuntimeError("down"))
    compactor = SummarizeCompactor(writer)
    compactor.compact(request())
    writer.answer = "in short"

    assert compactor.compact(request()) == "in short"


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (RuntimeError("down"), "raised RuntimeError"),
        (42, "returned int instead of text"),
        ("", "returned no text"),
    ],
)
def test_without_a_fallback_a_failure_is_an_error_that_gets_through(
    answer: object, problem: str
) -> None:
    compactor = SummarizeCompactor(Writer(answer), None)

    with pytest.raises(CompactorError, match=problem):
        compactor.compact(request())
    with pytest.raises(CompactorError, match=problem):
        run(shorten_checked(compactor, request()))


@pytest.mark.parametrize(
    ("compactor", "expected"),
    [
        (SummarizeCompactor(Writer("a b c d e")), "a b c"),
        (SummarizeCompactor(Writer("a b c d e"), TailCompactor()), "c d e"),
        (SummarizeCompactor(Writer("a b c d e"), None), "a b c"),
        (SummarizeCompactor(Writer("a b.\n\nc d e"), DropBlocksCompactor()), "a b."),
    ],
)
def test_a_summary_that_is_too_long_is_cut(compactor: SummarizeCompactor, expected: str) -> None:
    assert compactor.compact(request()) == expected


def test_a_call_that_takes_too_long_is_left_behind() -> None:
    left = threading.Event()

    def hang(_: CompactionRequest) -> str:
        left.wait(20)
        return "late"

    compactor = SummarizeCompactor(hang, TailCompactor(), timeout_seconds=0.05)
    try:
        assert run(compactor.shorten(request())) == "six seven eight"
    finally:
        left.set()
