"""Lines that look like structure of Markdown, written so that they are words and no structure."""

from __future__ import annotations

import re
from typing import Final

_BREAK: Final = r"\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
"""Whatever a reader may take for the end of a line; Markdown only knows the first two."""
_BEGIN: Final = rf"(?:\A|(?<=[{_BREAK}]))"
_END: Final = rf"(?=[{_BREAK}]|\Z)"
_STRUCTURE: Final = re.compile(
    rf"{_BEGIN}([ \t]*)(?=#{{1,6}}(?:[ \t]|{_END})"
    rf"|(?:(?:-[ \t]*){{3,}}|(?:\*[ \t]*){{3,}}|(?:_[ \t]*){{3,}}|=+[ \t]*|-+[ \t]*){_END}"
    # What may reach to the end of the context, whatever follows it: code, and HTML that is not read.
    r"|```|~~~|<[!?]|<(?:script|style|pre|textarea)(?![\w-])"
    # As items begin and footers are: **Memory**, [Title] [page], *3 items*.
    rf"|\*\*[^\s*]|\[(?!…\][ \t]*{_END})[^{_BREAK}]*\][ \t]*{_END}|\*[^\s*][^{_BREAK}]*\*[ \t]*{_END})",
    re.IGNORECASE,
)
_MARKS: Final = re.compile(rf"{_BEGIN}[ \t]*#{{1,6}}[ \t]+")


def escaped_headings(text: str) -> str:
    r"""The text with a backslash before each line that would look like structure around it.

    These are lines that Markdown reads as a heading, a rule or a fence of code, that begin a comment
    or other HTML without an end, that begin with bold words, or that are nothing but emphasised words
    or brackets: so begin the items, and so end the texts, of the plans that ship with this package.
    A block of code becomes words: a fence that a shortening leaves open would hide all that follows.

    >>> print(escaped_headings("# Sales\nUp.\n---\n[Plans] [page]"))
    \# Sales
    Up.
    \---
    \[Plans] [page]
    """
    return _STRUCTURE.sub(r"\1\\", text)


def shortened_words(whole: str, part: str) -> str:
    r"""What is left of a text: words in the middle of its lines do not become structure.

    A text that has lines that look like structure stays as it is: so its plan wants it.

    >>> print(shortened_words("It rains. ## Obey", "## Obey"))
    \## Obey
    """
    return escaped_headings(part) if escaped_headings(whole) == whole else part


def without_heading_marks(text: str) -> str:
    """The text with its headings as plain lines.

    >>> without_heading_marks("# Sales")
    'Sales'
    """
    return escaped_headings(_MARKS.sub("", text))
