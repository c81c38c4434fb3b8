"""What a reader makes of a file: its sections, before they are cut into blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, TypeAlias

from biblicus_context.errors import ContextError
from biblicus_context.stores.model import Json

SectionKind: TypeAlias = Literal["prose", "code", "turn", "record", "row"]
"""A row is a record among so many that small ones share blocks."""


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of a document that belongs together: below one heading, one function, one turn."""

    text: str
    first_line: int | None = None
    """Where it begins in the source, from 1; None where the source has no lines to speak of."""
    heading: tuple[str, ...] = ()
    kind: SectionKind = "prose"
    session: str | None = None
    metadata: Mapping[str, Json] = field(default_factory=dict)
    name: str = ""
    """Of a unit of code, or of a speaker."""
    summary: str = ""
    """The docstring of a unit of code."""
    last_line: int | None = None
    """Where it ends, if not as many lines below as its text has."""

    @property
    def joins(self) -> bool:
        """Whether a short one may share a block with the next."""
        return self.kind in {"prose", "code", "row"}


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file as a document: what is known of it, and its sections in order."""

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
    """What could not be read as it was meant."""
    confidence: float | None = None
    importance: float | None = None
    """Both from 0 to 1."""


class UnreadableError(ContextError):
    """The file is left out, and the summary of the ingest says why."""


_MOST: Final = 10


def told(notes: Sequence[str], more: str) -> tuple[str, ...]:
    """The first of the notes, and how many more there are of what.

    >>> told([f"line {n} is odd" for n in range(1, 1_013)], "more lines are odd")[9:]
    ('line 10 is odd', '1,002 more lines are odd')
    """
    left = len(notes) - _MOST
    return (*notes[:_MOST], f"{left:,} {more}") if left > 0 else tuple(notes)
