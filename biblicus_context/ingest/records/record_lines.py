"""Records as lines of JSON, and back."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from datetime import datetime
from typing import Final

from pydantic import BaseModel, ConfigDict, FiniteFloat, JsonValue, TypeAdapter, ValidationError

from biblicus_context.base.surrogates import replaced
from biblicus_context.base.validation import first_invalid
from biblicus_context.errors import InputError
from biblicus_context.ingest.records.record import Record, RecordPart, RelationTo, document_of
from biblicus_context.retrieval.origin import Origin
from biblicus_context.stores import Json, Readers, checks

_FIELDS: Final = [each.name for each in fields(Record)]


def record_line(record: Record) -> str:
    """The record as one line of JSON, without what is empty.

    >>> record_line(Record(id="m1", text="Tea is hot.", tags=("drinks",)))
    '{"id": "m1", "text": "Tea is hot.", "kind": "document", "tags": ["drinks"]}'
    """
    readers = readers_line(record.readers)
    known = {**asdict(record), "readers": readers, "origin": record.origin.as_metadata()}
    known["parts"] = [
        {**asdict(each), "origin": each.origin.as_metadata()} for each in record.parts
    ]
    filled = {name: value for name, value in known.items() if value not in (None, "", (), [], {})}
    return json.dumps(filled, ensure_ascii=False, default=datetime.isoformat)


def record_of_line(line: str, place: str) -> Record:
    """The record of a line; an InputError at this place if it is none.

    >>> record_of_line('{"id": "m1", "created": "2026-01-02T00:00:00+00:00"}', "line 1").created.year
    2026
    """
    if not isinstance(line, str):
        raise InputError("a line of JSON is expected", place=place, found=line)
    try:
        known = json.loads(line)
        # A pair of escapes is one character, and half of one is replaced, as in any text.
        whole = replaced(json.dumps(known, ensure_ascii=False))
    except (ValueError, RecursionError) as error:
        raise InputError(f"not a line of JSON: {error}", place=place) from None
    if not isinstance(known, dict):
        raise InputError("a record is a mapping", place=place, found=type(known).__name__)
    try:
        record = _LINE.validate_json(whole).record
    except ValidationError as error:
        invalid = first_invalid(error)
        if invalid.is_unknown_key:
            problem, (*above, name) = "not a field of a record", invalid.path
            place = ".".join([place, *map(str, above)])
            raise InputError(problem, place=place, found=name, valid=_FIELDS) from None
        found = None if invalid.is_missing else invalid.value
        place = f"{place}.{invalid.place}" if invalid.path else place
        raise InputError(invalid.problem, place=place, found=found) from None
    with checks.inside(place):
        document_of(record)
    return record


def readers_line(readers: Readers) -> dict[str, Json]:
    """Readers as JSON; nothing where everybody may read."""
    named = {"users": sorted(readers.users), "groups": sorted(readers.groups)}
    found: dict[str, Json] = {kind: names for kind, names in named.items() if names}
    return {"closed": True} if readers.closed else found


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _OriginLine(_Strict):
    session: str | None = None
    messages: tuple[str, ...] = ()
    file: str | None = None
    commit: str | None = None

    @property
    def origin(self) -> Origin:
        return Origin.of(dict(self))


class _PartLine(_Strict):
    text: str
    heading: tuple[str, ...] = ()
    speaker: str = ""
    session: str | None = None
    origin: _OriginLine = _OriginLine()
    metadata: dict[str, JsonValue] = {}

    @property
    def part(self) -> RecordPart:
        return RecordPart(**{**dict(self), "origin": self.origin.origin})


class _RelationLine(_Strict):
    target: str
    type: str
    weight: FiniteFloat = 1.0


class ReadersLine(_Strict):
    """Readers as JSON; `readers_line` writes them."""

    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    closed: bool = False

    @property
    def readers(self) -> Readers:
        return Readers(frozenset(self.users), frozenset(self.groups), closed=self.closed)


class _RecordLine(_Strict):
    """What a line may hold: every field of a record, as JSON writes it."""

    id: str
    text: str = ""
    parts: tuple[_PartLine, ...] = ()
    kind: str = "document"
    title: str = ""
    path: str | None = None
    uri: str | None = None
    created: datetime | None = None
    updated: datetime | None = None
    confidence: FiniteFloat | None = None
    importance: FiniteFloat | None = None
    conversation: str | None = None
    origin: _OriginLine = _OriginLine()
    parent: str | None = None
    position: int | None = None
    superseded_by: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    tags: tuple[str, ...] = ()
    metadata: dict[str, JsonValue] = {}
    readers: ReadersLine = ReadersLine()
    own_readers: bool | None = None
    relations: tuple[_RelationLine, ...] = ()

    @property
    def record(self) -> Record:
        return Record(
            **{
                **dict(self),
                "parts": tuple(each.part for each in self.parts),
                "origin": self.origin.origin,
                "readers": self.readers.readers,
                "relations": tuple(RelationTo(**dict(each)) for each in self.relations),
            }
        )


_LINE: Final = TypeAdapter(_RecordLine)
