"""One compactor after the other, and functions as compactors."""

from __future__ import annotations

import asyncio

import pytest

from biblicus_context.base.threads import run
from biblicus_context.text.compactors import (
    BaseCompactor,
    ChainCompactor,
    CompactionRequest,
    DropBlocksCompactor,
    FunctionCompactor,
    HeadTailCompactor,
    TruncateCompactor,
)
from biblicus_context.text.counters import Counters

WORDS = Counters().get("whitespace")


def request(text: str, max_tokens: int) -> CompactionRequest:
    """A request counted in words."""
    return CompactionRequest(text, max_tokens, counter=WORDS)


def without_tags(asked: CompactionRequest) -> str:
    return asked.text.replace("<b>", "").replace("</b>", "")


def test_a_chain_stops_when_the_text_fits() -> None:
    chain = ChainCompactor((FunctionCompactor(without_tags), TruncateCompactor()))

    assert chain.compact(request("<b> one two </b>", 2)) == " one two "
    assert chain.compact(request("<b> one two three </b>", 2)) == " one two"
    assert chain.compact(request("<b> fits", 2)) == "<b> fits"


def test_a_step_that_leaves_nothing_is_passed_over() -> None:
    chain = ChainCompactor((DropBlocksCompactor(), HeadTailCompactor(mark=" … ")))

    assert chain.compact(request("one two.\n\nthree four five", 4)) == "one two."
    assert chain.compact(request("one two three four five", 3)) == "one … five"


def test_what_the_last_step_leaves_too_long_is_cut() -> None:
    assert (
        ChainCompactor((FunctionCompactor(without_tags),)).compact(request("a b c d", 2)) == "a b"
    )


def test_a_chain_of_functions_is_asked_by_the_engine() -> None:
    async def halve(asked: CompactionRequest) -> str:
        await asyncio.sleep(0)
        return asked.text[: len(asked.text) // 2]

    chain = ChainCompactor((FunctionCompactor(halve), FunctionCompactor(halve)))

    assert run(chain.shorten(request("a b c d e f g h", 2))) == "a b"
    assert chain.compact(request("a b c d e f g h", 2)) == "a b"


def test_a_function_raises_what_it_raises() -> None:
    def fail(_: CompactionRequest) -> str:
        raise OSError("no disk")

    with pytest.raises(OSError, match="no disk"):
        FunctionCompactor(fail).compact(request("a b", 1))


def test_an_own_compactor_needs_one_method() -> None:
    class Initials(BaseCompactor):
        def compact(self, request: CompactionRequest) -> str:
            return " ".join(word[0] for word in request.text.split()[: request.max_tokens])

    assert run(Initials().shorten(request("one two three", 2))) == "o t"
    assert run(ChainCompactor((Initials(),)).shorten(request("one two three", 2))) == "o t"
