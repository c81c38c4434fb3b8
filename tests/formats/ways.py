"""Each format's way there and back, and what a conversation may hold to go it."""

from __future__ import annotations

import json
from typing import Any

from biblicus_context.formats import (
    history_from_anthropic,
    history_from_gemini,
    history_from_langchain,
    history_from_openai,
    history_from_openai_responses,
    history_from_pydantic_ai,
    to_anthropic,
    to_gemini,
    to_langchain,
    to_openai,
    to_openai_responses,
    to_pydantic_ai,
)
from tests.formats import sdks
from tests.formats.strategies import Message


def there_and_back_anthropic(messages: list[Message]) -> list[Message]:
    sent = through_json(to_anthropic(messages))
    return history_from_anthropic(sent["messages"], sent.get("system"))


def there_and_back_gemini(messages: list[Message]) -> list[Message]:
    sent = through_json(to_gemini(messages))
    return history_from_gemini(sent["contents"], sent.get("config", {}).get("system_instruction"))


def through_json(sent: Any) -> Any:
    """What arrives, which is all of it if it was plain JSON."""
    arrived = json.loads(json.dumps(sent, ensure_ascii=False).encode())
    assert arrived == sent
    return arrived


EVERYTHING = sorted(
    {
        *("developer", "names", "lists", "images", "files", "refusals", "custom", "runs", "items"),
        *("late system", "any arguments", "images in results", "failures", "signatures"),
        *("thinking", "thoughts", "reasoning"),
    }
)
SENDERS = {
    "chat": to_openai,
    "responses": to_openai_responses,
    "anthropic": to_anthropic,
    "gemini": to_gemini,
    "langchain": lambda messages: [each.model_dump() for each in to_langchain(messages)],
    "pydantic-ai": lambda messages: sdks.PYDANTIC_AI.dump_python(
        to_pydantic_ai(messages), mode="json"
    ),
}
WAYS = {
    "chat": (
        lambda messages: history_from_openai(through_json(to_openai(messages))),
        [
            "developer",
            "names",
            "lists",
            "images",
            "files",
            "refusals",
            "custom",
            "runs",
            "late system",
            "any arguments",
        ],
    ),
    "responses": (
        lambda messages: history_from_openai_responses(through_json(to_openai_responses(messages))),
        [
            "developer",
            "lists",
            "images",
            "files",
            "reasoning",
            "items",
            "custom",
            "runs",
            "late system",
            "any arguments",
            "images in results",
        ],
    ),
    "anthropic": (
        there_and_back_anthropic,
        ["lists", "images", "thinking", "failures", "images in results"],
    ),
    "gemini": (
        there_and_back_gemini,
        ["lists", "images", "thoughts", "signatures", "failures", "images in results"],
    ),
    "langchain": (
        lambda messages: history_from_langchain(to_langchain(messages)),
        [
            "developer",
            "names",
            "lists",
            "images",
            "files",
            "refusals",
            "runs",
            "thinking",
            "thoughts",
            "reasoning",
            "late system",
            "failures",
            "images in results",
        ],
    ),
    "pydantic-ai": (
        lambda messages: history_from_pydantic_ai(to_pydantic_ai(messages)),
        [
            "developer",
            "images",
            "runs",
            "thinking",
            "thoughts",
            "reasoning",
            "signatures",
            "late system",
            "any arguments",
            "failures",
            "images in results",
        ],
    ),
}
