"""Several collections in one corpus, as users have them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from biblicus_context.evaluation.collection import Collection, CollectionRecord, Query


def pooled(collections: Sequence[Collection]) -> list[Collection]:
    """Each collection with its own queries and the records of all of them.

    Ids, scopes and sessions are only unique within a collection, so they begin with its number.
    """
    if len(collections) == 1:
        return [*collections]
    named = [*enumerate(collections)]
    records = tuple(chain.from_iterable(_records(f"{number}/", each) for number, each in named))
    return [
        replace(each, records=records, queries=tuple(_queries(f"{number}/", each)))
        for number, each in named
    ]


def _records(prefix: str, collection: Collection) -> Iterator[CollectionRecord]:
    for record in collection.records:
        names = {name: record.metadata_text(name) for name in ("collection", "session")}
        own = {name: prefix + text for name, text in names.items() if text}
        metadata = {**record.metadata, **own}
        yield record.model_copy(update={"id": prefix + record.id, "metadata": metadata})


def _queries(prefix: str, collection: Collection) -> Iterator[Query]:
    for query in collection.queries:
        scope = None if query.collection is None else prefix + query.collection
        gold = tuple(prefix + each for each in query.gold)
        yield query.model_copy(update={"id": prefix + query.id, "gold": gold, "collection": scope})
