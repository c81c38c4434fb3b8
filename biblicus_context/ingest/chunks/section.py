"""What a reader returns: a file's sections, before they are cut into blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, TypeAlias

from biblicus_context.errors import ContextError
from biblicus_context.stores.model import Json

SectionKind: TypeAlias = Literal["prose", "code", "turn", "record", "row"]
"""A row is a record of a file with so many records that small ones share blocks."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document that belongs together: below one heading, one function, one turn."""

    text: str
    first_line: int | None = None
    """Its first line in the source, from 1; None if the source has no lines, as a PDF."""
    heading: tuple[str, ...] = ()
    kind: SectionKind = "prose"
    session: str | None = None
    metadata: Mapping[str, Json] = field(default_factory=dict)
    name: str = ""
    """Of a unit of code, or of a speaker."""
    summary: str = ""
    """The docstring of a unit of code."""
    language: str | None = None
    """Of the code that it is, if that is not the language of the file."""
    last_line: int | None = None
    """Its last line in the source, if that does not follow from the lines of its text."""

    @property
    def is_record(self) -> bool:
        """Whether it stands alone: what is next to it in the file is about something else."""
        return self.kind in {"record", "row"}

    @property
    def joins(self) -> bool:
        """Whether a short one may share a block with the next."""
        return self.kind in {"prose", "code", "row"}


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file as a document: its properties, and its sections in order."""

    kind: str
    sections: tuple[Section, ...]
    title: str = ""
    created: datetime | None = None
    updated: datetime | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Json] = field(default_factory=dict)
    language: str = ""
    """Of source code."""
    notes: tuple[str, ...] = ()
    """Remarks on what could not be read as intended, shown in the summary."""
    confidence: float | None = None
    importance: float | None = None
    """Both from 0 to 1."""
    parent: str | None = None
    position: int | None = None
    superseded_by: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None


class UnreadableError(ContextError):
    """Raised by a reader: the file is skipped, and the summary of the ingest says why."""


_MOST: Final = 10


def first_notes(notes: Sequence[str], more: str) -> tuple[str, ...]:
    """The first notes, and the number of further ones.

    >>> first_notes([f"line {n} is odd" for n in range(1, 1_013)], "more lines are odd")[9:]
    ('line 10 is odd', '1,002 more lines are odd')
    """
    left = len(notes) - _MOST
    return (*notes[:_MOST], f"{left:,} {more}") if left > 0 else tuple(notes)
