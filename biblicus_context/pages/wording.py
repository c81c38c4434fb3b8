"""A message as text for people: what it says, then what it calls."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_BESIDES = frozenset({"role", "content"})
_FILE = re.compile(r"(?:data:[^,]{0,200};base64,)?[A-Za-z0-9+/_-]{400,}=*")
_BEGIN = 40


def message_text(message: Mapping[str, Any]) -> str:
    """The text of a message; what is not text is written as JSON, a line for each part.

    Of a file written as base64 the beginning is shown, its length and its hash.

    >>> print(message_text({"role": "assistant", "content": "Let me look.", "name": "Ada"}))
    Let me look.
    {"name": "Ada"}
    """
    return "\n".join(_lines(message))


def _lines(message: Mapping[str, Any]) -> Iterator[str]:
    content = message.get("content")
    if isinstance(content, str):
        yield content
    else:
        yield from map(_part, content or ())
    others = {key: value for key, value in message.items() if key not in _BESIDES}
    if others:
        yield _as_json(others)


def _part(part: Any) -> str:
    if isinstance(part, Mapping) and part.get("type") == "text" and set(part) == {"type", "text"}:
        return str(part["text"])
    return part if isinstance(part, str) else _as_json(part)


def _as_json(value: object) -> str:
    return json.dumps(_readable(value), ensure_ascii=False, default=str)


def _readable(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _readable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_readable(item) for item in value]
    if isinstance(value, str) and _FILE.fullmatch(value):
        return f"{value[:_BEGIN]}... ({len(value):,} characters, {_hash(value)})"
    return value


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
