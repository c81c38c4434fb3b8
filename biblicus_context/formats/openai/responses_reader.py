"""From the items of OpenAI's Responses API to a conversation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from biblicus_context.base.doors import door
from biblicus_context.errors import InputError
from biblicus_context.formats.conversation import (
    Conversation,
    ConversationTurn,
    MessageText,
    OtherPart,
    Part,
    ReasoningPart,
    RefusalPart,
    Role,
    ToolCall,
    kind_of,
)
from biblicus_context.formats.openai.chat_parts import parts_of, result_of
from biblicus_context.formats.openai.chat_writer import write
from biblicus_context.formats.openai.responses_writer import ITEM, OTHER_ITEMS
from biblicus_context.formats.plain import beside, filled, items, plain, text

_MESSAGE_KEYS: Final = frozenset({"type", "role", "content"})
_ASKING: Final[tuple[Role, ...]] = ("user", "system", "developer")
_CALL_KEYS: Final = frozenset({"type", "call_id", "name", "arguments", "input"})
_OUTPUT_KEYS: Final = frozenset({"type", "call_id", "output"})
_FILE_KEYS: Final = frozenset({"type", "file_data", "file_id", "filename"})


@door
def history_from_openai_responses(given: str | Iterable[object]) -> list[dict[str, Any]]:
    """Input items, or the SDK's output items, as a history for the engine.

    >>> history_from_openai_responses("Hello.")
    [{'role': 'user', 'content': 'Hello.'}]
    """
    if isinstance(given, str):
        return [{"role": "user", "content": plain(given, "input")}]
    reader = _Reader()
    for number, item in enumerate(items(given, "items")):
        reader.take(item, number)
    return write(reader.conversation())


class _Reader:
    """Reads one item after another; successive items of a model are one turn."""

    def __init__(self) -> None:
        self._turns: list[ConversationTurn] = []
        self._said: list[Part] = []
        self._since = 0

    def conversation(self) -> Conversation:
        self._close()
        return tuple(self._turns)

    def take(self, written: object, number: int) -> None:
        place = f"items[{number}]"
        whole = plain(written, place)
        item = filled(whole, place)
        kind = item.get("type", "message" if "role" in item else None)
        match kind:
            case "message" if item.get("role") in _ASKING:
                self._ask(_asked(item, place, number))
            case "function_call_output" | "custom_tool_call_output":
                self._ask(_answered(item, place, number))
            case "message" if item.get("role") == "assistant":
                self._say(number, *_words(item, place))
            case "reasoning":
                self._say(number, ReasoningPart("openai", whole))
            case "function_call" | "custom_tool_call":
                self._say(number, _call(item, place))
            case str() if kind in OTHER_ITEMS:
                self._say(number, OtherPart(kind, item))
            case _:
                found = item.get("role") if kind == "message" else kind
                raise InputError("this is not an item of a conversation", place=place, found=found)

    def _say(self, number: int, *parts: Part) -> None:
        if not self._said:
            self._since = number
        self._said += parts

    def _ask(self, turn: ConversationTurn) -> None:
        self._close()
        self._turns.append(turn)

    def _close(self) -> None:
        if self._said:
            self._turns.append(ConversationTurn("assistant", tuple(self._said), self._since))
            self._said = []


def _asked(item: Mapping[str, Any], place: str, number: int) -> ConversationTurn:
    parts = tuple(map(_as_chat, parts_of(item.get("content"), f"{place}.content")))
    (role,) = (role for role in _ASKING if role == item["role"])
    return ConversationTurn(role, parts, number, extra=_item(_MESSAGE_KEYS, item))


def _answered(item: Mapping[str, Any], place: str, number: int) -> ConversationTurn:
    result = result_of(
        text(item.get("call_id"), f"{place}.call_id"),
        item.get("output"),
        f"{place}.output",
        failed=False,
        extra=_item(_OUTPUT_KEYS, item),
    )
    return ConversationTurn("tool", (result,), number)


def _words(item: Mapping[str, Any], place: str) -> list[Part]:
    own = _item(_MESSAGE_KEYS, item)
    words: list[Part] = []
    for part in parts_of(item.get("content"), f"{place}.content"):
        match part:
            case MessageText(said, extra):
                words.append(MessageText(said, {**extra, **own}))
            case RefusalPart(said, extra):
                words.append(RefusalPart(said, {**extra, **own}))
            case _:
                raise InputError(
                    "a model's message holds text and refusals",
                    place=place,
                    found=kind_of(part),
                )
    return words


def _call(item: Mapping[str, Any], place: str) -> ToolCall:
    custom = item["type"] == "custom_tool_call"
    key = "input" if custom else "arguments"
    return ToolCall(
        id=text(item.get("call_id"), f"{place}.call_id"),
        name=text(item.get("name"), f"{place}.name"),
        arguments=text(item.get(key), f"{place}.{key}"),
        kind="custom" if custom else "function",
        extra=_item(_CALL_KEYS, item),
    )


def _item(known: frozenset[str], item: Mapping[str, Any]) -> dict[str, Any]:
    """The id and the status of an item, which the writer needs."""
    stated = beside(known, item)
    return {ITEM: stated} if stated else {}


def _as_chat(part: Part) -> Part:
    """A file as in chat messages, if they can hold it."""
    match part:
        case OtherPart("input_file", block) if block.keys() <= _FILE_KEYS:
            return OtherPart("file", {"type": "file", "file": beside({"type"}, block)})
    return part
