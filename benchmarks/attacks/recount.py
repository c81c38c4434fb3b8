"""What messages hold, counted a second way: another tokenizer, other code, any shape of JSON.

Every text and number counts, under whatever key. Free are short ids, types and marks, addresses of
files, and what is declared as base64: these have figures of the engine's own, which are not zero.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import tiktoken

from benchmarks.peers.offline_ranks import o200k

_IDS = {"id", "type", "role", "status", "kind", "format", "detail", "ttl", "call_id", "file_id"}
_IDS |= {"tool_call_id", "tool_use_id", "media_type", "mime_type", "mimeType", "source_type"}
_FILES = {"data", "base64", "bytes", "file_data", "url", "image_url", "source", "image"}
_SEALED = {"signature", "thought_signature", "thoughtSignature", "encrypted_content"}
_CALLS = ("tool_use", "tool_call", "function_call", "functionCall")
_GEMINI_CALLS = ("function_call", "functionCall")
_GEMINI_RESULTS = ("function_response", "functionResponse")
_LONGEST_ID = 128
_LONGEST_KEY = 40
"""A longer key, or one with other signs, is not a provider's: it is sent, and may say anything."""
_LONGEST_ADDRESS = 2_048


@cache
def _encoding() -> tiktoken.Encoding:
    return o200k()


def tokens(text: str) -> int:
    """Tokens of a text; half a surrogate pair is sent as the sign for an unknown character."""
    sound = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return len(_encoding().encode_ordinary(sound))


def recounted(sent: object, *, numbers: bool = False) -> int:
    """The least that this can cost: all texts in it; also its numbers."""
    texts = [text for text in _texts("", sent) if isinstance(text, str)]
    total = sum(map(tokens, texts))
    if numbers:
        total += sum(tokens(repr(n)) for n in _texts("", sent) if isinstance(n, float | int))
    return total


def _texts(key: str, value: object) -> Iterator[str | int | float]:
    if isinstance(value, str):
        if not (value and _is_exempt(key, value)):
            yield value
    elif isinstance(value, int | float):
        if key != "index" and not isinstance(value, bool):
            yield value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            if len(str(name)) > _LONGEST_KEY or not str(name).isidentifier():
                yield str(name)
            yield from _texts(str(name), item)
    elif isinstance(value, Sequence) and not isinstance(value, bytes):
        for item in value:
            yield from _texts(key, item)


def _is_exempt(key: str, text: str) -> bool:
    if key in _IDS:
        return len(text) <= _LONGEST_ID
    if key in _SEALED:
        return _is_base64(text)
    if key not in _FILES:
        return False
    head, comma, rest = text.partition(",")
    if text.startswith("data:"):
        return head.endswith(";base64") and "/" in head and bool(comma) and _is_base64(rest)
    is_address = len(text) <= _LONGEST_ADDRESS and not any(map(str.isspace, text))
    return is_address or _is_base64(text)


def _is_base64(text: str) -> bool:
    try:
        usual = text.replace("-", "+").replace("_", "/").rstrip("=")
        base64.b64decode(usual + "=" * (-len(usual) % 4), validate=True)
    except (binascii.Error, ValueError):
        return len(text.rstrip("=")) % 4 == 1 and text.rstrip("=").isalnum() and text.isascii()
    return True


def orphans(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """Calls without exactly one result right after them, and results without a call, in any shape."""
    lost: list[str] = []
    waiting: list[str] = []
    for message in messages:
        answers = [*_answers(message)]
        for answer in answers:
            if answer in waiting:
                waiting.remove(answer)
            else:
                lost.append(f"result {answer}")
        calls = [*_calls(message)]
        if calls or not answers:
            lost += [f"call {call}" for call in waiting]
            waiting = calls
    return lost + [f"call {call}" for call in waiting]


def _parts(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = message.get("content")
    return (
        [p for p in content if isinstance(p, Mapping)] if isinstance(content, list | tuple) else []
    )


def _calls(message: Mapping[str, Any]) -> Iterator[str]:
    for call in message.get("tool_calls") or ():
        yield str(call.get("id"))
    if message.get("function_call"):
        yield f"name {message['function_call'].get('name')}"
    for part in _parts(message):
        bodies = [part[key] for key in _GEMINI_CALLS if isinstance(part.get(key), Mapping)]
        yield from map(_named, bodies)
        if not bodies and part.get("type") in _CALLS:
            yield str(part.get("call_id", part.get("id")))


def _answers(message: Mapping[str, Any]) -> Iterator[str]:
    if message.get("role") == "tool":
        yield str(message.get("tool_call_id"))
    if message.get("role") == "function":
        yield f"name {message.get('name')}"
    for part in _parts(message):
        bodies = [part[key] for key in _GEMINI_RESULTS if isinstance(part.get(key), Mapping)]
        yield from map(_named, bodies)
        if not bodies and part.get("type") == "tool_result":
            yield str(part.get("tool_use_id"))
        if not bodies and part.get("type") == "function_call_output":
            yield str(part.get("call_id"))


def _named(body: Mapping[str, Any]) -> str:
    return str(body["id"]) if body.get("id") else f"name {body.get('name')}"
