"""Records as lines of JSON, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from datetime import datetime
from typing import Any, Final

from biblicus_context.errors import InputError
from biblicus_context.ingest.records.record import Record, RecordPart, RelationTo
from biblicus_context.retrieval.origin import Origin
from biblicus_context.stores import Json, Readers

_TIMES: Final = {each.name for each in fields(Record) if "datetime" in str(each.type)}
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
    try:
        known = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not a line of JSON: {error}", place=place) from None
    if not isinstance(known, dict):
        raise InputError("a record is a mapping", place=place, found=type(known).__name__)
    for name in known:
        if name not in _FIELDS:
            raise InputError("not a field of a record", place=place, found=name, valid=_FIELDS)
    try:
        return _record(known)
    except (AttributeError, TypeError, ValueError) as error:
        raise InputError(f"not a record: {error}", place=place) from None


def _part(known: Mapping[str, Any]) -> RecordPart:
    heading, origin = tuple(known.get("heading", ())), Origin.of(known.get("origin"))
    return RecordPart(**{**known, "heading": heading, "origin": origin})


def _record(known: Mapping[str, Any]) -> Record:
    typed: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in known.items()
    }
    typed |= {name: datetime.fromisoformat(known[name]) for name in _TIMES & known.keys()}
    typed["parts"] = tuple(map(_part, known.get("parts", ())))
    typed["origin"] = Origin.of(known.get("origin"))
    typed["relations"] = tuple(RelationTo(**each) for each in known.get("relations", ()))
    typed["readers"] = _readers(known.get("readers", {}))
    return Record(**typed)


def readers_line(readers: Readers) -> dict[str, Json]:
    """Readers as JSON; nothing where everybody may read."""
    named = {"users": sorted(readers.users), "groups": sorted(readers.groups)}
    found: dict[str, Json] = {kind: names for kind, names in named.items() if names}
    return {"closed": True} if readers.closed else found


def _readers(known: Mapping[str, Any]) -> Readers:
    if "closed" in known:
        return Readers(**known)
    named: dict[str, Any] = {kind: frozenset(names) for kind, names in known.items()}
    return Readers(**named)
