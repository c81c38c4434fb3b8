"""A conversation that grew is measured as if nobody had ever measured it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import example, given, strategies as st

from biblicus_context.text.counters import Counters
from biblicus_context.text.counters.simple import WhitespaceCounter
from biblicus_context.text.messages.conversation import Conversation, Run
from biblicus_context.text.messages.framing import FRAMINGS, Framing
from biblicus_context.text.messages.meter import MessageMeter

texts = st.lists(st.sampled_from(["one", "two words", "and three words", ""]), max_size=12)


def said(texts: Sequence[str]) -> list[dict[str, Any]]:
    return [{"role": "user", "content": text} for text in texts]


def numbered(count: int) -> list[dict[str, Any]]:
    return said(
        [f"message number {number}" if number % 3 else f"{number}" for number in range(count)]
    )


def tokens_of(messages: Sequence[dict[str, Any]], framing: Framing | None = None) -> list[int]:
    return MessageMeter(WhitespaceCounter(), framing).measure_many(messages)


@given(known=texts, measured=texts)
@example(known=["one", "two words"], measured=["two words", "one", "two words"])
def test_an_overlap_has_the_tokens_of_the_messages_it_begins_at(
    known: list[str], measured: list[str]
) -> None:
    """Whatever was measured before, and wherever the two begin to be the same."""
    run = Run(said(known), WhitespaceCounter().count_many(known))
    known_at, at, size = run.overlap(said(measured))
    assert [*run.tokens[known_at : known_at + size]] == tokens_of(said(measured)[at : at + size])


def test_what_stands_where_it_stood_is_found() -> None:
    """Turns that came, and turns that went, leave the rest where it can be found."""
    messages = numbered(400)
    run = Run(messages, range(400))
    assert run.overlap([*messages[2:], *said(["new"])]) == (2, 0, 398)
    assert run.overlap([*said(["older"]), *messages, *said(["new"])]) == (0, 1, 400)
    assert run.overlap(messages[100:]) == (0, 0, 0)
    assert run.overlap([*messages[:200], *said(["edited"]), *messages[201:]]) == (0, 0, 0)


@given(
    edits=st.lists(
        st.tuples(st.integers(0, 299), st.sampled_from(["", "a", "a b c", "changed"])), max_size=3
    ),
    shift=st.integers(-80, 80),
)
def test_a_long_run_is_measured_exactly_again_and_again(
    edits: list[tuple[int, str]], shift: int
) -> None:
    """A conversation moves and changes between two calls; every figure is that of its message."""
    meter = MessageMeter(WhitespaceCounter())
    messages = numbered(460)
    before = messages[80:380]
    after = messages[80 + shift : 380 + shift]
    for place, text in edits:
        after[place] = {"role": "user", "content": text}
    for history in (before, after, before):
        assert [*(meter.measure_plain(history) or ())] == tokens_of(history)


def test_a_message_that_was_changed_in_place_is_measured_anew() -> None:
    """What is remembered are copies, so that they tell what was changed since."""
    meter = MessageMeter(WhitespaceCounter())
    messages = numbered(300)
    meter.measure_plain(messages)
    messages[150]["content"] = "now four whole words"
    assert [*(meter.measure_plain(messages) or ())] == tokens_of(messages)
    messages[151]["name"] = "somebody"
    assert meter.measure_plain(messages) is None
    messages[151] = {"role": "tool", "content": "a result"}
    assert meter.measure_plain(messages) is None


def test_only_messages_that_are_dictionaries_are_known_again() -> None:
    """What merely equals a message that was measured takes the careful way."""

    class Own(dict[str, Any]):
        pass

    meter = MessageMeter(WhitespaceCounter())
    messages = numbered(300)
    assert meter.measure_plain(messages) is not None
    assert meter.measure_plain([*map(Own, messages)]) is None


def test_tokens_are_those_of_the_meter_that_asks() -> None:
    """Two policies may measure one conversation by turns, each in its own way."""
    conversation, counter = Conversation(), WhitespaceCounter()
    messages = numbered(300)
    for framing in (Framing(), FRAMINGS["openai"], Framing()):
        meter = MessageMeter(counter, framing, conversation=conversation)
        assert [*(meter.measure_plain(messages) or ())] == tokens_of(messages, framing)
    letters = MessageMeter(Counters({"letters": len}).get("letters"), conversation=conversation)
    assert letters.measure_plain(messages) == tuple(len(one["content"]) for one in messages)


def test_a_run_is_forgotten_when_too_many_characters_went_through_it() -> None:
    """What is remembered of a conversation does not grow with it, and figures stay exact."""
    meter = MessageMeter(WhitespaceCounter(), conversation=Conversation(characters=20_000))
    messages = numbered(2_000)
    for start in range(0, 1_700, 50):
        run = messages[start : start + 300]
        assert [*(meter.measure_plain(run) or ())] == tokens_of(run)
