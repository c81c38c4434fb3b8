"""OpenAI's chat completions: what is refused, and how an answer is written."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from pydantic import TypeAdapter

from tests.docs.recipes.model import Call, Seen, last, reply, without_evidence
from tests.docs.recipes.refusal import NAME, demand, demand_shape, demand_text

PATH: Final = "/v1/chat/completions"
_SHAPE: Final = TypeAdapter(CompletionCreateParamsNonStreaming)


def answer(body: Mapping[str, Any], headers: Mapping[str, str]) -> dict[str, Any]:
    """A completion, or a refusal."""
    demand(headers.get("Authorization", "").startswith("Bearer "), "no key")
    demand_shape(_SHAPE, body)
    messages = body["messages"]
    demand(messages, "messages are empty")
    for message in messages:
        _demand_content(message)
    _demand_pairs(messages)
    for tool in body.get("tools", ()):
        demand(NAME.fullmatch(tool["function"]["name"]), "no name for a tool", tool)
        demand(tool["function"]["parameters"].get("type") == "object", "no object", tool)
    demand(body.get("max_completion_tokens", 0) > 0, "max_completion_tokens are missing")
    return _completion(body["model"], reply(_seen(body)), len(messages))


def flat(body: Mapping[str, Any]) -> list[Any]:
    """What the cache goes by, in order."""
    return [body["tools"], *body["messages"]]


def cached(body: Mapping[str, Any]) -> list[Any]:
    """What should be found in the cache by the next request: all but the evidence, at the end."""
    return flat(body)[:-1]


def _demand_content(message: Mapping[str, Any]) -> None:
    calls = message.get("tool_calls")
    demand(calls is None or calls, "tool_calls are empty", message)
    if message["role"] != "assistant" or not calls or message.get("content") is not None:
        demand_text(message.get("content"), message)
    for call in calls or ():
        demand(NAME.fullmatch(call["function"]["name"]), "no name for a tool", call)


def _demand_pairs(messages: Sequence[Mapping[str, Any]]) -> None:
    """Each call has one result, and the results stand directly behind the calls."""
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            demand(message["tool_call_id"] in waiting, "a result without its call", message)
            waiting.remove(message["tool_call_id"])
        else:
            demand(not waiting, "tool calls without results", waiting)
            waiting = [call["id"] for call in message.get("tool_calls") or ()]
            demand(len(set(waiting)) == len(waiting), "ids are not unique", waiting)
    demand(not waiting, "tool calls without results", waiting)


def _seen(body: Mapping[str, Any]) -> Seen:
    messages = [(message["role"], _text(message)) for message in body["messages"]]
    asked = max((at for at, (role, _) in enumerate(messages) if role == "user"), default=0)
    may_call = body.get("tools") and body.get("tool_choice") != "none"
    return Seen(
        texts=tuple(text for _, text in messages),
        question=last(without_evidence(text) for role, text in messages if role == "user"),
        results=tuple(text for role, text in messages[asked:] if role == "tool"),
        tool=body["tools"][0]["function"]["name"] if may_call else None,
    )


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n".join(part["text"] for part in content)


def _completion(model: str, said: list[Call] | str, number: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": None, "refusal": None}
    if isinstance(said, str):
        message |= {"content": said, "annotations": []}
    else:
        message |= {"tool_calls": [_call(f"call_{number}_{at}", c) for at, c in enumerate(said)]}
    finished = "stop" if isinstance(said, str) else "tool_calls"
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finished, "logprobs": None}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }


def _call(identity: str, call: Call) -> dict[str, Any]:
    function = {"name": call.name, "arguments": json.dumps(call.arguments)}
    return {"id": identity, "type": "function", "function": function}
