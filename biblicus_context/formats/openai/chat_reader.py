"""From chat messages, as the engine and OpenAI have them, to a conversation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from types import MappingProxyType
from typing import Any, Final

from biblicus_context.errors import InputError
from biblicus_context.formats.conversation import (
    Conversation,
    ConversationTurn,
    MessageText,
    Part,
    ReasoningPart,
    RefusalPart,
    Role,
    ToolCall,
    ToolResult,
)
from biblicus_context.formats.openai.chat_calls import call_of, legacy_call_of
from biblicus_context.formats.openai.chat_parts import parts_of, result_of
from biblicus_context.formats.plain import beside, entered, flag, items, text

_ROLES: Final[Mapping[str, Role]] = MappingProxyType(
    {
        "system": "system",
        "developer": "developer",
        "user": "user",
        "assistant": "assistant",
        "model": "assistant",
        "tool": "tool",
        "function": "tool",
    }
)
_KEYS: Final = frozenset({"role", "content", "name"})
_ASSISTANT_KEYS: Final = _KEYS | {"tool_calls", "function_call", "refusal", "reasoning_content"}
_TOOL_KEYS: Final = _KEYS | {"tool_call_id", "is_error"}


def read(messages: Iterable[object]) -> Conversation:
    """Chat messages as a conversation."""
    return tuple(
        turn
        for number, message in enumerate(items(messages, "messages"))
        for turn in _turns(entered(message, f"messages[{number}]"), number)
    )


def _turns(message: Mapping[str, Any], number: int) -> Iterator[ConversationTurn]:
    place = f"messages[{number}]"
    written = text(message.get("role"), f"{place}.role")
    if written not in _ROLES:
        raise InputError("unknown role", place=f"{place}.role", found=written, valid=_ROLES)
    match _ROLES[written]:
        case "tool":
            yield ConversationTurn("tool", (_result(message, place),), number)
        case "assistant":
            parts = tuple(_said(message, place))
            extra = beside(_ASSISTANT_KEYS, message)
            yield ConversationTurn("assistant", parts, number, _name(message, place), extra)
        case role:
            yield from _asked(role, message, number)


def _asked(role: Role, message: Mapping[str, Any], number: int) -> Iterator[ConversationTurn]:
    """A user's turn; results in Anthropic's shape among its parts become turns of their own."""
    place = f"messages[{number}]"
    parts = parts_of(message.get("content"), f"{place}.content")
    name, extra = _name(message, place), beside(_KEYS, message)
    for is_result, run in groupby(parts, lambda part: isinstance(part, ToolResult)):
        if is_result:
            yield from (ConversationTurn("tool", (part,), number) for part in run)
        else:
            yield ConversationTurn(role, tuple(run), number, name, extra)
    if not parts:
        yield ConversationTurn(role, (), number, name, extra)
    elif (name or extra) and all(isinstance(part, ToolResult) for part in parts):
        raise InputError(
            "a message of tool results has no other keys",
            place=place,
            found=", ".join(["name"] if name else extra),
        )


def _said(message: Mapping[str, Any], place: str) -> Iterator[Part]:
    """A model's parts in order: reasoning, content, refusal, calls."""
    if message.get("reasoning_content"):
        thoughts = text(message["reasoning_content"], f"{place}.reasoning_content")
        yield ReasoningPart("reasoning_content", {"reasoning_content": thoughts})
    parts = parts_of(message.get("content"), f"{place}.content")
    calls = list(_calls(message, place))
    if calls or message.get("refusal") is not None:
        # Some servers write an empty text instead of null.
        parts = [part for part in parts if part != MessageText("")]
    yield from parts
    if message.get("refusal") is not None:
        yield RefusalPart(text(message["refusal"], f"{place}.refusal"))
    yield from calls


def _calls(message: Mapping[str, Any], place: str) -> Iterator[ToolCall]:
    for at, call in enumerate(items(message.get("tool_calls"), f"{place}.tool_calls")):
        yield call_of(call, f"{place}.tool_calls[{at}]")
    if message.get("function_call"):
        yield legacy_call_of(message["function_call"], f"{place}.function_call")


def _result(message: Mapping[str, Any], place: str) -> ToolResult:
    content = message.get("content")
    if message["role"] == "function":
        name = text(message.get("name"), f"{place}.name")
        held = result_of("", content, f"{place}.content", failed=False, name=name)
        return ToolResult("", held.content, kind="legacy", name=name, extra=beside(_KEYS, message))
    return result_of(
        text(message.get("tool_call_id"), f"{place}.tool_call_id"),
        content,
        f"{place}.content",
        failed=flag(message.get("is_error"), f"{place}.is_error"),
        name=_name(message, place),
        extra=beside(_TOOL_KEYS, message),
    )


def _name(message: Mapping[str, Any], place: str) -> str:
    return text(message["name"], f"{place}.name") if "name" in message else ""
