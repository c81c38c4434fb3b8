"""LangChain: calls of any integration are one call, and what it only uses itself is left out."""

from __future__ import annotations

import sys

import pytest

from biblicus_context.errors import FormatError, InputError, MissingExtraError
from biblicus_context.formats import history_from_langchain, to_langchain
from tests.formats import sdks
from tests.formats.speaking import THINKING, assistant, call, exchange, result, user
from tests.formats.strategies import text_part

lc = sdks.langchain
CALL = {"name": "track", "args": {"id": 7}, "id": "c1", "type": "tool_call"}


def test_calls_without_proper_arguments_are_invalid_calls():
    messages = exchange(arguments='{"id": 7')
    message = to_langchain(messages)[1]
    (broken,) = message.invalid_tool_calls
    assert (message.tool_calls, broken["args"], broken["id"]) == ([], '{"id": 7', "c1")
    assert broken["error"].startswith("they are not JSON")
    assert history_from_langchain(to_langchain(messages)) == messages


def test_a_result_has_the_name_of_its_tool_and_says_whether_it_failed():
    messages = [*exchange()[:2], result(is_error=True)]
    message = to_langchain(messages)[2]
    assert (message.name, message.status, message.tool_call_id) == ("track", "error", "c1")
    assert history_from_langchain([*to_langchain(messages)]) == messages


@pytest.mark.parametrize(
    ("message", "read"),
    [
        (
            lc.AIMessage(
                [
                    THINKING,
                    {"type": "tool_use", "id": "c1", "name": "track", "input": {}, "index": 1},
                ],
                tool_calls=[CALL],
            ),
            assistant([THINKING], tool_calls=[call('{"id":7}')]),
        ),
        (
            lc.AIMessage(
                [text_part("x"), {"type": "function_call", "call_id": "c1", "name": "track"}],
                tool_calls=[CALL],
            ),
            assistant("x", tool_calls=[call('{"id":7}')]),
        ),
        (
            lc.AIMessage([{"type": "tool_call", "id": "c1", "name": "track", "args": {"id": 7}}]),
            assistant(tool_calls=[call('{"id":7}')]),
        ),
        (
            lc.AIMessage(["x"], additional_kwargs={"reasoning_content": "Hm."}),
            assistant("x", reasoning_content="Hm."),
        ),
        (
            lc.AIMessage(
                [{"type": "reasoning", "reasoning": "Hm."}, {**text_part("x"), "index": 0}]
            ),
            assistant([{"type": "reasoning", "reasoning": "Hm."}, text_part("x")]),
        ),
        (lc.AIMessage("", additional_kwargs={"refusal": "No."}), assistant(refusal="No.")),
        (lc.AIMessage("x", id="run-1", response_metadata={"model": "m"}), assistant("x")),
        (lc.AIMessageChunk(content="x"), assistant("x")),
        (lc.ChatMessage("x", role="user"), user("x")),
        (
            lc.HumanMessage([{"type": "image", "url": "https://example.com/a.png"}]),
            user([{"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}]),
        ),
    ],
)
def test_a_message_is_read(message, read):
    assert history_from_langchain([message]) == [read]


def test_the_old_function_call_is_kept():
    messages = [
        user(),
        assistant(function_call={"name": "f", "arguments": "{}"}),
        {"role": "function", "name": "f", "content": "x"},
    ]
    assert history_from_langchain(to_langchain(messages)) == messages


def test_blocks_keep_whatever_keys_they_have():
    messages = [user([text_part("x", cache_control={"type": "ephemeral"}), text_part("y")])]
    assert to_langchain(messages)[0].content == messages[0]["content"]
    assert history_from_langchain(to_langchain(messages)) == messages


def test_calls_among_the_content_are_calls_as_well():
    said = [{"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}}, text_part("Wait.")]
    messages = [user(), assistant(said), result()]
    message = to_langchain(messages)[1]
    assert (message.content, [each["id"] for each in message.tool_calls]) == (said, ["c1"])
    assert history_from_langchain(to_langchain(messages)) == messages


def test_a_call_without_an_id_is_refused():
    message = lc.AIMessage("", tool_calls=[{**CALL, "id": None}, {**CALL, "id": None}])
    with pytest.raises(InputError, match=r"messages\[0\]\.tool_calls\[0\]\.id: this is missing"):
        history_from_langchain([message])


def test_what_only_one_integration_knows_is_refused_or_dropped():
    message = lc.AIMessage("x", additional_kwargs={"parsed": {"a": 1}})
    with pytest.raises(FormatError) as caught:
        history_from_langchain([message])
    assert str(caught.value) == (
        "messages[0]: these additional_kwargs belong to one integration of LangChain: found "
        "{'parsed': {'a': 1}}. Remove them, or pass foreign='drop'."
    )
    assert history_from_langchain([message], foreign="drop") == [assistant("x")]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            {"role": "user"},
            "messages[0]: this is not a message of LangChain: found {'role': 'user'}",
        ),
        (lc.RemoveMessage("1"), "messages[0]: this message has no role: found 'RemoveMessage'"),
    ],
)
def test_what_is_no_message_is_refused(message, expected):
    with pytest.raises(InputError) as caught:
        history_from_langchain([message])
    assert str(caught.value) == expected


def test_without_the_library_the_error_has_the_line_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "langchain_core", None)
    for convert in (to_langchain, history_from_langchain):
        with pytest.raises(MissingExtraError, match=r"install .*\[langchain\]"):
            convert([])
