"""A collection with gold evidence: a folder with `docs.jsonl` and `queries.jsonl`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator

from biblicus_context.base.doors import door
from biblicus_context.base.file_content import file_content
from biblicus_context.base.paths import resolved
from biblicus_context.base.validation import first_invalid
from biblicus_context.errors import LoadError, closest
from biblicus_context.stores import checks

DOCS = "docs.jsonl"
QUERIES = "queries.jsonl"
_NAMES: Final = ("collection", "session")
"""Metadata that a store keeps as names."""
_IN_ROW: Final = " at line 1 column "
"""How the JSON parser reports where in a row it stopped."""

Name = Annotated[str, AfterValidator(lambda value: checks.name(value, ""))]


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)

    id: Name = Field(min_length=1)
    text: str = Field(min_length=1)


class CollectionRecord(_Row):
    """One piece of evidence, of the kind that its metadata declares.

    With a `language` it is code; with a `session` it is a turn, at the position `order`. It may
    have a `title`, a `speaker` and a `time`.
    """

    metadata: Mapping[str, Any] = Field(default_factory=dict)

    @field_validator("metadata")
    @classmethod
    def _checked(cls, metadata: Mapping[str, Any]) -> Mapping[str, Any]:
        for each in _NAMES:
            if metadata.get(each):
                checks.name(str(metadata[each]), each)
        return metadata

    @property
    def scope(self) -> str:
        """The collection that it is part of; empty if there is none."""
        return self.metadata_text("collection")

    @property
    def order(self) -> float:
        """Its position among the turns of its session; 0 if it has none."""
        order = self.metadata.get("order")
        return float(order) if isinstance(order, int | float) else 0.0

    def metadata_text(self, name: str) -> str:
        """A metadata value as text; empty if there is none."""
        value = self.metadata.get(name)
        return "" if value is None else str(value)


class Query(_Row):
    """A query with the ids of the evidence that answers it."""

    gold: tuple[str, ...] = Field(min_length=1)
    collection: str | None = None
    """Only records whose metadata has this `collection` are searched."""


R = TypeVar("R", bound=_Row)


@dataclass(frozen=True, slots=True)
class Collection:
    """Records, and queries to search them by."""

    name: str
    records: tuple[CollectionRecord, ...]
    queries: tuple[Query, ...]
    foreign: tuple[str, ...] = ()
    """Queries of other collections, which nothing here answers."""


@door
def load_collection(folder: Path) -> Collection:
    """Load the collection in a folder; gold that no query could ever find is an error."""
    records = [record for _, record in _rows(folder / DOCS, CollectionRecord)]
    queries = [*_rows(folder / QUERIES, Query)]
    known = {record.id: record.scope for record in records}
    scopes = {*known.values()} - {""}
    for line, query in queries:
        _check(query, known, scopes, file=str(folder / QUERIES), line=line)
    return Collection(resolved(folder).name, tuple(records), tuple(query for _, query in queries))


def _check(
    query: Query, known: Mapping[str, str], scopes: Set[str], *, file: str, line: int
) -> None:
    """Refuse a typing error that would silently lower every figure; `known` has the scopes by id."""
    scope = query.collection
    if scope is not None and scope not in scopes:
        problem = "no record is of this collection"
        valid = closest(scope, scopes)
        raise LoadError(problem, file=file, line=line, found=scope, valid=valid)
    for gold in query.gold:
        if gold not in known:
            raise LoadError("no record has this gold id", file=file, line=line, found=gold)
        if scope is not None and known[gold] != scope:
            problem = f"this gold is not in the collection of the query, '{scope}'"
            raise LoadError(problem, file=file, line=line, found=gold)


def _rows(file: Path, kind: type[R]) -> Iterator[tuple[int, R]]:
    """Each row with its line number; ids are unique."""
    lines: dict[str, int] = {}
    for number, line in enumerate(file_text(file).split("\n"), 1):
        if not line.strip():
            continue
        row = _row(line, kind, file=str(file), line=number)
        first = lines.setdefault(row.id, number)
        if first != number:
            fix = f"Line {first} has it too."
            problem = "duplicate id"
            raise LoadError(problem, file=str(file), line=number, found=row.id, fix=fix)
        yield number, row


def file_text(file: Path) -> str:
    """The text of a file; LoadError with the reason and the place."""
    try:
        return file_content(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem = f"not a text: byte {error.start:,} is not UTF-8"
        line = error.object.count(b"\n", 0, error.start) + 1
        raise LoadError(problem, file=str(file), line=line) from None
    except LoadError:
        raise
    except (OSError, ValueError) as error:  # a path may contain a null character
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise LoadError(f"cannot be read: {reason}", file=str(file)) from None


def _row(text: str, kind: type[R], *, file: str, line: int) -> R:
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        problem, _, column = str(first_invalid(error)).partition(_IN_ROW)
        at = int(column) if column else None
        raise LoadError(problem, file=file, line=line, column=at) from None
