"""What a program writes: a document with its text, before it is cut and embedded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from operator import attrgetter
from typing import Any, Final

from biblicus_context.base.doors import door
from biblicus_context.errors import InputError
from biblicus_context.retrieval.origin import NOWHERE, ORIGIN, Origin
from biblicus_context.stores import EVERYBODY, Document, Metadata, Readers, checks
from biblicus_context.stores.arguments import checked_document


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


@door
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
    own_readers: bool | None = None
    """Whether the readers were given to itself. False: they are those of its parent, and follow them
    in a `RecordTree`. None: readers that are not everybody are its own."""
    relations: tuple[RelationTo, ...] = ()
    """Written in addition to the relations that the document has."""

    def is_current(self, now: datetime) -> bool:
        """Whether a retriever finds it by default: it is not superseded, and valid at this time."""
        begins, ends = self.valid_from or now, self.valid_to
        return self.superseded_by is None and begins <= now and (ends is None or now < ends)


_FACTS: Final = {each.name for each in fields(Record)} & {each.name for each in fields(Document)}
_SHARED: Final = (*sorted(_FACTS - {"id"}),)
_VALUES: Final = attrgetter(*_SHARED)


def facts(known: Record | Document) -> dict[str, Any]:
    """What records and documents have in common, without the id."""
    return dict(zip(_SHARED, _VALUES(known), strict=True))


def document_of(record: Record) -> Document:
    """What is known of a record, as a document without its text; a wrong value is an InputError."""
    known = {**facts(record), "metadata": with_origin(record.metadata, record.origin, "origin")}
    document = checked_document(Document(id=record.id, **known))
    refuse_no_share(known)
    return document


def refuse_no_share(known: Mapping[str, Any]) -> None:
    """Refuse a confidence or an importance that is a number, but not one from 0 to 1."""
    for name in ("confidence", "importance"):
        value = known.get(name)
        if isinstance(value, int | float) and not 0 <= value <= 1:
            raise InputError("a number from 0 to 1 is expected", place=name, found=value)


def with_origin(metadata: Metadata, origin: Origin, place: str) -> Metadata:
    """The metadata as it is stored: with the origin, cut to the names that are kept."""
    if not isinstance(origin, Origin):
        raise InputError("an Origin is expected", place=place, found=type(origin).__name__)
    checks.mapping(metadata, "metadata")
    kept = Origin.of(origin.as_metadata())
    return {**metadata, ORIGIN: kept.as_metadata()} if kept else metadata


def without_origin(metadata: Metadata) -> Metadata:
    """The metadata as it was written, without the origin."""
    return {name: value for name, value in metadata.items() if name != ORIGIN}


def refuse_unknown_fields(names: Iterable[str], of: type[Record | Document] = Record) -> None:
    """Refuse a name that is not a field of a record; the id cannot be changed.

    Relations and the origin can be changed although a document keeps them elsewhere.
    """
    known = (*(each.name for each in fields(of)), "relations", "origin")
    valid = [name for name in dict.fromkeys(known) if name != "id"]
    for name in names:
        if name not in valid:
            raise InputError("not a field that can be changed", found=name, valid=valid)
