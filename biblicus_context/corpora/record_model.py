"""Pydantic models that are written as records, and read back as items with their relevance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any, ClassVar, Final, Generic, Self, TypeVar

from pydantic import BaseModel, ConfigDict

from biblicus_context.base.doors import door
from biblicus_context.errors import InputError
from biblicus_context.ingest.records import Record, RecordPart
from biblicus_context.retrieval.relevance import Relevance

VIEW: Final = "view"
"""Metadata of a part of a record: which view of the model it is."""
_OF_RECORDS: Final = frozenset(each.name for each in fields(Record))


@door
class RecordModel(BaseModel):
    """A model that is written as a record: its fields have the names of a `Record`, or these as aliases.

    Fields of other names are metadata of the record. An alias inside `Annotated` leaves the name of the
    field to type checkers: one that is assigned would be the only name that they accept.

    >>> from pydantic import Field
    >>> class Note(RecordModel):
    ...     id: str
    ...     words: str = Field(alias="text")
    ...     mood: str = "calm"
    >>> Note(id="n1", words="Tea is hot.").as_record().metadata
    {'mood': 'calm'}
    >>> Note.of_record(Note(id="n1", words="Tea is hot.").as_record())
    Note(id='n1', words='Tea is hot.', mood='calm')
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        populate_by_name=True,
        from_attributes=True,
        loc_by_alias=False,  # who wrote `content=` has no `text`
    )

    record_kind: ClassVar[str] = "document"
    """The kind of the records, unless a field says it."""
    record_fields: ClassVar[Mapping[str, str]] = {}
    """For each field the field of a record that it is written to."""
    metadata_fields: ClassVar[frozenset[str]] = frozenset()
    """The fields that are metadata, as a record has no such field."""

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        names = {name: each.alias or name for name, each in cls.model_fields.items()}
        cls.metadata_fields = frozenset(names) - {n for n, of in names.items() if of in _OF_RECORDS}
        cls.record_fields = names | dict.fromkeys(cls.metadata_fields, "metadata")

    def views(self) -> Mapping[str, str]:
        """Texts that are each found by themselves, by name; by default the model has one text."""
        return {}

    def as_record(self, **changes: Any) -> Record:
        """The record that is written; without a time it is of now."""
        own, usual = (
            {*self.metadata_fields},
            {"kind": self.record_kind, "created": datetime.now(UTC)},
        )
        known = self.model_dump(by_alias=True, exclude_none=True, exclude=own)
        if own:
            more = self.model_dump(mode="json", exclude_none=True, include=own)
            known["metadata"] = {**known.get("metadata", {}), **more}
        if parts := [*self._parts()]:
            known["parts"] = tuple(parts)
        return Record(**{**usual, **known, **changes})

    @classmethod
    def of_record(cls, record: Record) -> Self:
        """The model that a record was written from."""
        own = cls.metadata_fields
        if not own:
            return cls.model_validate(record)
        said = {name: each for name, each in record.metadata.items() if name in own}
        rest = {name: each for name, each in record.metadata.items() if name not in own}
        for name, field in cls.record_fields.items():
            if name not in own:
                said[name] = rest if field == "metadata" else getattr(record, field)
        return cls.model_validate({name: each for name, each in said.items() if each is not None})

    def _parts(self) -> Iterator[RecordPart]:
        for name, text in self.views().items():
            if text:
                yield RecordPart(text=text, metadata={VIEW: name})


Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class RelevantItem(Generic[Item]):
    """An item that a search found, and how relevant it is, from 0 to 1."""

    item: Item
    relevance: float

    @property
    def figure(self) -> float:
        """The relevance between 0 and 1, whatever a program found: what is not a number is 0."""
        return min(1.0, max(0.0, self.relevance))


class RelevantItems(list[RelevantItem[Item]]):
    """What a search found, most relevant first, with the decision whether any of it is relevant."""

    relevance: Relevance | None = None
    """None: nobody decided."""


@door
def ranked_items(
    items: Iterable[Item], similarities: Iterable[float], relevance: Relevance | None = None
) -> RelevantItems[Item]:
    """The items in the order of the search, which knows words as well, with the similarities as figures.

    >>> [each.relevance for each in ranked_items(["tea", "cup"], [0.5, 0.75])]
    [0.75, 0.5]
    """
    found, figures = [*items], sorted(similarities, reverse=True)
    if len(found) != len(figures):
        problem = f"a similarity is expected for each of {len(found)} items"
        raise InputError(problem, place="similarities", found=len(figures))
    ranked = RelevantItems(RelevantItem(*each) for each in zip(found, figures, strict=True))
    ranked.relevance = relevance
    return ranked
