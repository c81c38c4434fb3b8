"""Headings and rules of Markdown in a text, written so that they are words and no structure."""

from __future__ import annotations

import re
from typing import Final

_BEGIN: Final = r"(?:\A|(?<=[\r\n]))"
_END: Final = r"(?=[\r\n]|\Z)"
_STRUCTURE: Final = re.compile(
    rf"{_BEGIN}([ \t]*)(?=#{{1,6}}(?:[ \t]|{_END})"
    rf"|(?:(?:-[ \t]*){{3,}}|(?:\*[ \t]*){{3,}}|(?:_[ \t]*){{3,}}|=+[ \t]*|-+[ \t]*){_END})"
)
_MARKS: Final = re.compile(rf"{_BEGIN}[ \t]*#{{1,6}}[ \t]+")


def escaped_headings(text: str) -> str:
    r"""The text with a backslash before each line that Markdown reads as a heading or a rule.

    >>> print(escaped_headings("# Sales\nUp.\n---"))
    \# Sales
    Up.
    \---
    """
    return _STRUCTURE.sub(r"\1\\", text)


def without_heading_marks(text: str) -> str:
    """The text with its headings as plain lines.

    >>> without_heading_marks("# Sales")
    'Sales'
    """
    return escaped_headings(_MARKS.sub("", text))
