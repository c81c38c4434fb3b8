"""Bytes become text: UTF-8, no invisible characters, not too much of it."""

from __future__ import annotations

import re

from biblicus_context.errors import LoadError
from biblicus_context.reading.yaml.tree import Place

MAX_BYTES = 1024 * 1024
"""What one file may hold, and characters in a text; more is refused before it is parsed."""

# Line separators are refused too: YAML 1.1 readers end a line there and editors do not.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]"
)
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def as_text(data: bytes | str, file: str) -> str:
    """The text of a file, without its byte order mark."""
    if len(data) > MAX_BYTES:
        raise too_large(file)
    text = _decoded(data, file) if isinstance(data, bytes) else data
    text = text.removeprefix("\ufeff")
    hidden = _INVISIBLE.search(text)
    if hidden:
        raise _place(text[: hidden.start()]).error(
            file,
            "control character",
            found=hidden.group(),
            fix='Remove it, or write it as an escape in double quotes, such as "\\u2028".',
            mistake="control-character",
        )
    return text


def too_large(file: str) -> LoadError:
    """The error for a file beyond the limit."""
    return LoadError(
        f"the file is larger than {MAX_BYTES:,} bytes",
        file=file,
        fix="Split it, and move long texts into a corpus.",
        mistake="file-too-large",
    )


def _decoded(data: bytes, file: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        place = _place(data[: error.start].decode("utf-8").removeprefix("\ufeff"))
        is_utf_16 = data.startswith(_UTF_16)
        raise place.error(
            file,
            "UTF-16 is not supported" if is_utf_16 else "the file is not valid UTF-8",
            found=data[error.start : error.start + 1],
            fix="Save the file as UTF-8.",
            mistake="invalid-utf-8",
        ) from None


def _place(before: str) -> Place:
    lines = re.split(r"\r\n|\r|\n", before)
    return Place(len(lines), len(lines[-1]) + 1)
