"""What a message costs, in pieces: texts to count, and tokens that are known.

Everything that is sent counts. A reader takes the keys it knows; any other key counts as compact
JSON. Free are only short ids, types and flags, which a format needs and a model does not read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from biblicus_context.errors import InputError
from biblicus_context.text.messages.calls import CALL_KINDS
from biblicus_context.text.messages.files import is_base64, is_data_url, opaque, without_files
from biblicus_context.text.messages.framing import Framing
from biblicus_context.text.messages.images import UNSTATED, ImageRule, size_of

Piece: TypeAlias = str | int
"""Text to count, or tokens that are already known."""

_ROLES: Final = ("system", "developer", "user", "assistant", "tool")
_TEXTS: Final = ("refusal", "reasoning_content")
_LONGEST_ID: Final = 128
_LONGEST_ADDRESS: Final = 2_048
_LARGEST_NUMBER: Final = 10**18
_OFTEN_EMPTY: Final = frozenset(
    [
        "additional_kwargs",
        "annotations",
        "args",
        "arguments",
        "artifact",
        "audio",
        "cache_control",
        "caller",
        "citations",
        "content",
        "context",
        "custom",
        "data",
        "detail",
        "display",
        "encrypted_content",
        "example",
        "file_id",
        "filename",
        "format",
        "function",
        "function_call",
        "id",
        "index",
        "input",
        "invalid_tool_calls",
        "is_error",
        "logprobs",
        "media_type",
        "metadata",
        "mime_type",
        "model",
        "name",
        "output",
        "parameters",
        "parsed",
        "phase",
        "provider_details",
        "provider_name",
        "reasoning",
        "reasoning_content",
        "reasoning_details",
        "refusal",
        "response_metadata",
        "role",
        "signature",
        "status",
        "stop_reason",
        "stop_sequence",
        "strict",
        "summary",
        "text",
        "thinking",
        "thought",
        "thought_signature",
        "thoughtSignature",
        "title",
        "tool_call_id",
        "tool_calls",
        "tool_use_id",
        "ttl",
        "type",
        "url",
        "usage",
        "usage_metadata",
        "video_metadata",
        "videoMetadata",
    ]
)
"""Keys that providers and libraries write also where there is nothing to say, which costs nothing."""
_NOTHING: Final[tuple[object, ...]] = (None, "", [], {}, ())
_OPAQUE_KEYS: Final = frozenset(
    {"signature", "thought_signature", "thoughtSignature", "encrypted_content"}
)
_IDS: Final = frozenset(
    {
        *("id", "type", "status", "kind", "role", "detail", "format", "file_id", "source_type"),
        *("tool_call_id", "tool_use_id", "call_id", "media_type", "mime_type", "mimeType"),
    }
)
_MARK_KEYS: Final = frozenset({"type", "ttl"})
_OF_MESSAGE: Final = frozenset({"role", "content", "name", "tool_calls", "function_call", *_TEXTS})


class Rules(NamedTuple):
    """The parts of a model's format that cost tokens."""

    framing: Framing
    images: ImageRule | None


def message_pieces(message: Mapping[str, Any], rules: Rules, place: str) -> Iterator[Piece]:
    """The pieces of one message, its framing included."""
    framing = rules.framing
    if not isinstance(message, Mapping):
        raise InputError("this must be a message", place=place, found=message, fix=_MESSAGES)
    role = _text(message.get("role"), f"{place}.role", valid=_ROLES)
    yield framing.per_message
    if len(role) > _LONGEST_ID:
        yield role
    yield from _content_pieces(message.get("content"), rules, f"{place}.content")
    if message.get("name") is not None:
        yield framing.per_name
        yield _text(message["name"], f"{place}.name")
    if role == "tool":
        yield from _around_result(message.get("content"), rules)
    for at, call in enumerate(_list(message.get("tool_calls"), f"{place}.tool_calls")):
        yield from _call_pieces(call, rules, f"{place}.tool_calls[{at}]")
    if message.get("function_call"):
        yield from _call_pieces(message["function_call"], rules, f"{place}.function_call")
    for key in _TEXTS:
        if message.get(key) is not None:
            yield _text(message[key], f"{place}.{key}")
    yield from _rest(message, _OF_MESSAGE, place)


