"""A result can be kept: copied, pickled, and read without its draft."""

from __future__ import annotations

import copy
import pickle
import weakref
from typing import Any

import pytest

from biblicus_context import ContextAssembler, ContextAssemblyResult


class Conversation(list[dict[str, Any]]):
    """A list that can be watched."""


def assembled() -> ContextAssemblyResult:
    plan = {"messages": [{"type": "system", "content": "s {input.q}"}, {"type": "history"}]}
    history = [{"role": "user", "content": "before"}]
    return ContextAssembler({"main": plan}).assemble("main", inputs={"q": "x"}, history=history)


@pytest.mark.parametrize("kept", [copy.deepcopy, lambda result: pickle.loads(pickle.dumps(result))])
def test_a_kept_result_has_the_same_messages_receipt_and_fingerprint(kept: Any):
    result = assembled()
    again = kept(result)
    assert again.messages == result.messages
    assert again.receipt == result.receipt
    assert again.fingerprint == result.fingerprint


def test_a_result_does_not_keep_the_history_alive_that_was_handed_in():
    history = Conversation([{"role": "user", "content": "before"}])
    watched = weakref.ref(history)
    result = ContextAssembler({"main": {"packs": []}}).assemble("main", history=history)
    del history
    assert watched() is None
    assert result.history == [{"role": "user", "content": "before"}]


def test_a_result_made_by_hand_says_that_it_has_no_receipt():
    with pytest.raises(AttributeError, match="no receipt"):
        _ = ContextAssemblyResult("s", [], "u", 2).receipt


def test_a_result_as_one_text_has_everything_in_order():
    said = [
        {"role": "user", "content": [{"type": "text", "text": "Look."}, {"type": "image_url"}]},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "assistant", "content": "I see."},
    ]
    result = ContextAssemblyResult("Be kind.", said, "Why?")
    assert result.as_text() == "Be kind.\n\nUser: Look.\n\nAssistant: I see.\n\nWhy?"
    assert ContextAssemblyResult("", [], "").as_text() == ""


def test_a_receipt_alone_is_explained_as_its_result_is() -> None:
    result = ContextAssembler(
        {"main": {"messages": [{"type": "user", "content": "Why?"}]}}
    ).assemble("main")
    assert result.receipt.explain(80, details=True) == result.explain(80, details=True)


def test_one_of_a_thing_is_not_written_in_the_plural() -> None:
    result = ContextAssembler({"main": {"messages": [{"type": "user", "content": "x"}]}}).assemble(
        "main"
    )
    assert repr(result) == "<ContextAssemblyResult: 1 token, 1 message>"
    assert repr(result.receipt) == "<Receipt of 'main': 1 token, 1 part>"


def test_a_result_and_its_receipt_fit_into_a_line_of_a_terminal() -> None:
    plan = {"messages": [{"type": "history"}, {"type": "user", "content": "Why?"}]}
    history = [{"role": "user", "content": "word " * 50}] * 200
    result = ContextAssembler({"main": plan}).assemble("main", history=history, budget=4000)
    assert repr(result) == (
        f"<ContextAssemblyResult: {result.token_count:,} tokens, {len(result.messages)} messages>"
    )
    assert repr(result.receipt) == (
        f"<Receipt of 'main': {result.token_count:,} of 4,000 tokens, 2 parts>"
    )
