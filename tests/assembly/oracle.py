"""A second way to count and to judge messages, independent of the engine."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from splintr import Tokenizer


@cache
def _tokenizer() -> Any:
    return Tokenizer.from_pretrained("o200k_base")


def encodable(text: str) -> str:
    """The text with U+FFFD for a lone surrogate, as it is sent."""
    return "".join("\ufffd" if "\ud800" <= one <= "\udfff" else one for one in text)


def tokens(text: str) -> int:
    """Tokens of a text in o200k_base."""
    return len(_tokenizer().encode_ordinary(encodable(text)))


def recounted(messages: list[dict[str, Any]], framing: str | None = None) -> int:
    """Contents, names, tool calls; with OpenAI's framing 4 a message, 12 a call, 3 for the answer.

    Where no framing is stated, the provider may be Gemini, whose results are JSON with their names.
    """
    openai, unstated = framing == "openai", framing is None
    total = 3 if openai else 0
    for message in messages:
        total += 4 if openai else 0
        total += tokens('{"output":""}') if unstated and message["role"] == "tool" else 0
        content = message.get("content")
        if isinstance(content, str):
            total += tokens(content)
        elif content is not None:
            total += sum(tokens(part["text"]) for part in content)
        for call in message.get("tool_calls", ()):
            total += 12 if openai else 0
            total += tokens(call["function"]["name"]) if unstated else 0
            total += tokens(call["function"]["name"]) + tokens(call["function"]["arguments"])
    return total


def orphans(messages: list[dict[str, Any]]) -> list[str]:
    """Tool calls without a result right after them, and results without a call."""
    lost: list[str] = []
    waiting: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                lost.append(message["tool_call_id"])
            waiting.discard(message["tool_call_id"])
            continue
        lost += sorted(waiting)
        waiting = {call["id"] for call in message.get("tool_calls", ())}
    return lost + sorted(waiting)


def fingerprint_of(value: Any) -> str:
    """Any JSON-like value as comparable text."""
    return json.dumps(value, sort_keys=True, default=str)
