"""`retriever_id: sql`: rows of a table or a view that people already have, as evidence."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from biblicus_context.base.connections import connection_url
from biblicus_context.base.lazy import lazy
from biblicus_context.embedders import AllowedKeys, CachedEmbedder, build_embedder
from biblicus_context.errors import InputError, PlanError
from biblicus_context.retrieval.analysis import query_terms
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.fusion import ReciprocalRank, Search
from biblicus_context.retrieval.packs.pack import ContextPack, ContextPackBlock
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest
from biblicus_context.retrieval.requests.templates import has_placeholders
from biblicus_context.spec.retriever_settings import SqlSpec
from biblicus_context.stores import Principal
from biblicus_context.stores.addresses import POSTGRES
from biblicus_context.stores.places import open_table
from biblicus_context.stores.tables import Filled, Ranking, Row, Table

_MOST: Final = 200
"""Rows of one page: each is a text of whatever length."""


class SqlTable:
    """A table that a plan declares; shared by all principals, and connected when it is first searched."""

    def __init__(self, spec: SqlSpec, *, place: str, allow_keys: AllowedKeys) -> None:
        _require_tenant(spec, place)
        if (spec.columns.vector is None) != (spec.embedder is None):
            missing = "embedder" if spec.embedder is None else "columns.vector"
            problem = f"a column `vector` and an `embedder` belong together: `{missing}` is missing"
            raise PlanError(problem, place=place)
        self.spec, self.place = spec, place
        self._allow_keys = allow_keys

    def retriever(self, principal: Principal, /) -> SqlRetriever:
        """The rows of a principal."""
        return SqlRetriever(self, principal)

    @lazy
    def embedder(self) -> CachedEmbedder | None:
        """What makes the vector of a query."""
        if self.spec.embedder is None:
            return None
        return CachedEmbedder(build_embedder(self.spec.embedder, allow_keys=self._allow_keys))

    @lazy
    def table(self) -> Table:
        """The table, whose vectors are those of the embedder."""
        connection = self.spec.connection
        url = connection_url(connection, POSTGRES, place=f"{self.place}.connection")
        table = open_table(self.spec, url, place=self.place)
        weakref.finalize(self, table.close)
        if self.embedder is not None and table.dimensions not in (None, self.embedder.dimensions):
            raise PlanError(
                f"the column has vectors of {table.dimensions} numbers, and the embedder "
                f"'{self.embedder.model}' makes {self.embedder.dimensions}",
                place=f"{self.place}.columns.vector",
            )
        return table


def _require_tenant(spec: SqlSpec, place: str) -> None:
    """The linter says so as well; a plan that nobody linted must not read what belongs to others."""
    if spec.columns.tenant is None and not spec.everybody:
        raise PlanError(
            "nothing says whose the rows are",
            place=f"{place}.columns",
            fix="Name the column `tenant`, or write `everybody: true` next to `columns`.",
        )
    if spec.columns.tenant is not None and spec.everybody:
        raise PlanError(
            "rows of a tenant are not for everybody",
            place=f"{place}.everybody",
            fix="Remove one of `everybody` and `columns.tenant`.",
        )


@dataclass(frozen=True, slots=True)
class SqlRetriever:
    """Finds the rows of one principal by their words, their vectors, or both."""

    declared: SqlTable
    principal: Principal

    def __call__(self, request: ContextRetrieverRequest) -> ContextPack:
        """One page of rows, best first."""
        spec, place = self.declared.spec, self.declared.place
        filters = _filters(request.metadata.get("filters", spec.filters), place)
        limit = min(request.limit, _MOST)
        if not request.query.strip():
            return ContextPack(text="", evidence_count=0)
        table, embedder = self.declared.table, self.declared.embedder
        vector = None if embedder is None else embedder.embed_query(request.query)
        found = table.rankings(
            self.principal, filters, request.query, query_terms(request.query), vector
        )
        scores = _fused(found)
        ids = sorted(scores, key=lambda each: (-scores[each], each))
        page = ids[request.offset : request.offset + limit]
        rows = {each.id: each for each in table.rows(self.principal, filters, page)}
        blocks = [
            _block(rows[each], scores[each], _parts(found, each), spec)
            for each in page
            if each in rows
        ]
        return ContextPack(
            text=spec.join_with.join(each.text for each in blocks),
            evidence_count=len(page),
            blocks=blocks,
            more=len(ids) > request.offset + limit,
        )


def _fused(rankings: Mapping[str, Ranking]) -> Mapping[str, float]:
    if len(rankings) == 1:
        (only,) = rankings.values()
        return only
    searches = [Search(name, found) for name, found in rankings.items()]
    return ReciprocalRank()(searches).by_id() if searches else {}


def _parts(rankings: Mapping[str, Ranking], row: str) -> Mapping[str, float]:
    return {name: found[row] for name, found in rankings.items() if row in found}


def _block(row: Row, score: float, parts: Mapping[str, float], spec: SqlSpec) -> ContextPackBlock:
    source, updated = f"{spec.table}/{row.id}", _moment(row.seconds)
    facts = Candidate(
        id=row.id,
        text=row.text,
        tokens=0,
        score=score,
        parts=parts,
        document=row.id,
        source=source,
        where=source,
        title=row.title,
        updated=updated,
        metadata=row.metadata,
    )
    metadata: dict[str, object] = {"title": row.title} if row.title else {}
    if updated is not None:
        metadata["updated"] = updated.isoformat()
    return ContextPackBlock.with_facts(
        facts,
        evidence_item_id=row.id,
        text=row.text,
        source=source,
        score=score,
        metadata={**metadata, **row.metadata} or None,
    )


def _moment(seconds: float | None) -> datetime | None:
    if seconds is None:
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError):  # a year that Python does not have
        return None


def _filters(given: object, place: str) -> Filled:
    """Column by column, the values of which a row has one."""
    if has_placeholders(given):
        problem = "placeholders are filled where a context inserts the retriever"
        raise PlanError(problem, place=f"{place}.filters", found=given)
    if not isinstance(given, Mapping):
        problem = "filters are a mapping of columns to values"
        raise InputError(problem, place=f"{place}.filters", found=type(given).__name__)
    return {str(name): _values(value, f"{place}.filters.{name}") for name, value in given.items()}


def _values(value: object, place: str) -> Sequence[object]:
    values = value if isinstance(value, list | tuple) else [value]
    for each in values:
        if each is not None and not isinstance(each, str | int | float | bool):
            problem = "a filter has texts, numbers, true, false or null"
            raise InputError(problem, place=place, found=type(each).__name__)
    return values
