"""System messages from after the conversation began go where a caller says, or nowhere."""

from __future__ import annotations

import pytest

from biblicus_context.errors import FormatError
from biblicus_context.formats import to_anthropic, to_gemini
from tests.formats.speaking import assistant, exchange, user
from tests.formats.strategies import text_part

LATE = {"role": "system", "content": "Parcels take three days."}


def system(text: str) -> dict[str, str]:
    return {"role": "system", "content": text}


def test_all_leading_system_messages_are_the_system_prompt():
    messages = [system("one"), {"role": "developer", "content": "two"}, user()]
    sent = to_anthropic(messages, cache="off")
    assert sent["system"] == [text_part("one"), text_part("two")]
    config = to_gemini(messages)["config"]
    assert config == {"system_instruction": {"parts": [{"text": "one"}, {"text": "two"}]}}


def test_later_ones_can_be_the_users():
    messages = [user("one"), assistant("two"), LATE, user("three")]
    sent = to_anthropic(messages, cache="off", late_system="user")["messages"]
    both = [text_part("Parcels take three days."), text_part("three")]
    assert sent[2] == {"role": "user", "content": both}
    contents = to_gemini(messages, late_system="user")["contents"]
    assert contents[2]["parts"] == [{"text": "Parcels take three days."}, {"text": "three"}]


@pytest.mark.parametrize(
    "messages",
    [
        [user("one"), LATE],
        [user("one"), LATE, assistant("two"), user("three")],
        [*exchange(), LATE],
        [user("one"), LATE, LATE],
    ],
)
def test_later_ones_can_stay_behind_a_user(messages):
    sent = to_anthropic(messages, cache="off", late_system="system")["messages"]
    (late,) = [message for message in sent if message["role"] == "system"]
    assert {block["text"] for block in late["content"]} == {LATE["content"]}


@pytest.mark.parametrize(
    "messages",
    [
        [user("one"), assistant("two"), LATE, user("three")],
        [user("one"), LATE, user("two")],
        [user("one"), assistant("two"), LATE],
    ],
)
def test_but_nowhere_else(messages):
    with pytest.raises(FormatError, match="only between a user's message and the model's"):
        to_anthropic(messages, late_system="system")


@pytest.mark.parametrize("late", ["error", "user"])
def test_they_hold_only_text(late):
    messages = [user(), {"role": "system", "content": [{"type": "thinking", "thinking": "x"}]}]
    with pytest.raises(FormatError, match="takes only text in a system message"):
        to_anthropic(messages, late_system=late)
