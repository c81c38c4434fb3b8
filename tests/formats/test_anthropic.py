"""Anthropic: blocks that only it has come back as they were, and turns are joined block by block."""

from __future__ import annotations

from typing import Any

import pytest

from biblicus_context.errors import FormatError
from biblicus_context.formats import history_from_anthropic, to_anthropic
from tests.formats import sdks
from tests.formats.speaking import assistant, call, exchange, result, user
from tests.formats.strategies import text_part

DOCUMENT = {"type": "document", "source": {"type": "url", "url": "https://example.com/a.pdf"}}
SEARCH = {
    "type": "search_result",
    "source": "https://example.com",
    "title": "Parcels",
    "content": [text_part("Three days.")],
}
UPLOADED = {"type": "image", "source": {"type": "file", "file_id": "file_1"}}
SEARCHED = [
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}},
    {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
]


@pytest.mark.parametrize(
    "messages",
    [
        [user([DOCUMENT, text_part("What is this?")])],
        [user([SEARCH, UPLOADED, text_part("x")])],
        [user(), assistant([*SEARCHED, text_part("Three days.")])],
        [user(), assistant(tool_calls=[call()]), result([SEARCH, DOCUMENT, UPLOADED])],
        [user(), assistant(tool_calls=[{**call(), "caller": {"type": "direct"}}]), result()],
    ],
)
def test_blocks_come_back_as_they_were(messages: list[dict[str, Any]]):
    sent = to_anthropic(messages, cache="off")["messages"]
    assert sdks.accepted(sdks.ANTHROPIC, sent) == sent
    assert history_from_anthropic(sent) == messages


@pytest.mark.parametrize(
    "messages",
    [
        [user([SEARCHED[0]])],
        [user(), assistant([DOCUMENT])],
        [user(), assistant(tool_calls=[call()]), result([SEARCHED[1]])],
    ],
)
def test_a_block_stands_only_where_it_may(messages):
    with pytest.raises(FormatError, match="takes no "):
        to_anthropic(messages)


def test_turns_of_one_role_are_one_message_of_several_blocks():
    messages = [
        user("one"),
        user("two"),
        assistant("three"),
        assistant(tool_calls=[call()]),
        result(),
        user("four"),
    ]
    sent = to_anthropic(messages, cache="off")["messages"]
    assert [message["role"] for message in sent] == ["user", "assistant", "user"]
    assert [[block["type"] for block in message["content"]] for message in sent] == [
        ["text", "text"],
        ["text", "tool_use"],
        ["tool_result", "text"],
    ]
    assert history_from_anthropic(sent) == [
        user([text_part("one"), text_part("two")]),
        assistant("three", tool_calls=[call()]),
        result(),
        user("four"),
    ]


@pytest.mark.parametrize("content", [[], [{"type": "text", "text": "Gone."}]])
def test_a_response_without_content_is_left_out(content: list[Any]):
    response = {"type": "message", "role": "assistant", "content": content, "model": "claude"}
    history = history_from_anthropic([*to_anthropic(exchange())["messages"], response])
    assert history == [*exchange(), *([assistant("Gone.")] if content else [])]
