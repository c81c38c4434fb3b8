"""Models in a corpus: each is one record, and comes back from a search as it was written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, Generic, TypeVar

from pydantic import AwareDatetime, BaseModel, ConfigDict

from biblicus_context import Corpus, Evidence, Record, RecordPart

_VIEW: Final = "view"
"""Metadata of a part of a record: which view of the model it is."""


class Identified(BaseModel):
    """A model that can be a record."""

    model_config = ConfigDict(frozen=True)

    id: str
    created_at: AwareDatetime | None = None


M = TypeVar("M", bound=Identified)


class TypedRecords(Generic[M]):
    """The models of one type in a corpus.

    A model has one text, or several views of it. Each view is found by itself.
    """

    def __init__(
        self, corpus: Corpus, model: type[M], texts: Callable[[M], str | Mapping[str, str]]
    ) -> None:
        self.corpus = corpus
        self._model, self._texts, self._kind = model, texts, model.__name__.lower()

    def put(self, items: Iterable[M], remove: Collection[str] = ()) -> None:
        """Write models, each in place of the one with its id, and remove others: all or nothing."""
        self.corpus.put(map(self._record, items), remove)

    def put_many(self, items: Iterable[M]) -> None:
        """Write any number of models, a thousand at a time."""
        self.corpus.put_many(map(self._record, items))

    def found(
        self, query: str, limit: int, view: str | None = None, **filters: Any
    ) -> list[tuple[M, float]]:
        """The models that a search finds, each once, with what `likeness` returns."""
        if view is not None:
            filters["block_metadata"] = {_VIEW: view}
        hits = likeness_of_hits(self.corpus, query, limit, **filters)
        return [(self._read(hit), figure) for hit, figure in hits]

    def _record(self, item: M) -> Record:
        texts = self._texts(item)
        text, views = (texts, {}) if isinstance(texts, str) else ("", texts)
        return Record(
            id=item.id,
            kind=self._kind,
            text=text,
            parts=tuple(
                RecordPart(text=said, metadata={_VIEW: name})
                for name, said in views.items()
                if said
            ),
            created=item.created_at or datetime.now(UTC),
            metadata=item.model_dump(mode="json", exclude={"created_at"}),
        )

    def _read(self, hit: Evidence) -> M:
        return self._model(**{**hit.document.metadata, "created_at": hit.document.created})


def likeness_of_hits(
    corpus: Corpus, query: str, limit: int, **filters: Any
) -> list[tuple[Evidence, float]]:
    """The order of the search, which knows words as well, with the cosines as figures."""
    hits = corpus.search(query, limit=limit, filters=filters, maximum_items_per_source=1)
    return [*zip(hits, sorted(corpus.likeness(query, hits), reverse=True), strict=True)]
