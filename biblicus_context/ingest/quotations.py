"""Recalled evidence in a text that is ingested: it must not become evidence again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple, TypeAlias

from biblicus_context.ingest.chunks.section import Section
from biblicus_context.retrieval.packs.quotations import quotations_in, without_quotations

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
