"""What is sent is what the providers' own SDKs say may be sent, and nothing besides."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import given

from biblicus_context.formats import (
    to_anthropic,
    to_gemini,
    to_langchain,
    to_openai,
    to_openai_responses,
    to_pydantic_ai,
)
from tests.formats import sdks
from tests.formats.strategies import conversations, part_of_the_examples, text_part
from tests.formats.ways import WAYS


def features(way: str) -> list[str]:
    return WAYS[way][1]


@part_of_the_examples
@given(conversations(features("chat")))
def test_openai_accepts_chat_messages(messages):
    sent = to_openai(messages)
    assert sdks.accepted(sdks.CHAT, sent) == sent


@part_of_the_examples
@given(conversations(features("responses")))
def test_openai_accepts_items_of_responses(messages):
    sent = to_openai_responses(messages)
    assert sdks.accepted(sdks.RESPONSES, sent) == sent


@part_of_the_examples
@given(conversations([*features("anthropic"), "runs"]))
def test_anthropic_accepts_messages_that_keep_its_rules(messages):
    sent = to_anthropic(messages)
    assert sdks.accepted(sdks.ANTHROPIC, sent["messages"]) == sent["messages"]
    assert sdks.accepted(sdks.ANTHROPIC_SYSTEM, sent.get("system", [])) == sent.get("system", [])
    keeps_anthropics_rules(sent)


def keeps_anthropics_rules(sent: dict[str, Any]) -> None:
    """The rules of the Messages API that its types do not say."""
    roles = [message["role"] for message in sent["messages"]]
    assert roles == [("user", "assistant")[at % 2] for at in range(len(roles))]
    called: list[str] = []
    for message in sent["messages"]:
        blocks = message["content"]
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        assert results == called
        assert [block["type"] for block in blocks[: len(results)]] == ["tool_result"] * len(results)
        called = [block["id"] for block in blocks if block["type"] == "tool_use"]
        assert all(re.fullmatch("[a-zA-Z0-9_-]+", each) for each in called)
        assert all(block["text"].strip() for block in blocks if block["type"] == "text")
    assert str(sent).count("'cache_control'") <= 4


@part_of_the_examples
@given(conversations([*features("gemini"), "runs"]))
def test_gemini_accepts_contents_that_keep_its_rules(messages):
    sent = to_gemini(messages)
    assert sdks.accepted(sdks.GEMINI, sent["contents"]) == url_safe(sent["contents"])
    assert sent["contents"][0]["role"] == "user"
    called: list[str] = []
    for content in sent["contents"]:
        parts = content["parts"]
        responses = [part["function_response"] for part in parts if "function_response" in part]
        assert [response["name"] for response in responses] == called
        assert len(responses) in {0, len(parts)}
        called = [part["function_call"]["name"] for part in parts if "function_call" in part]


def url_safe(value: Any, key: str = "") -> Any:
    """The same with bytes in the alphabet that the SDK writes them in."""
    if isinstance(value, dict):
        return {name: url_safe(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [url_safe(item) for item in value]
    return value.translate(str.maketrans("+/", "-_")) if key == "data" else value


@part_of_the_examples
@given(conversations(features("pydantic-ai")))
def test_pydantic_ai_reads_back_what_it_wrote_of_the_messages(messages):
    sent = to_pydantic_ai(messages)
    assert sdks.PYDANTIC_AI.validate_json(sdks.PYDANTIC_AI.dump_json(sent)) == sent


@part_of_the_examples
@given(conversations(["developer", "names", "images", "runs", "late system"]))
def test_langchain_makes_the_same_chat_messages_of_its_own(messages):
    sent = sdks.langchain.convert_to_openai_messages(to_langchain(messages), text_format="block")
    assert without_langchains_ways(sent) == without_langchains_ways(to_openai(messages))


def without_langchains_ways(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """It writes every content as a list, a name on results, and spaces between arguments."""
    return [
        {
            **message,
            "content": blocks(message["content"] or []),
            "name": None if message["role"] == "tool" else message.get("name"),
            "tool_calls": [
                (call["id"], call["function"]["name"], json.loads(call["function"]["arguments"]))
                for call in message.get("tool_calls", [])
            ],
        }
        for message in messages
    ]


def blocks(content: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [text_part(content)] if isinstance(content, str) else content
