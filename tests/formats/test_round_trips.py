"""What goes out in a provider's format comes back as the same conversation."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context.errors import FormatError
from biblicus_context.formats import (
    to_anthropic,
    to_gemini,
    to_openai,
    to_openai_responses,
)
from tests.formats.strategies import Message, conversations, part_of_the_examples
from tests.formats.ways import EVERYTHING, SENDERS, WAYS


@pytest.mark.parametrize("way", WAYS)
@part_of_the_examples
@given(data=st.data())
def test_a_conversation_comes_back_as_it_was(way, data):
    there_and_back, features = WAYS[way]
    messages = data.draw(conversations(features))
    assert there_and_back(messages) == messages


def leaves(value: Any) -> Iterator[Any]:
    """Everything that is said, wherever it stands; text that is a JSON object counts as the object."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, str):
        value = re.sub("^data:image/[a-z]+;base64,", "", value)
        parsed = object_in(value)
        yield from (value,) if parsed is None else leaves(parsed)
    else:
        yield value


def object_in(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def said(messages: list[Message]) -> set[Any]:
    """What has to arrive: everything but the names that chat messages have for their own parts."""
    shape = {"role", "content", "type", "text", "image_url", "url", "tool_calls", "id", "function"}
    shape |= {"system", "developer", "user", "assistant", "tool", "summary", "summary_text"}
    shape |= {"thinking", "redacted_thinking", "signature", "data", "encrypted_content"}
    shape |= {"thought_signature", "status", ""}
    shape |= {"arguments", "name", "tool_call_id", "is_error", "custom", "input", "refusal", "file"}
    shape |= {
        "thought",
        "item",
        "file_id",
        "filename",
        "file_data",
        "reasoning",
        "tool",
        None,
        True,
    }
    return {repr(leaf) for leaf in leaves(messages) if leaf not in shape}


@pytest.mark.parametrize("way", SENDERS)
@part_of_the_examples
@given(data=st.data())
def test_what_is_sent_has_everything_that_was_said_or_is_refused(way, data):
    features = data.draw(st.sets(st.sampled_from(EVERYTHING), max_size=4))
    messages = data.draw(conversations(features))
    before = copy.deepcopy(messages)
    refusal, sent = None, None
    try:
        sent = SENDERS[way](messages)
    except FormatError as error:
        refusal = error
    arrived = {repr(leaf) for leaf in leaves(sent)}
    assert messages == before
    assert re.match(r"messages\[\d+\]: ", str(refusal)) if refusal else said(messages) <= arrived


@pytest.mark.parametrize("way", WAYS)
@part_of_the_examples
@given(data=st.data())
def test_turns_of_one_role_that_are_joined_stay_joined_and_whole(way, data):
    there_and_back, features = WAYS[way]
    messages = data.draw(conversations([*features, "runs"]))
    once = there_and_back(messages)
    assert there_and_back(once) == once
    assert said(once) >= said(messages)


def containers(value: Any) -> list[int]:
    """Every mapping and list, by identity."""
    if not isinstance(value, dict | list):
        return []
    inner = value.values() if isinstance(value, dict) else value
    return [id(value), *(each for item in inner for each in containers(item))]


@pytest.mark.parametrize("send", [to_openai, to_openai_responses, to_anthropic, to_gemini])
@part_of_the_examples
@given(messages=conversations(["lists", "images", "thinking", "thoughts", "items", "runs"]))
def test_nothing_is_shared(send, messages):
    sent = send(messages, foreign="drop")
    assert len(containers(sent)) == len(set(containers(sent)))
    assert not set(containers(sent)) & set(containers(messages))
