"""A searcher over the corpora of a `LearningStore`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from operator import mul
from typing import Any

from biblicus_context import Corpus, Evidence
from biblicus_context.systems.learning.models import (
    Axis,
    CodeUnit,
    Commit,
    Experience,
    Hit,
    Memory,
    Value,
)
from biblicus_context.systems.learning.records import kind_of
from biblicus_context.systems.learning.units import unit_of


class StoreSearcher:
    """Searches by words and by meaning; how relevant a hit is, is its cosine with the query."""

    def __init__(self, records: Corpus, code: Corpus, commits: Corpus) -> None:
        self._records, self._code, self._commits = records, code, commits

    async def search_memories(self, query: str, limit: int) -> list[Hit[Memory]]:
        """Facts, preferences, decisions, error messages."""
        found = await _found(self._records, query, limit, {"kind": "memory"})
        return [
            Hit(Memory(**_known(each), content=each.record.text), relevance)
            for each, relevance in found
        ]

    async def search_code(self, query: str, limit: int) -> list[Hit[CodeUnit]]:
        """Functions, classes and methods."""
        found = await _found(self._code, query, limit, {"kind": "code"})
        return [Hit(unit_of(each), relevance) for each, relevance in found]

    async def search_experiences(
        self,
        query: str,
        limit: int,
        *,
        axis: Axis = "full",
        domain: str | None = None,
        strategy: str | None = None,
        outcome: str | None = None,
    ) -> list[Hit[Experience]]:
        """Experiences, by the view that the axis names; only those that the other arguments name."""
        wanted = {"domain": domain, "strategy": strategy, "outcome_status": outcome}
        known = {name: value for name, value in wanted.items() if value is not None}
        filters = {"kind": kind_of(axis), **({"metadata": known} if known else {})}
        found = await _found(self._records, query, limit, filters)
        ids = [each.document.parent or each.document.id for each, _ in found]
        whole = {each.id: each for each in await asyncio.to_thread(self._records.get, ids)}
        return [
            Hit(Experience(**whole[name].metadata, created_at=whole[name].created), relevance)
            for name, (_, relevance) in zip(ids, found, strict=True)
            if name in whole
        ]

    async def search_values(self, query: str, limit: int) -> list[Hit[Value]]:
        """Principles."""
        found = await _found(self._records, query, limit, {"kind": "value"})
        return [
            Hit(Value(**_known(each, "derived"), text=each.record.text), relevance)
            for each, relevance in found
        ]

    async def search_commits(self, query: str, limit: int) -> list[Hit[Commit]]:
        """Commits."""
        found = await _found(self._commits, query, limit, {"kind": "commit"})
        return [Hit(_commit(each), relevance) for each, relevance in found]


async def _found(
    corpus: Corpus, query: str, limit: int, filters: Mapping[str, Any]
) -> list[tuple[Evidence, float]]:
    return await asyncio.to_thread(_search, corpus, query, limit, filters)


def _search(
    corpus: Corpus, query: str, limit: int, filters: Mapping[str, Any]
) -> list[tuple[Evidence, float]]:
    """One block of each document, in the order of the hybrid search."""
    found = corpus.search(query, limit=limit, filters=filters, maximum_items_per_source=1)
    return [*zip(found, _relevances(corpus, query, found), strict=True)]


def _relevances(corpus: Corpus, query: str, found: Sequence[Evidence]) -> list[float]:
    """The cosines, highest first: the order is that of the search, which also knows words."""
    embedder = corpus.query_embedder
    if embedder is None or not found:
        return [1 / (1 + place) for place in range(len(found))]
    asked = embedder.embed_query(query).tolist()
    ids = [each.block.id for each in found]
    rows = corpus.store.vectors(corpus.principal, embedder.model, ids)
    cosines = [sum(map(mul, asked, memoryview(rows[name]).cast("f"))) for name in ids]
    return sorted(cosines, reverse=True)


def _known(found: Evidence, *but: str) -> dict[str, Any]:
    known = {name: each for name, each in found.document.metadata.items() if name not in but}
    return {**known, "created_at": found.document.created}


def _commit(found: Evidence) -> Commit:
    known = found.document.metadata
    names = ("sha", "author", "message", "insertions", "deletions")
    fields: dict[str, Any] = {name: known[name] for name in names}
    return Commit(**fields, files_changed=known["files"], created_at=found.document.created)
