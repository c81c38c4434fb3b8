"""Splitters of text: at blank lines, at lines, at list items, and last between words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

from biblicus_context.text.counters import Counter
from biblicus_context.text.cutting.cutting import longest_start

Cut: TypeAlias = Callable[[str], Sequence[str]]
"""Splits a text; the joined parts are the text again."""

SURELY_MORE: Final = 16
"""Characters for each token; a text with more of them is too large without being counted."""
_CRAMMED: Final = 32
"""Characters that are tried first if not even one grapheme fits."""

_BLANK: Final = re.compile(r"\n(?:[ \t]*+\n)++")
_FENCE: Final = re.compile(r"^ {0,3}(```+|~~~+)", re.MULTILINE)
_ITEM: Final = re.compile(r"^[ \t]*+(?:[-*+•]|[0-9]{1,3}[.)]|\|)[ \t]++(?=\S)", re.MULTILINE)


def paragraphs(text: str) -> list[str]:
    """Paragraphs with the blank lines after them; fenced code is one paragraph, blank lines included.

    >>> paragraphs("One.\\n\\n```\\na\\n\\nb\\n```\\n\\nTwo.")
    ['One.\\n\\n', '```\\na\\n\\nb\\n```\\n\\n', 'Two.']
    """
    fences = _fences(text)
    fence = next(fences, None)
    borders = [0]
    for blank in _BLANK.finditer(text):
        while fence is not None and fence[1] <= blank.start():
            fence = next(fences, None)
        if fence is None or blank.start() < fence[0]:
            borders.append(blank.end())
    borders.append(len(text))
    return [text[a:b] for a, b in pairwise(borders) if a < b]


def lines(text: str) -> list[str]:
    """Lines with their ends."""
    return text.splitlines(keepends=True)


def items(text: str) -> list[str]:
    """List items and rows of a table; lines of fenced code; other lines stay together.

    >>> items("Two:\\n- one\\n  and more\\n- two\\n")
    ['Two:\\n', '- one\\n  and more\\n', '- two\\n']
    """
    if _FENCE.match(text.lstrip("\n")):
        return lines(text)
    starts = [found.start() for found in _ITEM.finditer(text) if found.start()]
    return [text[a:b] for a, b in pairwise([0, *starts, len(text)]) if a < b]


def words(most: int, counter: Counter) -> Cut:
    """The longest parts of at most `most` tokens; white space stays with the part before it."""

    def cut(text: str) -> list[str]:
        parts: list[str] = []
        start = 0
        while start < len(text):
            window = text[start : start + SURELY_MORE * most]
            part = longest_start(window, most, counter) or _crammed(window, most, counter)
            space = len(window) - len(part) - len(window[len(part) :].lstrip())
            parts.append(window[: len(part) + space])
            start += len(parts[-1])
        return parts

    return cut


def _crammed(text: str, most: int, counter: Counter) -> str:
    """A part of a grapheme that has more tokens than fit."""
    size = _CRAMMED
    while size > 1 and counter.count(text[:size]) > most:
        size //= 2
    return text[:size]


def _fences(text: str) -> Iterator[tuple[int, int]]:
    """Where fenced code begins and ends; an unclosed fence ends with the text."""
    if "```" not in text and "~~~" not in text:
        return
    opened, start = "", 0
    for mark in _FENCE.finditer(text):
        end = text.find("\n", mark.end())
        end = len(text) if end < 0 else end
        if not opened:
            opened, start = mark[1], mark.start()
        elif mark[1].startswith(opened) and not text[mark.end() : end].strip():
            yield start, end
            opened = ""
    if opened:
        yield start, len(text)
