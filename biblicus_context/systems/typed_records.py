"""Models in a corpus: each is a record, and comes back from a search as it was written."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeVar

from pydantic import AwareDatetime, BaseModel, ConfigDict

from biblicus_context import Corpus, Evidence, Record

M = TypeVar("M", bound=BaseModel)


class Identified(BaseModel):
    """A model that can be a record."""

    model_config = ConfigDict(frozen=True)

    id: str
    created_at: AwareDatetime | None = None


class View(NamedTuple):
    """A text of a model that is found by itself; the first one of a model is its own record."""

    kind: str
    text: str


def records_of(item: Identified, views: Iterable[View]) -> list[Record]:
    """The records of a model: one for each view, those after the first below it."""
    made: list[Record] = []
    for view in views:
        made.append(
            Record(
                id=f"{item.id}#{view.kind}" if made else item.id,
                kind=view.kind,
                text=view.text,
                parent=item.id if made else None,
                created=item.created_at or datetime.now(UTC),
                metadata=item.model_dump(mode="json", exclude={"created_at"}),
            )
        )
    return made


def found(corpus: Corpus, query: str, limit: int, **filters: Any) -> list[tuple[Evidence, float]]:
    """The order of the search, which knows words as well, with the cosines as figures."""
    hits = corpus.search(query, limit=limit, filters=filters, maximum_items_per_source=1)
    return [*zip(hits, sorted(corpus.likeness(query, hits), reverse=True), strict=True)]


def model_of(model: type[M], hit: Evidence) -> M:
    """The model that a hit was written from."""
    return model(**{**hit.document.metadata, "created_at": hit.document.created})
