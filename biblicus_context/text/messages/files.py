"""Files in messages: what is declared as a file is not text, and gets a figure of its own.

Nobody publishes what a file costs before it is read, so these figures are estimates on the high side.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

PDF_PAGE: Final = 3_000
"""The larger figure of what Anthropic states for a page; others are below it."""
_BYTES_PER_TOKEN: Final = {"application/pdf": 64, "audio": 64, "video": 64}
"""Speech at the lowest usual bit rate costs a token per 64 bytes where a second costs 32 tokens."""
_BYTES_PER_OTHER_TOKEN: Final = 4
_BASE64: Final = re.compile(
    r"(?=[A-Za-z0-9+/_-])(?:[A-Za-z0-9+/_-]{60,}\r?\n)*+[A-Za-z0-9+/_-]*={0,2}(?:\r?\n)?"
)
"""On one line, or on long ones as mail has them: words one a line are not base64."""
_DATA_URL: Final = re.compile(r"data:([\w.+-]+/[\w.+-]+)(?:;[\w.+-]+=[\w.+-]+)*;base64,")
_URL_SAFE: Final = str.maketrans("-_", "+/")
_PAGE: Final = re.compile(rb"/Type\s*/Page(?!s)")
_TYPE_KEYS: Final = ("media_type", "mime_type", "mimeType")
_URL_KEYS: Final = frozenset({"file_data", "url", "data", "file_url", "image_url"})


class Guess(int):
    """Tokens that are an estimate."""

    kind: str

    def __new__(cls, tokens: int, kind: str) -> Guess:
        guess = super().__new__(cls, tokens)
        guess.kind = kind
        return guess


class _File(NamedTuple):
    content: str | bytes
    media_type: str


def without_files(value: object) -> tuple[object, list[str | Guess]]:
    """The value with an empty text for each declared file, and what the files cost.

    >>> without_files({"type": "base64", "media_type": "audio/wav", "data": "aaaa" * 64})
    ({'type': 'base64', 'media_type': 'audio/wav', 'data': ''}, [3])
    >>> without_files({"type": "text", "media_type": "text/plain", "data": "aaaa" * 64})[1]
    []
    """
    costs: list[str | Guess] = []
    return _without_files(value, costs), costs


def _without_files(value: object, costs: list[str | Guess]) -> object:
    if isinstance(value, bytes):
        costs.append(_cost(_File(value, "")))
        return ""
    if isinstance(value, list | tuple):
        return [_without_files(item, costs) for item in value]
    if not isinstance(value, Mapping):
        return value
    copied: dict[Any, object] = {}
    for key, item in value.items():
        file = _declared(value, key, item)
        if file is None:
            copied[key] = _without_files(item, costs)
        else:
            costs.append(_cost(file))
            copied[key] = ""
    return copied


def _declared(holder: Mapping[Any, Any], key: object, item: object) -> _File | None:
    """The file under a key, if the keys next to it say that it is one, and it can be."""
    types = (holder.get(name) for name in _TYPE_KEYS)
    media_type = next((each for each in types if isinstance(each, str)), "")
    if isinstance(item, bytes):
        return _File(item, media_type)
    if not isinstance(item, str):
        return None
    if key in _URL_KEYS:
        url = _DATA_URL.match(item)
        if url is not None and is_base64(item, url.end()):
            return _File(item[url.end() :], url[1])
    is_said = (key == "data" and _says_base64(holder, media_type)) or key in ("base64", "file_data")
    return _File(item, media_type or _sound_type(holder)) if is_said and is_base64(item) else None


def _says_base64(holder: Mapping[Any, Any], media_type: str) -> bool:
    kind = holder.get("source_type", holder.get("type"))
    if kind is None:
        return bool(media_type) or "format" in holder
    return kind == "base64" or (kind != "text" and bool(media_type))


def _sound_type(holder: Mapping[Any, Any]) -> str:
    return "audio" if "format" in holder else ""


def is_base64(text: str, start: int = 0) -> bool:
    """Whether a text can be the base64 of something."""
    return _BASE64.fullmatch(text, start) is not None


def is_data_url(text: str) -> bool:
    """Whether a text is a data URL with a type and base64."""
    url = _DATA_URL.match(text)
    return url is not None and is_base64(text, url.end())


def _cost(file: _File) -> str | Guess:
    content = _decoded(file.content)
    media_type = file.media_type
    if media_type.startswith("text/") or media_type == "application/json":
        return content.decode(errors="replace")
    kind = media_type.partition("/")[0]
    if media_type == "application/pdf" or content.startswith(b"%PDF-"):
        pages = len(_PAGE.findall(content)) or 1
        return Guess(max(PDF_PAGE * pages, len(content) // 64), "PDF files")
    per_token = _BYTES_PER_TOKEN.get(kind, _BYTES_PER_OTHER_TOKEN)
    return Guess(
        len(content) // per_token, f"{kind} files" if kind in ("audio", "video") else "files"
    )


def _decoded(content: str | bytes) -> bytes:
    if isinstance(content, bytes):
        return content
    usual = content.translate(_URL_SAFE).rstrip("=\r\n")
    try:
        return binascii.a2b_base64(usual + "=" * (-len(usual) % 4))
    except binascii.Error:
        return content.encode()


def opaque(text: str, readable: int = 0) -> Guess:
    """The cost of encrypted reasoning; `readable` characters of it are counted as text already.

    >>> int(opaque("Eq0B" * 100, readable=80))
    80
    """
    return Guess(max(0, len(text) - readable) // _BYTES_PER_OTHER_TOKEN, "encrypted reasoning")


def guessed_kinds(pieces: Iterable[object]) -> set[str]:
    """What the estimates among these pieces are for."""
    return {piece.kind for piece in pieces if isinstance(piece, Guess) and piece}
