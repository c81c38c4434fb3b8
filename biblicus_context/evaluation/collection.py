"""A collection with gold evidence: `docs.jsonl` and `queries.jsonl` in one folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from biblicus_context.errors import InputError, LoadError

DOCS = "docs.jsonl"
QUERIES = "queries.jsonl"


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)

    id: str = Field(min_length=1)
    text: str = Field(min_length=1)


class Record(_Row):
    """One piece of evidence. Its metadata says what it is.

    With a `language` it is code; with a `session` it is a turn, in the place that `order` says;
    a `title`, a `speaker` and a `time` are what they are called.
    """

    metadata: Mapping[str, Any] = Field(default_factory=dict)

    def said(self, name: str) -> str:
        """A metadata value as text; nothing where there is none."""
        value = self.metadata.get(name)
        return "" if value is None else str(value)


class Query(_Row):
    """A question with the ids of the evidence that answers it."""

    gold: tuple[str, ...] = Field(min_length=1)
    collection: str | None = None
    """Only records with this value under `collection` in their metadata are searched."""


R = TypeVar("R", bound=_Row)


@dataclass(frozen=True, slots=True)
class Collection:
    """Records to search, and queries to ask."""

    name: str
    records: tuple[Record, ...]
    queries: tuple[Query, ...]


def load_collection(folder: Path) -> Collection:
    """The collection in a folder; gold ids that no record has are refused."""
    records = tuple(_rows(folder / DOCS, Record))
    queries = tuple(_rows(folder / QUERIES, Query))
    known = {record.id for record in records}
    if len(known) < len(records):
        raise InputError("two records have the same id", place=str(folder / DOCS))
    for query in queries:
        for gold in query.gold:
            if gold not in known:
                place = f"{folder / QUERIES} query '{query.id}'"
                raise InputError("gold that no record has", place=place, found=gold)
    return Collection(folder.resolve().name, records, queries)


def _rows(file: Path, kind: type[R]) -> Iterator[R]:
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise LoadError(f"cannot be read: {error.strerror}", file=str(file)) from None
    except UnicodeDecodeError as error:
        problem = f"not a text: byte {error.start:,} is not UTF-8"
        raise LoadError(problem, file=str(file)) from None
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield kind.model_validate_json(line)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"]))
            problem = f"{where}: {first['msg']}" if where else first["msg"]
            raise LoadError(problem, file=str(file), line=number) from None
