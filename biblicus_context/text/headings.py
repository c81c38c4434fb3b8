"""Lines that look like structure of Markdown, written so that they are words and no structure."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from biblicus_context.base.doors import door

_BREAK: Final = r"\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
"""Whatever a reader may take for the end of a line; Markdown only knows the first two."""
_UNSEEN: Final = (
    r"\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"  # controls
    # What Unicode calls default ignorable, and marks of annotations.
    r"\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    r"\U000e0000-\U000e0fff"
)
"""Characters that show nothing: between two marks they change what a parser reads, and not what is seen."""
_BLANK: Final = rf" \t\x1f\xa0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000{_UNSEEN}"
_BEGIN: Final = rf"(?:\A|(?<=[{_BREAK}]))"
_END: Final = rf"(?=[{_BREAK}]|\Z)"
_REST: Final = rf"[{_BLANK}]*{_END}"


def _marks_of(mark: str, times: str) -> str:
    """A mark several times, and nothing that is seen between."""
    return rf"(?:{mark}[{_UNSEEN}]*+){times}"


def _line_of(mark: str, times: str) -> str:
    """A line of nothing but a mark."""
    return rf"(?:{mark}[{_BLANK}]*+){times}{_END}"


_IN_LISTS: Final = (
    rf"{_marks_of('#', '{1,6}')}(?:[{_BLANK}]|{_END})"
    rf"|{_line_of('-', '+')}|{_line_of('=', '+')}|{_line_of('[*]', '{3,}')}|{_line_of('_', '{3,}')}"
    rf"|<h[1-6r](?![\w-])|{_marks_of('`', '{3}')}|{_marks_of('~', '{3}')}"
)
"""Headings, rules and fences, which are that in a quote and in an item of a list as well."""
_STRUCTURE: Final = (
    rf"{_IN_LISTS}"
    # What may reach to the end of the context, whatever follows it: HTML that is not read.
    r"|<[!?]|<(?:script|style|pre|textarea)(?![\w-])"
    # As items begin and footers are: **Memory**, <b>Memory</b>, [Title] [page], *3 items*.
    rf"|{_marks_of('[*_]', '{2,}+')}(?![*_{_BLANK}\n\r]|\Z)"
    rf"|[*_]++[{_UNSEEN}]|[*_]*?(?:\*_|_\*)|<(?:b|strong|em|i|u|mark)(?![\w-])"
    rf"|\[(?!…\]{_REST})[^{_BREAK}]*\]{_REST}"
    rf"|\*[^\s*][^{_BREAK}]*\*{_REST}|_[^\s_][^{_BREAK}]*_{_REST}"
)
_QUOTED: Final = rf"(?:>[{_BLANK}]*+)++"
_LISTED: Final = rf"(?:(?:>|(?:[-*+]|\d{{1,9}}[.)])(?=[{_BLANK}]))[{_BLANK}]*+)++"
"""The marks of quotes and of items of lists in front of a line."""
_TAGS: Final = rf"(?:</?[a-z][^<>{_BREAK}]*+>[{_BLANK}]*+)*?"
"""HTML in front of HTML: one backslash would leave the second tag what it is."""
_MARKS: Final = re.compile(rf"{_BEGIN}[{_BLANK}]*#{{1,6}}[{_BLANK}]+")


@cache
def _looks_like_structure() -> re.Pattern[str]:
    """Compiled for the first text: it takes as long as a tenth of the modules of a short command."""
    return re.compile(
        rf"{_BEGIN}([{_BLANK}]*+)(?:(?={_STRUCTURE})"
        rf"|({_QUOTED})(?={_IN_LISTS})"
        rf"|({_LISTED})(?={_IN_LISTS}|{_line_of('[*]', '+')})"
        rf"|((?>{_LISTED})?)({_TAGS})(?=<h[1-6r](?![\w-]))"
        rf"|({_TAGS})(?=<(?:b|strong)(?![\w-])))(.)",
        re.IGNORECASE,
    )


@door
def escaped_headings(text: str) -> str:
    r"""The text with a backslash before each line that would look like structure around it.

    These are lines that Markdown reads as a heading, a rule or a fence of code, that begin a comment
    or other HTML without an end, that begin with bold words, or that are nothing but emphasised words
    or brackets: so begin the items, and so end the texts, of the plans that ship with this package.
    Headings, rules and fences in a quote or a list are among them, and so is what only looks the same, by
    spaces that Markdown does not know and characters that nobody sees.
    A block of code becomes words: a fence that a shortening leaves open would hide all that follows.

    >>> print(escaped_headings("# Sales\nUp.\n---\n[Plans] [page]\n> ## Costs"))
    \# Sales
    Up.
    \---
    \[Plans] [page]
    > \## Costs
    """
    return _looks_like_structure().sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    blank, quoted, listed, listed_of_html, tags, bold_tags, first = match.groups(default="")
    before = (tags + bold_tags).replace("<", "\\<")
    return f"{blank}{quoted}{listed}{listed_of_html}{before}\\{first}"


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
