"""Recalled evidence in a text that is ingested: it must not become evidence again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple, TypeAlias

from biblicus_context.ingest.chunks.section import Section

Policy: TypeAlias = Literal["drop", "mark", "keep"]

MARK: Final = "quotes"
"""The metadata of a block under which the ids are that it quotes."""


class OwnText(NamedTuple):
    """A text without quotations, and how many it had."""

    text: str
    quotations: int


class OwnSections(NamedTuple):
    """Sections without quotations, or marked, and how many they had."""

    sections: tuple[Section, ...]
    quotations: int


@dataclass(frozen=True, slots=True)
class Quotations:
    """What is done with fenced evidence of earlier results."""

    policy: Policy = "drop"

    def in_text(self, text: str) -> OwnText:
        """A whole file, before it is divided: evidence may have headings of its own."""
        found = quotations_in(text) if self.policy == "drop" else ()
        return OwnText(without_quotations(text, found, keep_lines=True), len(found))

    def in_sections(self, sections: Iterable[Section]) -> OwnSections:
        """The sections as they are indexed; what one of them opens, no other can close."""
        kept, count = [], 0
        for section in sections:
            own, found = self._in_section(section)
            kept.append(own)
            count += found
        return OwnSections(tuple(kept), count)

    def _in_section(self, section: Section) -> tuple[Section, int]:
        found = quotations_in(section.text) if self.policy != "keep" else ()
        if not found:
            return section, 0
        if self.policy == "mark":
            ids = [*dict.fromkeys(each.id for each in found if each.id)]
            return replace(section, metadata={**section.metadata, MARK: ids}), len(found)
        has_lines = section.first_line is not None and section.last_line is None
        text = without_quotations(section.text, found, keep_lines=has_lines)
        return replace(section, text=text), len(found)


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
