"""Anthropic's messages: what is refused, and how an answer is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from pydantic import TypeAdapter

from tests.docs.recipes.model import Call, Seen, last, reply, without_evidence
from tests.docs.recipes.refusal import NAME, demand, demand_shape, demand_text

PATH: Final = "/v1/messages"
MOST_MARKS: Final = 4
_SHAPE: Final = TypeAdapter(MessageCreateParamsNonStreaming)


def answer(body: Mapping[str, Any], headers: Mapping[str, str]) -> dict[str, Any]:
    """A message, or a refusal."""
    demand(headers.get("X-Api-Key") or headers.get("Authorization"), "no key")
    demand(headers.get("anthropic-version"), "no version")
    demand_shape(_SHAPE, body)
    messages = body["messages"]
    _demand_alternation(messages)
    for message in messages:
        demand_text(message["content"], message)
    demand_text(body.get("system", "x"), body.get("system"))
    _demand_pairs(messages)
    marks = [block for block in _blocks(body) if "cache_control" in block]
    demand(len(marks) <= MOST_MARKS, "too many blocks with cache_control", len(marks))
    for tool in body.get("tools", ()):
        demand(NAME.fullmatch(tool["name"]), "no name for a tool", tool)
        demand(tool["input_schema"].get("type") == "object", "no object", tool)
    demand(body["max_tokens"] > 0, "max_tokens have to be positive")
    return _message(body["model"], reply(_seen(body)), len(messages))


def flat(body: Mapping[str, Any]) -> list[Any]:
    """What the cache goes by, in order."""
    return [{**block, "cache_control": None} for block in _blocks(body)]


def cached(body: Mapping[str, Any]) -> list[Any]:
    """What should be found in the cache by the next request: all up to the last mark."""
    marks = [at for at, block in enumerate(_blocks(body)) if "cache_control" in block]
    return flat(body)[: marks[-1] + 1]


def _blocks(body: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Every block of a request, in the order of the cache."""
    yield from body.get("tools", ())
    for content in (body.get("system", ()), *(each["content"] for each in body["messages"])):
        yield from [{"type": "text", "text": content}] if isinstance(content, str) else content


def _demand_alternation(messages: Sequence[Mapping[str, Any]]) -> None:
    roles = [message["role"] for message in messages]
    demand(roles and roles[0] == "user", "first message must use the user role", roles)
    demand(roles[-1] == "user", "the conversation must end with a user message", roles)
    demand(all(a != b for a, b in pairwise(roles)), "roles must alternate", roles)


def _demand_pairs(messages: Sequence[Mapping[str, Any]]) -> None:
    """Each tool_use has its tool_result at the beginning of the next message."""
    called: list[str] = []
    for message in messages:
        kinds = [block["type"] for block in _content(message)]
        results = [
            each["tool_use_id"] for each in _content(message) if each["type"] == "tool_result"
        ]
        demand(sorted(results) == sorted(called), "tool_use ids without tool_result", called)
        demand(set(kinds[: len(results)]) <= {"tool_result"}, "results come first", kinds)
        called = [block["id"] for block in _content(message) if block["type"] == "tool_use"]
    uses = [block for each in messages for block in _content(each) if block["type"] == "tool_use"]
    demand(len({use["id"] for use in uses}) == len(uses), "tool_use ids must be unique", uses)
    demand(all(NAME.fullmatch(use["id"]) for use in uses), "no id for a tool_use", uses)


def _content(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _seen(body: Mapping[str, Any]) -> Seen:
    said = [
        (message["role"], block["type"], _text(block))
        for message in body["messages"]
        for block in _content(message)
    ]
    questions = [
        (at, without_evidence(text))
        for at, (role, kind, text) in enumerate(said)
        if role == "user" and kind == "text" and without_evidence(text)
    ]
    asked = questions[-1][0]
    may_call = body.get("tools") and body.get("tool_choice", {}).get("type") != "none"
    return Seen(
        texts=(*(_text(block) for block in body.get("system", ())), *(text for *_, text in said)),
        question=last(text for _, text in questions),
        results=tuple(text for _, kind, text in said[asked:] if kind == "tool_result"),
        tool=body["tools"][0]["name"] if may_call else None,
    )


def _text(block: Mapping[str, Any]) -> str:
    text = block.get("text", block.get("content", ""))
    assert isinstance(text, str)
    return text


def _message(model: str, said: list[Call] | str, number: int) -> dict[str, Any]:
    text = said if isinstance(said, str) else "I look that up."
    content: list[dict[str, Any]] = [{"type": "text", "text": text}]
    if not isinstance(said, str):
        content += [
            {"type": "tool_use", "id": f"toolu_{number}_{at}", "name": name, "input": arguments}
            for at, (name, arguments) in enumerate(said)
        ]
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "end_turn" if isinstance(said, str) else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 20},
    }
