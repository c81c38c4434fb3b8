"""Chunks, the future blocks of a document, and how large they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self

from biblicus_context.base.doors import door
from biblicus_context.errors import InputError
from biblicus_context.ingest.chunks.section import Section

if TYPE_CHECKING:
    from biblicus_context.spec.corpus import ChunksSpec


class Chunk(NamedTuple):
    """A part of a section with its tokens, and its lines in the source."""

    section: Section
    text: str
    tokens: int
    lines: tuple[int, int] | None


@dataclass(slots=True)
class ChunkCutter:
    """Makes chunks of sections one after the other; it counts each line of a section once."""

    _section: Section | None = None
    _offset: int = 0
    _line: int = 0

    def chunk(self, section: Section, start: int, end: int, tokens: int) -> Chunk:
        """The chunk between two offsets of a section's text; they rise from chunk to chunk."""
        return Chunk(section, section.text[start:end], tokens, self._lines(section, start, end))

    def _lines(self, section: Section, start: int, end: int) -> tuple[int, int] | None:
        if section.first_line is None:
            return None
        if section.last_line is not None:
            return section.first_line, section.last_line
        first = section.first_line + self._lines_before(section, start)
        return first, first + section.text.count("\n", start, end)

    def _lines_before(self, section: Section, offset: int) -> int:
        # Counted from the start for each chunk, the lines of a large file take quadratic time.
        if section is not self._section or offset < self._offset:
            self._section, self._offset, self._line = section, 0, 0
        self._line += section.text.count("\n", self._offset, offset)
        self._offset = offset
        return self._line


@door
@dataclass(frozen=True, slots=True)
class ChunkSettings:
    """How large chunks are, in tokens."""

    target: int = 200
    """A chunk ends before it would exceed this."""
    most: int = 400
    """No part of a section is larger; text without paragraphs, lines or sentences is cut between words."""
    least: int = 40
    """A smaller section shares a chunk with the next one."""
    whole: int = 1024
    """A record, a unit of code, and a file that is one section stay whole up to this."""

    @classmethod
    def of(cls, spec: ChunksSpec) -> Self:
        """The sizes that the settings of a corpus declare; the defaults keep their proportions."""
        return cls(
            target=spec.tokens,
            most=2 * spec.tokens,
            least=spec.tokens // 5 if spec.least is None else spec.least,
            whole=spec.whole,
        )

    def most_of(self, section: Section, *, is_alone: bool) -> int:
        """The tokens up to which a section is one chunk."""
        stays = is_alone or section.is_record or section.kind == "code"
        return max(self.target, self.whole) if stays else self.target

    def __post_init__(self) -> None:
        if not 0 <= self.least <= self.target <= self.most or self.most < 1:
            raise InputError(
                "chunk sizes have to satisfy 0 <= least <= target <= most, with most at least 1",
                found=f"{self.least}, {self.target}, {self.most}",
            )
