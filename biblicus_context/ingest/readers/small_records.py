"""Small records share blocks if a file has very many of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from biblicus_context.ingest.chunks.section import Section
from biblicus_context.stores.model import Json

_MANY: Final = 10_000
"""Up to this number of records, each one gets its own block."""
_SMALL: Final = 200
"""Characters of a text; one with more is hardly joined with others."""


def of_many(records: Iterable[Section]) -> tuple[Section, ...]:
    """The records; as rows, which may share blocks, if a file has very many."""
    found = tuple(records)
    if len(found) <= _MANY:
        return found
    shared = _shared(found)
    return tuple(_row(each, shared) for each in found)


def _shared(records: Sequence[Section]) -> Mapping[str, Json]:
    """The metadata that all records share."""
    shared = dict(records[0].metadata)
    for record in records:
        if any(not _says(record, name, value) for name, value in shared.items()):
            shared = {name: each for name, each in shared.items() if _says(record, name, each)}
    return shared


def _says(record: Section, name: str, value: Json) -> bool:
    own = record.metadata.get(name)
    return type(own) is type(value) and own == value


def _row(record: Section, shared: Mapping[str, Json]) -> Section:
    """The record as a row; a small one gets its own metadata into its text, to stay searchable."""
    own = [(name, value) for name, value in record.metadata.items() if name not in shared]
    if not own or len(record.text) > _SMALL:
        return replace(record, kind="row")
    said = "\n".join(f"{name}: {_written(value)}" for name, value in own)
    return replace(record, kind="row", text=f"{said}\n{record.text}", metadata=shared, heading=())


def _written(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
