"""Models in a corpus: each is one record, and comes back from a search as it was written."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Generic, TypeVar

from pydantic import AwareDatetime, BaseModel, ConfigDict

from biblicus_context import Cluster, Corpus, Evidence, Record, RecordPart

_VIEW: Final = "view"
"""Metadata of a part of a record: which view of the model it is."""


class Identified(BaseModel):
    """A model that can be a record."""

    model_config = ConfigDict(frozen=True)

    id: str
    created_at: AwareDatetime | None = None


Item = TypeVar("Item")
M = TypeVar("M", bound=Identified)


@dataclass(frozen=True, slots=True)
class Hit(Generic[Item]):
    """Something that a search found, and how relevant it is, from 0 to 1."""

    item: Item
    relevance: float


async def hits_in(
    corpus: Corpus, read: Callable[[Evidence], Item], query: str, limit: int, **filters: Any
) -> list[Hit[Item]]:
    """The order of the search, which knows words as well, with the cosines as figures."""

    def search() -> list[Hit[Item]]:
        found = corpus.search(query, limit=limit, filters=filters, maximum_items_per_source=1)
        figures = sorted(corpus.likeness(query, found), reverse=True)
        return [Hit(read(each), figure) for each, figure in zip(found, figures, strict=True)]

    return await to_thread(search)


class TypedRecords(Generic[M]):
    """The models of one type in a corpus.

    A model has one text, or several views of it. Each view is found by itself.
    """

    def __init__(
        self,
        corpus: Corpus,
        model: type[M],
        texts: Callable[[M], str | Mapping[str, str]],
        facts: Callable[[M], Mapping[str, Any]] = lambda _: {},
    ) -> None:
        """`facts` are fields of a record by which it is filtered and ranked."""
        self.corpus = corpus
        self._model, self._texts, self._facts = model, texts, facts
        self._kind = model.__name__.lower()

    async def put(self, items: Iterable[M], remove: Collection[str] = ()) -> None:
        """Write models, each in place of the one with its id, and remove others: all or nothing."""
        await to_thread(self.corpus.put, map(self._record, items), remove)

    async def put_many(self, items: Iterable[M]) -> None:
        """Write any number of models, a thousand at a time."""
        await to_thread(self.corpus.put_many, map(self._record, items))

    async def search(
        self, query: str, limit: int, view: str | None = None, **filters: Any
    ) -> list[Hit[M]]:
        """The models that a search finds, each once."""
        if view is not None:
            filters["block_metadata"] = {_VIEW: view}
        return await hits_in(self.corpus, self._read, query, limit, **filters)

    def clusters(self, view: str, most: int) -> list[Cluster]:
        """Up to `most` clusters of models whose texts in a view say something similar."""

        def text_of(record: Record) -> str:
            return "\n".join(each.text for each in record.parts if each.metadata[_VIEW] == view)

        return self.corpus.clusters({"block_metadata": {_VIEW: view}}, most, text_of=text_of)

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
            **self._facts(item),
        )

    def _read(self, hit: Evidence) -> M:
        return self._model(**{**hit.document.metadata, "created_at": hit.document.created})
