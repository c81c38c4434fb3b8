"""Whatever is handed in: an answer, or an error of ours that says what is wrong."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given, strategies as st

from biblicus_context import ContextAssembler, ContextError
from biblicus_context.formats import (
    history_from_anthropic,
    history_from_gemini,
    history_from_openai,
    history_from_openai_responses,
    tools_for,
    tools_from,
)
from tests.assembly.strategies import histories
from tests.formats.strategies import part_of_the_examples
from tests.formats.ways import SENDERS

READERS = {
    "chat": history_from_openai,
    "responses": history_from_openai_responses,
    "anthropic": history_from_anthropic,
    "gemini": history_from_gemini,
    "tools": lambda tools: tools_for("anthropic", tools),
    **{
        f"tools of {provider}": lambda tools, provider=provider: tools_from(provider, tools)
        for provider in ("openai", "openai_responses", "anthropic", "gemini")
    },
}
KEYS = st.sampled_from(
    [
        *("role", "content", "type", "text", "name", "id", "tool_calls", "function", "arguments"),
        *("tool_call_id", "image_url", "url", "source", "data", "media_type", "base64", "file"),
        *("thinking", "thought", "refusal", "input", "item", "call_id", "output", "summary"),
        *("parts", "function_call", "function_response", "inline_data", "mime_type", "response"),
        *("custom", "parameters", "input_schema", "format", "grammar", "function_declarations"),
        *("is_error", "reasoning_content", "detail", "file_data", "file_uri", "args", "reasoning"),
        *("tool_use_id", "thought_signature", "annotations", "encrypted_content", "kind"),
    ]
)
VALUES = st.sampled_from(
    [
        *("user", "assistant", "model", "tool", "function", "system", "message", "text", "custom"),
        *("image_url", "image", "tool_use", "tool_result", "thinking", "reasoning", "input_text"),
        *("function_call", "function_call_output", "output_text", "refusal", "grammar", "object"),
        *("data:image/png;base64,AAAA", "https://[", "https://example.com/a.png", "image/png"),
        *("c1", "f", "{}", '{"a":1}', "", " ", "\ud800", "[1", None, True, 0, 1.5, [], {}),
    ]
)
THINGS = st.recursive(
    VALUES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=5)),
    max_leaves=12,
)
SAID = st.one_of(VALUES, st.lists(st.dictionaries(KEYS, THINGS, max_size=5), max_size=2))
MESSAGES = st.lists(
    st.one_of(
        THINGS,
        st.fixed_dictionaries(
            {"role": st.sampled_from(["user", "assistant", "model", "tool"]), "content": SAID},
            optional={
                "tool_calls": THINGS,
                "tool_call_id": THINGS,
                "parts": SAID,
                "name": THINGS,
                "function_call": THINGS,
                "item": THINGS,
            },
        ),
    ),
    max_size=4,
)


def answers_or_says_why(convert: Any, given: Any) -> None:
    with contextlib.suppress(ContextError):
        convert(given)


@pytest.mark.parametrize("way", SENDERS)
@part_of_the_examples
@given(messages=MESSAGES)
def test_anything_can_be_sent_or_is_refused(way, messages):
    answers_or_says_why(SENDERS[way], messages)


@pytest.mark.parametrize("way", READERS)
@part_of_the_examples
@given(messages=MESSAGES)
def test_anything_can_be_read_or_is_refused(way, messages):
    answers_or_says_why(READERS[way], messages)


@pytest.mark.parametrize("way", SENDERS)
@part_of_the_examples
@given(history=histories())
def test_whatever_an_assembly_returns_can_be_sent_or_is_refused(way, history):
    result = ContextAssembler({"page": {}}).assemble("page", history=history, user_message="So?")
    answers_or_says_why(SENDERS[way], result.messages)
