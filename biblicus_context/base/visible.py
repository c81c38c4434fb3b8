"""Text in which no character of data can steer a terminal, a log or a page."""

from __future__ import annotations

import re
from typing import Final

CONTROLS: Final = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]|\r(?!\n)"
)
"""Characters that move the cursor, change colours, break lines or reverse the order of letters."""


def visible(text: str) -> str:
    r"""The text with an escape for each control character; line breaks and tabs stay.

    >>> visible("red: \x1b[31m, reversed: \u202e")
    'red: \\x1b[31m, reversed: \\u202e'
    """
    return CONTROLS.sub(_escape, text)


def one_line(text: str) -> str:
    """The same on one line: the name of a file may have line breaks."""
    return visible(text).replace("\n", "\\x0a").replace("\r", "\\x0d")


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
