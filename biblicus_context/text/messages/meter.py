"""The tokens of finished messages, in the shapes of OpenAI, Anthropic, Gemini and LangChain."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, cast

from biblicus_context.errors import InputError
from biblicus_context.text.counters.joined import count_joined
from biblicus_context.text.messages.conversation import Conversation
from biblicus_context.text.messages.framing import Framing
from biblicus_context.text.messages.images import UNSTATED, ImageRule, size_of
from biblicus_context.text.messages.plain import plain_contents

if TYPE_CHECKING:
    from biblicus_context.text.counters import Counter

Piece: TypeAlias = str | int
"""Text to count, or tokens that are already known."""

_ROLES: Final = ("system", "developer", "user", "assistant", "tool")
_TEXTS_BESIDES_CONTENT: Final = ("refusal", "reasoning_content")
_IMAGE_KEYS: Final = (
    "image_url",
    "source",
    "inline_data",
    "inlineData",
    "image",
    "url",
    "data",
    "base64",
    "bytes",
)
_BINARY_KEYS: Final = frozenset({"data", "file_data", "base64", "bytes"})
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_\r\n-]{128,}=*[\r\n]*")
_DATA_URL: Final = re.compile(r"data:[^,]{0,200};base64,")


class _Rules(NamedTuple):
    """The parts of a model's format that cost tokens."""

    framing: Framing
    images: ImageRule | None


class MessageMeter:
    """Measures messages with a counter, a framing, and a rule for images.

    >>> from biblicus_context.text.counters import Counters
    >>> meter = MessageMeter(Counters().get("whitespace"), Framing(per_message=4))
    >>> meter.measure({"role": "user", "content": "two words"})
    6
    """

    def __init__(
        self,
        counter: Counter,
        framing: Framing | None = None,
        images: ImageRule | None = None,
        conversation: Conversation | None = None,
    ) -> None:
        self._counter = counter
        self._framing = framing or Framing()
        self._images = images
        self._conversation = conversation or Conversation()

    def measure(self, message: Mapping[str, Any], place: str = "message") -> int:
        """Return the tokens of one message with its framing."""
        return self._sums([self._pieces(message, place)])[0]

    def measure_many(
        self, messages: Sequence[Mapping[str, Any]], place: str = "messages"
    ) -> list[int]:
        """Return the tokens of each message with its framing."""
        plain = self._plain(messages)
        if plain is not None:
            return plain
        return self._sums(
            [self._pieces(each, f"{place}[{at}]") for at, each in enumerate(messages)]
        )

    def count(self, text: str) -> int:
        """Return the tokens of a text without framing."""
        return self._counter.count(text) if text else 0

    def measure_plain(self, messages: Sequence[Mapping[str, Any]]) -> Sequence[int] | None:
        """Return the tokens of plain messages, or None if one is not plain."""
        if not {dict}.issuperset(map(type, messages)):
            return None
        plain = cast("Sequence[dict[str, Any]]", messages)
        measured_by = (self._counter, self._framing.per_message)
        return self._conversation.tokens(plain, self._plain, measured_by)

    def total(self, contents: Sequence[Sequence[str]]) -> int:
        """Return the tokens of messages, given as texts in parts, and of what opens the answer."""
        tokens = sum(count_joined(self._counter, contents))
        return tokens + self._framing.per_message * len(contents) + self._framing.per_reply

    def measure_tools(self, tools: Sequence[Mapping[str, Any]], place: str = "tools") -> int:
        """Return the tokens of tool definitions, written as compact JSON."""
        texts = [_compact(_mapping(tool, f"{place}[{at}]"), place) for at, tool in enumerate(tools)]
        return sum(self._counter.count_many(texts)) + (self._framing.per_tools if texts else 0)

    def _plain(self, messages: Sequence[Mapping[str, Any]]) -> list[int] | None:
        contents = plain_contents(messages)
        if contents is None:
            return None
        counts = self._counter.count_many(contents)
        per_message = self._framing.per_message
        return [tokens + per_message for tokens in counts] if per_message else counts

    def _pieces(self, message: Mapping[str, Any], place: str) -> list[Piece]:
        try:
            return list(_message_pieces(message, _Rules(self._framing, self._images), place))
        except RecursionError as error:
            raise InputError("the message is nested too deeply", place=place) from error

    def _sums(self, rows: Sequence[Sequence[Piece]]) -> list[int]:
        """Return the tokens of each row; the texts of all rows are counted in one batch."""
        counts = iter(
            self._counter.count_many(
                [piece for row in rows for piece in row if isinstance(piece, str)]
            )
        )
        return [
            sum(next(counts) if isinstance(piece, str) else piece for piece in row) for row in rows
        ]


