"""A chunk: a stretch of a section with its tokens, and its lines in the source."""

from __future__ import annotations

from typing import NamedTuple

from biblicus_context.ingest.chunks.section import Section


class Chunk(NamedTuple):
    """A piece of a section, and where it stands in the source."""

    section: Section
    text: str
    tokens: int
    lines: tuple[int, int] | None


def chunk_of(section: Section, start: int, end: int, tokens: int) -> Chunk:
    """The chunk that a section's text is between two places."""
    return Chunk(section, section.text[start:end], tokens, _lines(section, start, end))


def _lines(section: Section, start: int, end: int) -> tuple[int, int] | None:
    if section.first_line is None:
        return None
    if section.last_line is not None:
        return section.first_line, section.last_line
    first = section.first_line + section.text.count("\n", 0, start)
    return first, first + section.text.count("\n", start, end)