def _rest(holder: Mapping[str, Any], known: Iterable[str | None], place: str) -> Iterator[Piece]:
    """What the other keys cost, each as compact JSON."""
    for key, value in holder.items():
        if key in known or _is_free(key, value):
            continue
        if not isinstance(key, str):
            raise InputError("keys must be text", place=place, found=key)
        if key in _OPAQUE_KEYS and isinstance(value, str) and is_base64(value):
            yield opaque(value)
        else:
            yield from written({key: value}, f"{place}.{key}")


def _is_free(key: object, value: object) -> bool:
    if isinstance(value, str) and value:
        return key in _IDS and len(value) <= _LONGEST_ID
    if key == "index":
        return isinstance(value, int) and abs(value) < _LARGEST_NUMBER
    if key == "cache_control" and isinstance(value, Mapping):
        return _MARK_KEYS.issuperset(value) and all(map(_is_short, value.values()))
    is_nothing = value in _NOTHING or isinstance(value, bool)
    return is_nothing and key in _OFTEN_EMPTY


def _is_short(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST_ID


def _content_pieces(content: object, rules: Rules, place: str) -> Iterator[Piece]:
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


def _part_pieces(part: object, rules: Rules, place: str) -> Iterator[Piece]:
    if isinstance(part, str):
        yield part
    else:
        mapping = _mapping(part, place)
        yield from _READERS.get(_kind(mapping), _other_pieces)(mapping, rules, place)


def _kind(part: Mapping[str, Any]) -> str:
    """The type of a part; a part of Gemini has a key of this name instead."""
    kind = part.get("type")
    return kind if isinstance(kind, str) else next((key for key in _READERS if key in part), "")


def _text_pieces(part: Mapping[str, Any], _: Rules, place: str) -> Iterator[Piece]:
    yield _text(part.get("text"), f"{place}.text")
    yield from _rest(part, ("text",), place)


def _refusal_pieces(part: Mapping[str, Any], _: Rules, place: str) -> Iterator[Piece]:
    yield _text(part.get("refusal"), f"{place}.refusal")
    yield from _rest(part, ("refusal",), place)


def _reasoning_pieces(part: Mapping[str, Any], rules: Rules, place: str) -> Iterator[Piece]:
    read = [key for key in _REASONING_KEYS if isinstance(part.get(key), str)]
    yield from (part[key] for key in read)
    for key in _REASONING_LISTS:
        if isinstance(part.get(key), str | list | tuple):
            read.append(key)
            yield from _content_pieces(part[key], rules, f"{place}.{key}")
    readable = sum(len(part[key]) for key in read if isinstance(part[key], str))
    for key in (*_OPAQUE_KEYS, "data"):
        value = part.get(key)
        if isinstance(value, str) and is_base64(value):
            read.append(key)
            # The signature of a thought is the same thought again, encrypted.
            yield opaque(value, readable)
    yield from _rest(part, read, place)


def _image_pieces(part: Mapping[str, Any], rules: Rules, place: str) -> Iterator[Piece]:
    blob = part.get("inline_data", part.get("inlineData"))
    if isinstance(blob, Mapping) and not _is_image(blob):
        yield from _other_pieces(part, rules, place)
        return
    image = _image_in(part)
    rule = rules.images or UNSTATED
    yield rule.tokens(None if image is None else size_of(image), _detail(part))
    yield from _around_image(part, place)


def _around_image(holder: Mapping[str, Any], place: str) -> Iterator[Piece]:
    """What is in an image part besides the image: nothing, as a rule."""
    read = [key for key in _IMAGE_KEYS if isinstance(holder.get(key), str | bytes | Mapping)][:1]
    for key in read:
        value = holder[key]
        if isinstance(value, Mapping):
            yield from _around_image(value, f"{place}.{key}")
        elif isinstance(value, str) and not _is_picture(value):
            yield value
    yield from _rest(holder, read, place)


def _is_picture(value: str) -> bool:
    """Whether this can be an address, or the bytes of an image."""
    is_address = len(value) <= _LONGEST_ADDRESS and not value.startswith("data:")
    return (is_address and len(value.split()) <= 1) or is_data_url(value) or is_base64(value)


def _use_pieces(part: Mapping[str, Any], rules: Rules, place: str) -> Iterator[Piece]:
    yield from _call_pieces(part, rules, place)


def _result_pieces(part: Mapping[str, Any], rules: Rules, place: str) -> Iterator[Piece]:
    yield from _around_result(part.get("content"), rules)
    yield from _content_pieces(part.get("content"), rules, f"{place}.content")
    yield from _rest(part, ("content",), place)


def _other_pieces(part: Mapping[str, Any], _: Rules, place: str) -> Iterator[Piece]:
    yield from written(part, place)


_REASONING_KEYS: Final = ("thinking", "reasoning", "text")
_REASONING_LISTS: Final = ("summary", "content")
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
_READERS: Final[Mapping[str, Callable[[Mapping[str, Any], Rules, str], Iterator[Piece]]]] = (
    MappingProxyType(
        {
            **dict.fromkeys(("text", "input_text", "output_text"), _text_pieces),
            **dict.fromkeys(("summary_text", "reasoning_text"), _text_pieces),
            "refusal": _refusal_pieces,
            **dict.fromkeys(("thinking", "reasoning", "redacted_thinking"), _reasoning_pieces),
            **dict.fromkeys(("image_url", "input_image", "image"), _image_pieces),
            **dict.fromkeys(("inline_data", "inlineData"), _image_pieces),
            **dict.fromkeys(("server_tool_use", *sorted(CALL_KINDS)), _use_pieces),
            "tool_result": _result_pieces,
        }
    )
)


def _around_result(content: object, rules: Rules) -> Iterator[Piece]:
    """The JSON that Gemini's format writes around the texts of a result."""
    if rules.framing.json_results:
        several = len(content) if isinstance(content, list | tuple) else 1
        yield compact({"output": "" if several == 1 else [""] * several}, "content")


def _call_pieces(call: object, rules: Rules, place: str) -> Iterator[Piece]:
    yield rules.framing.per_tool_call
    outer = _mapping(call, place)
    holder = next((key for key in _CALL_KEYS if key in outer), None)
    function = outer if holder is None else _mapping(outer[holder], place)
    if function.get("name") is not None:
        name = _text(function["name"], f"{place}.name")
        yield name
        if rules.framing.json_results:
            yield name  # the result says it again
    given = next((key for key in _ARGUMENT_KEYS if key in function), None)
    arguments = function[given] if given is not None else None
    if isinstance(arguments, str):
        yield arguments
    elif arguments is not None:
        yield from written(arguments, f"{place}.arguments")
    yield from _rest(function, ("name", given), place)
    if holder is not None:
        yield from _rest(outer, (holder,), place)


_CALL_KEYS: Final = ("function", "custom", "function_call", "functionCall")
_MESSAGES: Final = (
    "Pass {'role': 'user', 'content': '...'}, or messages of an SDK (OpenAI, Anthropic, Google), "
    "of LangChain or of pydantic-ai."
)
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


def written(value: object, place: str) -> Iterator[Piece]:
    """A value as compact JSON, without its files, and what the files cost."""
    rest, files = without_files(value)
    yield compact(rest, place)
    yield from files


def compact(value: object, place: str) -> str:
    """A value as compact JSON."""
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
