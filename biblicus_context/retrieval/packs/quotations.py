"""Finds evidence of earlier results in a text, by the fence that was written around it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

_SIGN: Final = "<evidence-"
_TAG: Final = re.compile(r'<(/?)(evidence-[0-9a-f]{8})(?: id="([0-9a-f]{8})")?>')
_INLINE_ID: Final = re.compile(r"\n\[([0-9a-f]{8})\]")


class Quotation(NamedTuple):
    """A fence with what is in it."""

    start: int
    end: int
    id: str
    """The citation id of the evidence; empty if the fence has none."""


def quotations_in(text: str) -> tuple[Quotation, ...]:
    """The fences in a text, in order; a tag without its counterpart is not a quotation.

    Evidence can spell no tag of a fence, so the nearest opening tag is the right one.

    >>> said = 'Noted: <evidence-b4ed9ad4 id="b2ebe4ec">\\nAsk twice.\\n</evidence-b4ed9ad4> Thanks.'
    >>> quotations_in(said)
    (Quotation(start=7, end=72, id='b2ebe4ec'),)
    """
    return tuple(_found(text)) if _SIGN in text else ()


def without_quotations(text: str, found: Sequence[Quotation], *, keep_lines: bool) -> str:
    """The text without these quotations; `keep_lines` leaves their line breaks."""
    parts, end = [], 0
    for quotation in found:
        parts.append(text[end : quotation.start])
        if keep_lines:
            parts.append("\n" * text.count("\n", quotation.start, quotation.end))
        end = quotation.end
    return "".join([*parts, text[end:]])


def _found(text: str) -> Iterator[Quotation]:
    opened: re.Match[str] | None = None
    for tag in _TAG.finditer(text):
        if not tag[1]:
            opened = tag
        elif opened is not None and opened[2] == tag[2]:
            inline = _INLINE_ID.match(text, opened.end())
            yield Quotation(opened.start(), tag.end(), opened[3] or (inline[1] if inline else ""))
            opened = None
