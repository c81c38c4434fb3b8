"""Compactors under supervision."""

from __future__ import annotations

import pytest

from biblicus_context.base.threads import run
from biblicus_context.errors import CompactorError
from biblicus_context.text.compactors import (
    BaseCompactor,
    CompactionRequest,
    FunctionCompactor,
    Shortened,
    TailCompactor,
    shorten_checked,
)
from biblicus_context.text.counters import Counters

WORDS = Counters().get("whitespace")
FIVE = "one two three four five"


def shortened(compactor: BaseCompactor, text: str = FIVE, max_tokens: int = 2) -> Shortened:
    """What comes out, counted in words."""
    request = CompactionRequest(text, max_tokens, counter=WORDS)
    return run(shorten_checked(compactor, request))


def answering(answer: object) -> FunctionCompactor:
    """A compactor that always answers the same."""
    return FunctionCompactor(lambda _: answer)  # type: ignore[arg-type,return-value]


def test_an_answer_that_fits_comes_without_a_note() -> None:
    assert shortened(TailCompactor()) == Shortened("four five", 2, None)
    assert shortened(answering("")) == Shortened("", 0, None)


def test_a_text_that_fits_is_not_even_shown_to_the_compactor() -> None:
    assert shortened(answering("other"), "one two") == Shortened("one two", 2, None)


@pytest.mark.parametrize("max_tokens", [0, -1])
def test_where_nothing_fits_nothing_is_left(max_tokens: int) -> None:
    assert shortened(answering("other"), max_tokens=max_tokens) == Shortened("", 0, None)


def test_an_answer_that_is_too_long_is_cut_and_noted() -> None:
    assert shortened(answering("a b c d")) == Shortened(
        "a b", 2, "the compactor returned more than 2 tokens; its answer was cut"
    )


@pytest.mark.parametrize(
    ("compactor", "note"),
    [
        (answering(42), "the compactor returned int instead of text; the text was cut"),
        (answering(None), "the compactor returned NoneType instead of text; the text was cut"),
        (BaseCompactor(), "the compactor raised NotImplementedError; the text was cut"),
    ],
)
def test_instead_of_no_answer_the_text_is_cut_and_the_reason_noted(
    compactor: BaseCompactor, note: str
) -> None:
    assert shortened(compactor) == Shortened("one two", 2, note)


def test_a_note_stays_readable_whatever_is_raised() -> None:
    def fail(_: CompactionRequest) -> str:
        raise ValueError("x" * 100_000)

    note = shortened(FunctionCompactor(fail)).note

    assert note is not None
    assert len(note) < 400


def test_a_compactor_that_insists_on_failing_may() -> None:
    def refuse(_: CompactionRequest) -> str:
        raise CompactorError("not without a summary")

    with pytest.raises(CompactorError, match="not without a summary"):
        shortened(FunctionCompactor(refuse))
