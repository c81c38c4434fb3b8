"""What every compactor keeps to, whichever way it shortens."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import given, settings, strategies as st

from biblicus_context.base.threads import run
from biblicus_context.text.compactors import (
    BaseCompactor,
    ChainCompactor,
    CompactionRequest,
    DropBlocksCompactor,
    ExtractiveCompactor,
    FunctionCompactor,
    HeadTailCompactor,
    LongOnlyCompactor,
    SummarizeCompactor,
    SummaryCompactor,
    TailCompactor,
    TruncateCompactor,
    shorten_checked,
)
from biblicus_context.text.counters import Counter, Counters
from tests.pace import within
from tests.text.graphemes import characters, clustered, hostile
from tests.text.samples import CONTROL_TOKENS, SCRIPTS, texts

MEGABYTE = 1_000_000
MARK = "[cut]\n"


async def _asked_of_a_model(request: CompactionRequest) -> str:
    return f"In short: {request.text}"


COMPACTORS: dict[str, BaseCompactor] = {
    "truncate": TruncateCompactor(),
    "truncate, marked": TruncateCompactor(mark=MARK),
    "tail": TailCompactor(),
    "tail, marked": TailCompactor(mark=MARK),
    "head_tail": HeadTailCompactor(),
    "head_tail, mostly head": HeadTailCompactor(head_ratio=0.9, mark=MARK),
    "drop_blocks": DropBlocksCompactor(),
    "summary": SummaryCompactor(),
    "extractive": ExtractiveCompactor(),
    "summarize": SummarizeCompactor(_asked_of_a_model, TailCompactor()),
    "long_only": LongOnlyCompactor(TailCompactor(), 20),
    "chain": ChainCompactor((DropBlocksCompactor(), HeadTailCompactor())),
}
MISBEHAVING: dict[str, BaseCompactor] = {
    "twice as long": FunctionCompactor(lambda request: request.text * 2),
    "not text": FunctionCompactor(lambda _: 42),  # type: ignore[arg-type,return-value]
    "nothing": FunctionCompactor(lambda _: None),  # type: ignore[arg-type,return-value]
    "no shorter": FunctionCompactor(lambda request: request.text),
    "failing": FunctionCompactor(lambda request: str(1 // (request.max_tokens * 0))),
    "unwritten": BaseCompactor(),
}
COUNTERS = [Counters().get(name) for name in ("o200k_base", "whitespace", "characters")]
QUERIES = ("", "What is counted?", "日本語", "the 漢字 word")

with_compactors = pytest.mark.parametrize("name", COMPACTORS)
with_counters = pytest.mark.parametrize("counter", COUNTERS, ids=lambda counter: counter.name)
any_text = texts | clustered | hostile | st.sampled_from([*SCRIPTS, *CONTROL_TOKENS])


@with_compactors
@with_counters
@settings(max_examples=40)
@given(text=any_text, max_tokens=st.integers(-1, 40), query=st.sampled_from(QUERIES))
def test_the_answer_fits(
    name: str, counter: Counter, text: str, max_tokens: int, query: str
) -> None:
    answer = COMPACTORS[name].compact(CompactionRequest(text, max_tokens, query, counter))

    tokens = counter.count(answer)
    assert tokens <= max(0, max_tokens)
    assert tokens <= counter.count(text)


@with_compactors
@settings(max_examples=40)
@given(text=any_text, spare=st.integers(0, 3))
def test_a_text_that_fits_comes_back_unchanged(name: str, text: str, spare: int) -> None:
    tokens = COUNTERS[0].count(text) + spare
    answer = COMPACTORS[name].compact(CompactionRequest(text, tokens, "query", COUNTERS[0]))

    assert answer == (text if tokens else "")


@with_compactors
@settings(max_examples=60)
@given(text=clustered, max_tokens=st.integers(0, 60), query=st.sampled_from(QUERIES))
def test_no_character_is_split(name: str, text: str, max_tokens: int, query: str) -> None:
    answer = COMPACTORS[name].compact(CompactionRequest(text, max_tokens, query))

    marks = f"\n[…]\n{MARK}In short: "
    assert set(characters(answer)) <= {*characters(text), *characters(marks)}


@with_compactors
@settings(max_examples=30)
@given(text=any_text, max_tokens=st.integers(0, 30), query=st.sampled_from(QUERIES))
def test_the_same_request_has_the_same_answer(
    name: str, text: str, max_tokens: int, query: str
) -> None:
    request = CompactionRequest(text, max_tokens, query)

    assert COMPACTORS[name].compact(request) == COMPACTORS[name].compact(request)


@with_compactors
@pytest.mark.parametrize("max_tokens", [0, 1])
@pytest.mark.parametrize(
    "text", ["", " ", "\n\n", "one", "one two three.", "\ud800", "👨‍👩‍👧‍👦", "\r\n"]
)
def test_the_smallest_budgets_and_texts_are_no_trouble(
    name: str, text: str, max_tokens: int
) -> None:
    answer = COMPACTORS[name].compact(CompactionRequest(text, max_tokens))

    assert COUNTERS[0].count(answer) <= max_tokens


@with_compactors
@pytest.mark.parametrize("control", CONTROL_TOKENS)
def test_control_tokens_are_shortened_like_other_text(name: str, control: str) -> None:
    text = f"Before {control} and after it. {control}\n\n" * 30

    answer = COMPACTORS[name].compact(CompactionRequest(text, 60, control))

    assert 0 < COUNTERS[0].count(answer) <= 60


@with_compactors
@pytest.mark.parametrize("unit", ["a", "日本語の文章です。", "e\u0301", "Hi there.\n\n", "{"])
def test_a_megabyte_takes_bounded_time(name: str, unit: str) -> None:
    text = unit * (MEGABYTE // len(unit))
    with within(10):
        answer = COMPACTORS[name].compact(CompactionRequest(text, 500, "Hi 日本"))
    assert COUNTERS[0].count(answer) <= 500


@with_compactors
def test_the_engine_gets_what_a_direct_call_gets(name: str) -> None:
    request = CompactionRequest(SCRIPTS[0] * 20 + "\n\n" + SCRIPTS[1] * 20, 30, "fox")

    assert run(COMPACTORS[name].shorten(request)) == COMPACTORS[name].compact(request)


@pytest.mark.parametrize("name", [*COMPACTORS, *MISBEHAVING])
@settings(max_examples=40)
@given(text=any_text, max_tokens=st.integers(-1, 30))
def test_under_supervision_every_compactor_fits(name: str, text: str, max_tokens: int) -> None:
    compactor = {**COMPACTORS, **MISBEHAVING}[name]
    counter = COUNTERS[0]

    shortened = run(shorten_checked(compactor, CompactionRequest(text, max_tokens)))

    assert shortened.tokens == counter.count(shortened.text) <= max(0, max_tokens)
    assert shortened.tokens <= counter.count(text)
    if 0 < counter.count(text) <= max_tokens:
        assert shortened.text == text
        assert shortened.note is None


@with_compactors
def test_compactors_are_equal_when_their_settings_are(name: str) -> None:
    assert COMPACTORS[name] == COMPACTORS[name]
    assert TruncateCompactor(mark="a") != TruncateCompactor(mark="b")


def test_answers_do_not_depend_on_the_hash_seed() -> None:
    program = (
        "from biblicus_context.text.compactors import *; from tests.text.samples import SCRIPTS;"
        "text = ' '.join(SCRIPTS) + ' The fox is quick. ' * 3;"
        "print(ascii([Compactors().build(n).compact(CompactionRequest(text, 60, 'quick fox 日本'))"
        " for n in ('extractive', 'summary', 'head_tail')]))"
    )

    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2")
    }

    assert len(outputs) == 1


def test_heavy_libraries_are_loaded_when_they_are_needed() -> None:
    program = (
        "import sys, biblicus_context.text.compactors as c; c.Compactors().build('extractive');"
        "print([m for m in ('regex', 'sentencex', 'splintr', 'jinja2', 'asyncio') if m in sys.modules])"
    )

    output = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True).stdout

    assert output.strip() == b"[]"
