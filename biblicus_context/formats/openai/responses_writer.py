"""From a conversation to the items of OpenAI's Responses API."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, Final, cast

from biblicus_context.base.doors import door
from biblicus_context.errors import FormatError
from biblicus_context.formats.cache_marks import CacheMarks
from biblicus_context.formats.conversation import (
    ConversationTurn,
    ImagePart,
    Keys,
    MessageText,
    OtherPart,
    Part,
    ReasoningPart,
    RefusalPart,
    ToolCall,
    ToolResult,
    kind_of,
)
from biblicus_context.formats.dialect import Dialect, ForeignParts, own
from biblicus_context.formats.openai.breakpoints import with_breakpoints
from biblicus_context.formats.openai.chat_reader import read
from biblicus_context.formats.pairs import paired
from biblicus_context.formats.pictures import url_of
from biblicus_context.formats.plain import filled
from biblicus_context.formats.sdk_types import OpenAIResponseItems

ITEM: Final = "item"
"""The extra key under which a part keeps the id and the status of its item."""
RESPONSES: Final = Dialect(
    name="OpenAI Responses",
    families=frozenset({"openai"}),
    extras={
        ConversationTurn: frozenset({ITEM}),
        MessageText: frozenset({ITEM, "annotations", "logprobs", "prompt_cache_breakpoint"}),
        RefusalPart: frozenset({ITEM}),
        ImagePart: frozenset({"detail", "prompt_cache_breakpoint"}),
        ToolCall: frozenset({ITEM}),
        ToolResult: frozenset({ITEM}),
    },
    failures=False,
    calls=frozenset({"function", "custom"}),
    tool_name=re.compile(r"[a-zA-Z0-9_-]{1,64}"),
)
OTHER_ITEMS: Final = frozenset(
    {
        *("file_search_call", "web_search_call", "image_generation_call", "code_interpreter_call"),
        *("computer_call", "computer_call_output", "local_shell_call", "local_shell_call_output"),
        *("shell_call", "shell_call_output", "apply_patch_call", "apply_patch_call_output"),
        *("mcp_list_tools", "mcp_approval_request", "mcp_approval_response", "mcp_call"),
        *("tool_search_call", "tool_search_output", "additional_tools", "item_reference"),
        *("compaction", "compaction_trigger", "configuration_update", "program", "program_output"),
    }
)
"""Items without a counterpart elsewhere; they are kept unchanged."""


@door
def to_openai_responses(
    messages: Iterable[Mapping[str, Any]],
    *,
    cache: CacheMarks = "off",
    steady: int = 0,
    fetched: bool = False,
    foreign: ForeignParts = "error",
) -> OpenAIResponseItems:
    """Items for `client.responses.create(input=...)`.

    `cache="auto"` sets explicit breakpoints, which models since gpt-5.6 take, where `to_anthropic` sets
    its marks; answers of the model take none.

    >>> to_openai_responses([{"role": "user", "content": "Hello."}])
    [{'type': 'message', 'role': 'user', 'content': 'Hello.'}]
    """
    turns = paired(own(read(messages), RESPONSES, foreign), RESPONSES)
    turns = with_breakpoints(turns, cache, steady, fetched=fetched, assistant=False)
    custom = {call.id for turn in turns for call in turn.calls if call.kind == "custom"}
    written = [item for turn in turns for item in _items(turn, custom)]
    return cast("OpenAIResponseItems", written)


def _items(turn: ConversationTurn, custom: set[str]) -> Iterator[dict[str, Any]]:
    if not turn.parts:
        raise RESPONSES.refusal(turn, "wants content in each message", fix="Leave the message out.")
    match turn.role:
        case "tool":
            yield _output(turn, turn.result, custom)
        case "assistant":
            for item, run in groupby(turn.parts, lambda part: _item_of(turn, part)):
                yield from _said(turn, item, tuple(run))
        case role:
            yield _asked(turn, role)


def _asked(turn: ConversationTurn, role: str) -> dict[str, Any]:
    item = _item_in(turn, turn.extra)
    if item is None:
        return {"type": "message", "role": role, "content": _content(turn, turn.parts)}
    content = [_input_part(turn, part) for part in turn.parts]
    return {**item, "type": "message", "role": role, "content": content}


def _item_of(turn: ConversationTurn, part: Part) -> Keys | None:
    """The message of the model that a part belongs to, if stated."""
    return _item_in(turn, part.extra) if isinstance(part, MessageText | RefusalPart) else None


def _item_in(turn: ConversationTurn, extra: Keys) -> Keys | None:
    item = extra.get(ITEM)
    if item is None or isinstance(item, Mapping):
        return item
    raise RESPONSES.refusal(turn, "takes the keys of an item only as a mapping", item)


def _said(
    turn: ConversationTurn, item: Keys | None, parts: tuple[Part, ...]
) -> Iterator[dict[str, Any]]:
    if item is None or "id" not in item:
        yield from (_alone(turn, part) for part in parts)
    else:
        content = [
            _output_part(part) for part in parts if isinstance(part, MessageText | RefusalPart)
        ]
        yield {**item, "type": "message", "role": "assistant", "content": content}


def _alone(turn: ConversationTurn, part: Part) -> dict[str, Any]:
    match part:
        case MessageText(words, extra) if extra.keys() <= {ITEM}:
            item = _item_in(turn, extra) or {}
            return {**item, "type": "message", "role": "assistant", "content": words}
        case ToolCall():
            return _call(turn, part)
        case ReasoningPart(block=block):
            return dict(block)
        case OtherPart(kind, block) if kind in OTHER_ITEMS:
            return dict(block)
    raise _untakable(turn, part)


def _call(turn: ConversationTurn, call: ToolCall) -> dict[str, Any]:
    head = {**(_item_in(turn, call.extra) or {}), "call_id": call.id, "name": call.name}
    if call.kind == "custom":
        return {**head, "type": "custom_tool_call", "input": call.arguments}
    return {**head, "type": "function_call", "arguments": call.arguments}


def _output(turn: ConversationTurn, result: ToolResult, custom: set[str]) -> dict[str, Any]:
    kind = "custom_tool_call_output" if result.call_id in custom else "function_call_output"
    item = _item_in(turn, result.extra) or {}
    output = _content(turn, result.content)
    return {**item, "type": kind, "call_id": result.call_id, "output": output}


def _content(turn: ConversationTurn, parts: Iterable[Part]) -> str | list[dict[str, Any]]:
    match list(parts):
        case [MessageText(text=words, extra=extra)] if not extra:
            return words
        case several:
            return [_input_part(turn, part) for part in several]


def _input_part(turn: ConversationTurn, part: Part) -> dict[str, Any]:
    match part:
        case MessageText(words, extra):
            return {"type": "input_text", "text": words, **extra}
        case ImagePart(extra=extra):
            image = {"type": "input_image", "image_url": url_of(part), "detail": "auto"}
            return {**image, **extra}
        case OtherPart("file", block):
            return {**filled(block.get("file"), f"{turn.place}.file"), "type": "input_file"}
        case OtherPart("input_file" | "input_image", block):
            return dict(block)
    raise _untakable(turn, part)


def _output_part(part: MessageText | RefusalPart) -> dict[str, Any]:
    if isinstance(part, RefusalPart):
        return {"type": "refusal", "refusal": part.text}
    shown = {key: value for key, value in part.extra.items() if key != ITEM}
    return {"type": "output_text", "text": part.text, "annotations": [], **shown}


def _untakable(turn: ConversationTurn, part: Part) -> FormatError:
    match part:
        case RefusalPart(words):
            problem = "takes refusals only with the id of their message"
            return RESPONSES.refusal(turn, problem, words, "Write it as content.")
        case MessageText(extra=extra):
            problem = "takes these keys only with the id of their message"
            return RESPONSES.refusal(turn, problem, dict(extra), "Leave out these keys.")
        case OtherPart(kind):
            return RESPONSES.refusal(turn, f"takes no {kind} in a message of role {turn.role}")
    return RESPONSES.refusal(turn, f"takes no {kind_of(part)} here")
