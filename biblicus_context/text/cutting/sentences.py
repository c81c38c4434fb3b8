"""Sentences: the parts of a text that can be read alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from biblicus_context.base.surrogates import replaced
from biblicus_context.text.cutting.graphemes import boundary_before

PARAGRAPH_BREAK: Final = re.compile(r"((?>\r\n|\n|\r)(?:[ \t]*+(?>\r\n|\n|\r))++)")
"""The line breaks, two or more, between paragraphs."""

_OPENS_AN_ITEM: Final = re.compile(r"[ \t]*+(?:[-*+•]|[0-9]{1,3}[.)]|#{1,6}|\|)[ \t]++(?=\S)")
_LONG: Final = 10_000
_WINDOW: Final = 2_000
_WIDEST: Final = 8_000
"""A run of this many characters without a sentence end is not a sentence; it is cut."""
_HEADING: Final = re.compile(r"#{1,6}[ \t]")
_WIDE_SPACE_BEFORE_A_PERIOD: Final = re.compile(r"[^\S\x00-\x7f](?=\.)")
"""After a capital letter it makes sentencex 1.0.32 panic, which advances by one byte only."""


def sentences(text: str) -> list[str]:
    """Split a text into sentences, list items, headings and breaks; joined, they are the text.

    >>> sentences("Dr. Ames came. She sat.\\n\\nこれは日本語。次。")
    ['Dr. Ames came. ', 'She sat.', '\\n\\n', 'これは日本語。', '次。']
    """
    found: list[str] = []
    for position, part in enumerate(PARAGRAPH_BREAK.split(text)):
        if position % 2:
            found.append(part)
        elif part:
            for item in _items(part):
                found.extend(_sentences(item))
    return found


def _items(paragraph: str) -> Iterator[str]:
    """Split a paragraph into list items, table rows and headings; other lines stay together."""
    lines: list[str] = []
    for line in paragraph.splitlines(keepends=True):
        if lines and (_OPENS_AN_ITEM.match(line) or _HEADING.match(lines[-1])):
            yield "".join(lines)
            lines = []
        lines.append(line)
    yield "".join(lines)


def _sentences(item: str) -> Iterator[str]:
    opening = _OPENS_AN_ITEM.match(item)
    bare = item[opening.end() :] if opening else item
    begin, end = 0, len(item) - len(bare)
    for part in _segmented(bare):
        end += len(part)
        if boundary_before(item, end) == end:
            yield item[begin:end]
            begin = end


def _segmented(text: str) -> Iterator[str]:
    """Split a text into sentences with sentencex.

    Its time grows with the square of the length for text with quotes, backticks or no spaces, and
    nothing can interrupt it. So it gets long text in windows.
    """
    begin, window = 0, _WINDOW if len(text) > _LONG else len(text)
    while begin < len(text):
        *complete, last = _segmented_at_once(text[begin : begin + window])
        if begin + window >= len(text):
            yield from (*complete, last)
            return
        if not complete and window >= _WIDEST:
            complete = [last[: _seam(last)]]
        yield from complete
        begin += sum(map(len, complete))
        window = _WINDOW if complete else window * 4


def _seam(text: str) -> int:
    """The end of the last line of the second half, else of its last word, else the end."""
    half = len(text) // 2
    return (text.rfind("\n", half) + 1) or (text.rfind(" ", half) + 1) or len(text)


def _segmented_at_once(text: str) -> list[str]:
    from sentencex import segment  # loaded only when sentences are asked for

    narrow = _WIDE_SPACE_BEFORE_A_PERIOD.sub(" ", text)
    try:
        parts: list[str] = segment("en", narrow)
    except UnicodeEncodeError:
        parts = segment("en", replaced(narrow))
    return parts if sum(map(len, parts)) == len(text) else [text]
