"""From Anthropic's messages to a history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar

from pydantic import BaseModel

from biblicus_context.base.doors import door
from biblicus_context.formats.conversation import (
    ConversationTurn,
    ImagePart,
    MessageText,
    OtherPart,
    Part,
    ToolCall,
    ToolResult,
)
from biblicus_context.formats.openai.chat_reader import read
from biblicus_context.formats.openai.chat_writer import write
from biblicus_context.formats.plain import items, plain

_MARK: Final = "cache_control"
_Keyed = TypeVar("_Keyed", bound=MessageText | ImagePart | ToolCall | ToolResult)


@door
def history_from_anthropic(
    messages: Iterable[object], system: str | Iterable[object] | None = None
) -> list[dict[str, Any]]:
    """Anthropic's messages, or the SDK's objects, as a history for the engine.

    It leaves out cache marks, the metadata of a response, and responses without content: Claude
    gives them if it has nothing to add to a tool's result, and refuses them in a request.

    >>> history_from_anthropic([{"role": "user", "content": [{"type": "text", "text": "Hello."}]}])
    [{'role': 'user', 'content': 'Hello.'}]
    """
    leading = read([{"role": "system", "content": system}]) if system else ()
    said = [each for message in items(messages, "messages") for each in _said(message)]
    return write(tuple(map(_unmarked, (*leading, *read(said)))))


def _said(message: object) -> Iterator[object]:
    """A message, or the message in a whole response, whose type is `message` too."""
    written = plain(message, "messages") if isinstance(message, BaseModel | Mapping) else message
    if not isinstance(written, dict) or written.get("type") != "message":
        yield written
    elif written.get("content") != []:
        yield {key: written[key] for key in ("role", "content") if key in written}


def _unmarked(turn: ConversationTurn) -> ConversationTurn:
    return replace(turn, parts=tuple(map(_without_mark, turn.parts)))


def _without_mark(part: Part) -> Part:
    match part:
        case ToolResult(content=content):
            held = tuple(_held(each) for each in content)
            return _cleared(replace(part, content=held))
        case MessageText() | ImagePart() | ToolCall():
            return _cleared(part)
        case OtherPart(kind, block):
            return OtherPart(kind, {key: item for key, item in block.items() if key != _MARK})
    return part


def _held(part: MessageText | ImagePart | OtherPart) -> MessageText | ImagePart | OtherPart:
    cleared = _without_mark(part)
    assert isinstance(cleared, MessageText | ImagePart | OtherPart)
    return cleared


def _cleared(part: _Keyed) -> _Keyed:
    if _MARK not in part.extra:
        return part
    return replace(part, extra={key: item for key, item in part.extra.items() if key != _MARK})
