"""From a conversation to chat messages, as the engine and OpenAI have them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from biblicus_context.formats.arguments import object_or_text
from biblicus_context.formats.conversation import (
    Conversation,
    ConversationTurn,
    ImagePart,
    MessageText,
    OtherPart,
    Part,
    ReasoningPart,
    RefusalPart,
    ToolCall,
    ToolResult,
)
from biblicus_context.formats.pictures import chat_image


def write(turns: Conversation) -> list[dict[str, Any]]:
    """A conversation as chat messages, always written the same way."""
    return [message_of(turn) for turn in turns]


def message_of(turn: ConversationTurn) -> dict[str, Any]:
    """A turn as a chat message."""
    if turn.role == "tool":
        return _answer(turn.result)
    message: dict[str, Any] = {"role": turn.role}
    message |= _assistant(turn.parts) if turn.role == "assistant" else _content(turn.parts)
    if turn.name:
        message["name"] = turn.name
    return {**message, **turn.extra}


def _answer(result: ToolResult) -> dict[str, Any]:
    extra = result.extra
    if result.kind == "legacy":
        return {"role": "function", "name": result.name, **_content(result.content), **extra}
    message = {"role": "tool", "tool_call_id": result.call_id, **_content(result.content)}
    if result.name:
        message["name"] = result.name
    if result.failed:
        message["is_error"] = True
    return {**message, **extra}


def _assistant(parts: tuple[Part, ...]) -> dict[str, Any]:
    """Put calls next to the content if they come last, else among its parts."""
    said = [part for part in parts if not _has_own_key(part)]
    calls = [part for part in said if isinstance(part, ToolCall)]
    beside = _thoughts(parts)
    if calls and said[-len(calls) :] == calls:
        said = said[: -len(calls)]
        beside |= _calls(calls)
    if len(said) == 1 and isinstance(said[0], RefusalPart) and not said[0].extra:
        return {"content": None, "refusal": said[0].text, **beside}
    return {**_content(said), **beside}


def _has_own_key(part: Part) -> bool:
    return isinstance(part, ReasoningPart) and part.family == "reasoning_content"


def _thoughts(parts: Iterable[Part]) -> dict[str, Any]:
    thoughts: dict[str, Any] = {}
    for part in parts:
        if isinstance(part, ReasoningPart) and _has_own_key(part):
            thoughts |= part.block
    return thoughts


def _calls(calls: Iterable[ToolCall]) -> dict[str, Any]:
    written: dict[str, Any] = {}
    for call in calls:
        if call.kind == "legacy":
            written["function_call"] = _function(call)
        else:
            written.setdefault("tool_calls", []).append(_entry(call))
    return written


def _content(parts: Iterable[Part]) -> dict[str, Any]:
    match list(parts):
        case []:
            return {"content": None}
        case [MessageText(text=words, extra=extra)] if not extra:
            return {"content": words}
        case several:
            return {"content": [_block(part) for part in several]}


def _block(part: Part) -> dict[str, Any]:
    assert not isinstance(part, ToolResult), "a result is a turn of its own"
    match part:
        case MessageText(words, extra):
            block = {"type": "text", "text": words, **extra}
        case ImagePart():
            block = chat_image(part)
        case RefusalPart(words, extra):
            block = {"type": "refusal", "refusal": words, **extra}
        case ToolCall(id=identity, name=name, arguments=arguments, extra=extra):
            given = object_or_text(arguments)
            block = {"type": "tool_use", "id": identity, "name": name, "input": given, **extra}
            block |= {"kind": part.kind} if part.kind != "function" else {}
        case ReasoningPart(block=kept) | OtherPart(block=kept):
            block = dict(kept)
    return block


def _entry(call: ToolCall) -> dict[str, Any]:
    if call.kind == "custom":
        body: dict[str, Any] = {"custom": {"name": call.name, "input": call.arguments}}
    else:
        body = {"function": _function(call)}
    return {"id": call.id, "type": call.kind, **call.extra, **body}


def _function(call: ToolCall) -> dict[str, Any]:
    return {"name": call.name, "arguments": call.arguments, **call.extra.get("function", {})}