def _message_pieces(message: Mapping[str, Any], rules: _Rules, place: str) -> Iterator[Piece]:
    framing = rules.framing
    message = _mapping(message, place)
    _text(message.get("role"), f"{place}.role", valid=_ROLES)
    yield framing.per_message
    yield from _content_pieces(message.get("content"), rules, f"{place}.content")
    if message.get("name") is not None:
        yield framing.per_name
        yield _text(message["name"], f"{place}.name")
    for at, call in enumerate(_list(message.get("tool_calls"), f"{place}.tool_calls")):
        yield framing.per_tool_call
        yield from _call_pieces(call, f"{place}.tool_calls[{at}]")
    if message.get("function_call"):
        yield framing.per_tool_call
        yield from _call_pieces(message["function_call"], f"{place}.function_call")
    for key in _TEXTS_BESIDES_CONTENT:
        if message.get(key) is not None:
            yield _text(message[key], f"{place}.{key}")


def _content_pieces(content: object, rules: _Rules, place: str) -> Iterator[Piece]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, list | tuple):
        for at, part in enumerate(content):
            yield from _part_pieces(part, rules, f"{place}[{at}]")
    elif content is not None:
        raise InputError(
            "content of the wrong type",
            place=place,
            found=content,
            valid=("a text", "a list of parts", "null"),
        )


def _part_pieces(part: object, rules: _Rules, place: str) -> Iterator[Piece]:
    if isinstance(part, str):
        yield part
    else:
        mapping = _mapping(part, place)
        yield from _READERS.get(_kind(mapping), _other_pieces)(mapping, rules, place)


def _kind(part: Mapping[str, Any]) -> str:
    """Return the type of a part; a part of Gemini has a key of this name instead."""
    kind = part.get("type")
    return kind if isinstance(kind, str) else next((key for key in _READERS if key in part), "")


def _text_pieces(part: Mapping[str, Any], _: _Rules, place: str) -> Iterator[Piece]:
    yield _text(part.get("text"), f"{place}.text")


def _refusal_pieces(part: Mapping[str, Any], _: _Rules, place: str) -> Iterator[Piece]:
    yield _text(part.get("refusal"), f"{place}.refusal")


def _reasoning_pieces(part: Mapping[str, Any], rules: _Rules, place: str) -> Iterator[Piece]:
    yield from (part[key] for key in _REASONING_KEYS if isinstance(part.get(key), str))
    for key in ("summary", "content"):
        yield from _content_pieces(part.get(key), rules, f"{place}.{key}")


def _image_pieces(part: Mapping[str, Any], rules: _Rules, place: str) -> Iterator[Piece]:
    blob = part.get("inline_data", part.get("inlineData"))
    if isinstance(blob, Mapping) and not _is_image(blob):
        yield from _other_pieces(part, rules, place)
        return
    image = _image_in(part)
    rule = rules.images or UNSTATED
    yield rule.tokens(None if image is None else size_of(image), _detail(part))


def _use_pieces(part: Mapping[str, Any], rules: _Rules, place: str) -> Iterator[Piece]:
    yield rules.framing.per_tool_call
    yield from _call_pieces(part, place)


