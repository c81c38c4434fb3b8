"""What a program writes: a document with its text, before it is cut and embedded."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from biblicus_context.retrieval.origin import NOWHERE, Origin
from biblicus_context.stores import EVERYBODY, Metadata, Readers


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPart:
    """A text of its own inside a record: one turn of a conversation, or one view of an experience.

    A part is found by itself. A part with a `speaker` or a `session` is a turn.
    """

    text: str
    heading: tuple[str, ...] = ()
    """The headings above it, outermost first; they are searched with the text."""
    speaker: str = ""
    session: str | None = None
    origin: Origin = NOWHERE
    """Where it comes from; what is not known is as in the record."""
    metadata: Metadata = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RelationTo:
    """A typed arrow from a record to another document."""

    target: str
    type: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A memory, a note, a conversation, or whatever else a program writes as one document.

    Its text is in `text` or in `parts`. Without a text it is listed and related, and never found.
    """

    id: str
    text: str = ""
    parts: tuple[RecordPart, ...] = ()
    kind: str = "document"
    title: str = ""
    path: str | None = None
    uri: str | None = None
    created: datetime | None = None
    updated: datetime | None = None
    confidence: float | None = None
    importance: float | None = None
    conversation: str | None = None
    origin: Origin = NOWHERE
    """Where it comes from: the session and the messages, the file, or the commit."""
    parent: str | None = None
    """The document that it is part of, by id."""
    position: int | None = None
    """Its place among the documents with the same parent."""
    superseded_by: str | None = None
    """The document that replaces it, by id."""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    tags: tuple[str, ...] = ()
    metadata: Metadata = field(default_factory=dict)
    readers: Readers = EVERYBODY
    relations: tuple[RelationTo, ...] = ()
    """Written in addition to the relations that the document has."""
