"""From Gemini's contents to a history."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby
from typing import Any, Final

from biblicus_context.base.doors import door
from biblicus_context.errors import InputError
from biblicus_context.formats.arguments import text_of
from biblicus_context.formats.conversation import (
    ConversationTurn,
    ImagePart,
    MessageText,
    OtherPart,
    Part,
    ReasoningPart,
    ToolCall,
    ToolResult,
)
from biblicus_context.formats.gemini.parts import OTHER_PARTS, SIGNATURE
from biblicus_context.formats.gemini.results import texts_in
from biblicus_context.formats.gemini.writer import UNCHECKED
from biblicus_context.formats.openai.chat_writer import write
from biblicus_context.formats.pictures import image_at, image_of
from biblicus_context.formats.plain import beside, entered, filled, items, mapping, text

_ROLES: Final = ("user", "model", "function")
_CAPITAL: Final = re.compile(r"(?<=[a-z])([A-Z])")
_FREE: Final = frozenset({"args", "response", "part_metadata"})
"""Parts of a content whose keys a caller chooses."""


@door
def history_from_gemini(
    contents: str | Iterable[object], system_instruction: object = None
) -> list[dict[str, Any]]:
    """Gemini's contents, or the SDK's objects, as a history for the engine.

    >>> history_from_gemini([{"role": "model", "parts": [{"text": "Hello."}]}])
    [{'role': 'assistant', 'content': 'Hello.'}]
    """
    given = [contents] if isinstance(contents, str) else items(contents, "contents")
    reader = _Reader()
    turns = [*_system(system_instruction)]
    for number, content in enumerate(given):
        turns += reader.turns(content, number)
    return write(tuple(turns))


def _system(instruction: object) -> Iterator[ConversationTurn]:
    if instruction is not None:
        place = "system_instruction"
        parts = tuple(_part(part, place) for part in _parts(_content(instruction, place), place))
        yield ConversationTurn("system", parts, 0)


def _content(written: object, place: str) -> dict[str, Any]:
    if isinstance(written, str):
        return {"parts": [{"text": written}]}
    return _snake(entered(written, place))


def _parts(content: Mapping[str, Any], place: str) -> list[dict[str, Any]]:
    return [
        filled(part, f"{place}.parts[{at}]")
        for at, part in enumerate(items(content.get("parts"), f"{place}.parts"))
    ]


class _Reader:
    """Reads one content after another, and keeps the calls that wait for a response."""

    def __init__(self) -> None:
        self._waiting: list[ToolCall] = []

    def turns(self, written: object, number: int) -> Iterator[ConversationTurn]:
        place = f"contents[{number}]"
        content = _content(written, place)
        role = content.get("role", "user")
        if role not in _ROLES:
            raise InputError("unknown role", place=f"{place}.role", found=role, valid=_ROLES)
        strange = beside({"role", "parts"}, content)
        if strange:
            raise InputError("a content has a role and parts", place=place, found=strange)
        parts = _parts(content, place)
        if role == "model":
            yield self._said(parts, place, number)
            return
        for is_response, run in groupby(parts, lambda part: "function_response" in part):
            if is_response:
                yield from (self._answered(part, place, number) for part in run)
            else:
                yield ConversationTurn("user", tuple(_part(part, place) for part in run), number)

    def _said(self, blocks: list[dict[str, Any]], place: str, number: int) -> ConversationTurn:
        parts = tuple(
            _call(block, f"call-{number}-{at}", place)
            if "function_call" in block
            else _part(block, place)
            for at, block in enumerate(blocks)
        )
        turn = ConversationTurn("assistant", parts, number)
        self._waiting = list(turn.calls) or self._waiting
        return turn

    def _answered(self, block: Mapping[str, Any], place: str, number: int) -> ConversationTurn:
        response = filled(block["function_response"], place)
        name = text(response.get("name"), f"{place}.function_response.name")
        files = [_file(part, place) for part in _parts(response, f"{place}.function_response")]
        texts, failed = texts_in(mapping(response.get("response", {}), place), files=bool(files))
        result = ToolResult(
            call_id=self._call_id(response, name, place),
            content=(*map(MessageText, texts), *files),
            failed=failed,
            extra=beside({"id", "name", "response", "parts"}, response),
        )
        return ConversationTurn("tool", (result,), number)

    def _call_id(self, response: Mapping[str, Any], name: str, place: str) -> str:
        """The id of the answered call: the stated one, or the first call of this name."""
        stated = response.get("id")
        fitting = [call for call in self._waiting if call.id == stated]
        fitting += [call for call in self._waiting if call.name == name]
        if fitting:
            self._waiting = [call for call in self._waiting if call is not fitting[0]]
            return fitting[0].id
        if stated is None:
            raise InputError("this response has no call", place=place, found=name)
        return text(stated, f"{place}.function_response.id")


def _part(block: Mapping[str, Any], place: str) -> Part:
    if block.get("thought") is True:
        return ReasoningPart("gemini", block)
    match block:
        case {"inline_data": {"data": str(data), "mime_type": str(kind), **more}} if (
            _is_image(kind) and not more
        ):
            return image_of(data, kind, place, beside({"inline_data"}, block))
        case {"file_data": {"file_uri": str(uri), "mime_type": str(kind), **more}} if (
            _is_image(kind) and not more
        ):
            return image_at(uri, place, kind, beside({"file_data"}, block))
    other = next((key for key in OTHER_PARTS if key in block), None)
    if other is not None:
        return OtherPart(other, block)
    if "text" not in block and SIGNATURE not in block:
        raise InputError("this is not a known kind of part", place=place, found=[*block])
    return MessageText(text(block.get("text", ""), f"{place}.text"), beside({"text"}, block))


def _call(block: Mapping[str, Any], unnamed: str, place: str) -> ToolCall:
    call = filled(block["function_call"], f"{place}.function_call")
    extra = beside({"function_call"}, block)
    if extra.get(SIGNATURE) == UNCHECKED:
        del extra[SIGNATURE]
    return ToolCall(
        id=text(call.get("id", unnamed), f"{place}.function_call.id"),
        name=text(call.get("name"), f"{place}.function_call.name"),
        arguments=text_of(mapping(call.get("args", {}), f"{place}.function_call.args")),
        extra={**beside({"id", "name", "args"}, call), **extra},
    )


def _file(block: Mapping[str, Any], place: str) -> ImagePart | OtherPart:
    part = _part(block, place)
    if not isinstance(part, ImagePart | OtherPart):
        raise InputError("the parts of a response must be files", place=place, found=[*block])
    return part


def _is_image(media_type: str) -> bool:
    return media_type.startswith("image/")


def _snake(written: Mapping[str, Any]) -> dict[str, Any]:
    """The block with its keys as in the Python SDK."""
    return {(key := _snake_key(name)): _snaked(key, item) for name, item in written.items()}


@lru_cache(maxsize=256)
def _snake_key(name: str) -> str:
    return _CAPITAL.sub(r"_\1", name).lower()


def _snaked(key: str, item: Any) -> Any:
    if key in _FREE:
        return item
    if isinstance(item, Mapping):
        return _snake(item)
    return [_snaked("", each) for each in item] if isinstance(item, list) else item