def _result_pieces(part: Mapping[str, Any], rules: _Rules, place: str) -> Iterator[Piece]:
    yield from _content_pieces(part.get("content"), rules, f"{place}.content")


def _other_pieces(part: Mapping[str, Any], _: _Rules, place: str) -> Iterator[Piece]:
    yield _compact(_without_binary(part), place)


_REASONING_KEYS: Final = ("thinking", "reasoning", "text")
_READERS: Final[Mapping[str, Callable[[Mapping[str, Any], _Rules, str], Iterator[Piece]]]] = (
    MappingProxyType(
        {
            **dict.fromkeys(("text", "input_text", "output_text"), _text_pieces),
            **dict.fromkeys(("summary_text", "reasoning_text"), _text_pieces),
            "refusal": _refusal_pieces,
            **dict.fromkeys(("thinking", "reasoning"), _reasoning_pieces),
            **dict.fromkeys(("image_url", "input_image", "image"), _image_pieces),
            **dict.fromkeys(("inline_data", "inlineData"), _image_pieces),
            **dict.fromkeys(("tool_use", "server_tool_use", "tool_call"), _use_pieces),
            **dict.fromkeys(("function_call", "functionCall"), _use_pieces),
            "tool_result": _result_pieces,
        }
    )
)


def _call_pieces(call: object, place: str) -> Iterator[Piece]:
    outer = _mapping(call, place)
    inner = next((outer[key] for key in _CALL_KEYS if key in outer), outer)
    function = _mapping(inner, place)
    if function.get("name") is not None:
        yield _text(function["name"], f"{place}.name")
    arguments = next((function[key] for key in _ARGUMENT_KEYS if key in function), None)
    if isinstance(arguments, str):
        yield arguments
    elif arguments is not None:
        yield _compact(arguments, f"{place}.arguments")


_CALL_KEYS: Final = ("function", "custom", "function_call", "functionCall")
_ARGUMENT_KEYS: Final = ("arguments", "args", "input")


def _is_image(blob: Mapping[str, Any]) -> bool:
    kind = blob.get("mime_type", blob.get("mimeType", "image"))
    return isinstance(kind, str) and kind.startswith("image")


def _image_in(part: Mapping[str, Any]) -> str | bytes | None:
    for key in _IMAGE_KEYS:
        value = part.get(key)
        if isinstance(value, str | bytes):
            return value
        if isinstance(value, Mapping):
            return _image_in(value)
    return None


def _detail(part: Mapping[str, Any]) -> str:
    holder = part.get("image_url")
    stated = holder.get("detail") if isinstance(holder, Mapping) else part.get("detail")
    return stated if isinstance(stated, str) else "auto"


def _without_binary(value: object) -> object:
    """Return the value with an empty text instead of each file in base64."""
    if isinstance(value, Mapping):
        return {
            key: "" if key in _BINARY_KEYS and _is_base64(item) else _without_binary(item)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_without_binary(item) for item in value]
    is_file = isinstance(value, bytes) or (isinstance(value, str) and _DATA_URL.match(value))
    return "" if is_file else value


def _is_base64(value: object) -> bool:
    return isinstance(value, str) and _BASE64.fullmatch(value) is not None


def _compact(value: object, place: str) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"cannot be written as JSON ({error})", place=place) from error


def _mapping(value: object, place: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError("this must be a mapping", place=place, found=value)
    return value


def _list(value: object, place: str) -> Sequence[object]:
    if not value:
        return ()
    if not isinstance(value, list | tuple):
        raise InputError("this must be a list", place=place, found=value)
    return value


def _text(value: object, place: str, valid: Iterable[str] = ()) -> str:
    if not isinstance(value, str):
        missing = "is missing" if value is None else "must be a text"
        raise InputError(f"this {missing}", place=place, found=value, valid=valid)
    return value
