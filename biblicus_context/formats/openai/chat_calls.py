"""From tool calls of chat messages to typed calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from biblicus_context.formats.arguments import text_of
from biblicus_context.formats.conversation import ToolCall
from biblicus_context.formats.plain import beside, filled, text


def call_of(written: object, place: str) -> ToolCall:
    """An entry of `tool_calls`."""
    call = filled(written, place)
    if "custom" in call:
        return _custom(call, place)
    function = filled(call.get("function"), f"{place}.function")
    return ToolCall(
        id=text(call.get("id"), f"{place}.id"),
        name=text(function.get("name"), f"{place}.function.name"),
        arguments=arguments_of(function.get("arguments"), f"{place}.function.arguments"),
        extra={**beside({"id", "type", "function", "index"}, call), **_inner(function)},
    )


def legacy_call_of(written: object, place: str) -> ToolCall:
    """A `function_call`, which its result matches by name."""
    function = filled(written, place)
    return ToolCall(
        id="",
        name=text(function.get("name"), f"{place}.name"),
        arguments=arguments_of(function.get("arguments"), f"{place}.arguments"),
        kind="legacy",
        extra=_inner(function),
    )


def call_in_content(block: Mapping[str, Any], place: str) -> ToolCall:
    """A call among the parts: Anthropic's tool_use, or LangChain's tool_call."""
    is_custom = block.get("kind") == "custom"
    known = {"type", "id", "name", "input", "args", "index", "kind" if is_custom else "type"}
    return ToolCall(
        id=text(block.get("id"), f"{place}.id"),
        name=text(block.get("name"), f"{place}.name"),
        arguments=arguments_of(block.get("input", block.get("args", {})), f"{place}.input"),
        kind="custom" if is_custom else "function",
        extra=beside(known, block),
    )


def arguments_of(written: object, place: str) -> str:
    """Arguments as text; an object becomes JSON without spaces."""
    if isinstance(written, Mapping):
        return text_of(written)
    return text("" if written is None else written, place)


def _inner(function: Mapping[str, Any]) -> dict[str, Any]:
    """The keys that a server adds to the function."""
    added = beside({"name", "arguments"}, function)
    return {"function": added} if added else {}


def _custom(call: Mapping[str, Any], place: str) -> ToolCall:
    custom = filled(call["custom"], f"{place}.custom")
    return ToolCall(
        id=text(call.get("id"), f"{place}.id"),
        name=text(custom.get("name"), f"{place}.custom.name"),
        arguments=text(custom.get("input"), f"{place}.custom.input"),
        kind="custom",
        extra=beside({"id", "type", "custom", "index"}, call),
    )
