"""What retrievers over tables, and over collections of other databases, have in common: evidence of rows."""

from __future__ import annotations

import weakref
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Generic, NamedTuple, TypeVar

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
from biblicus_context.spec.retriever_settings import QdrantSpec, SqlSpec
from biblicus_context.stores import Principal
from biblicus_context.stores.tables import Filled, Ranking, Row, Table

_MOST: Final = 200
"""Rows of one page: each is a text of whatever length."""


class Owned(NamedTuple):
    """Where a plan says whose a row is."""

    tenant: str | None
    part: str
    """The setting that has it."""
    noun: str


S = TypeVar("S", SqlSpec, QdrantSpec)


class DeclaredRows(ABC, Generic[S]):
    """Rows that a plan declares; shared by all principals, and connected when they are first searched."""

    schemes: tuple[str, ...]
    """Of the URL of the connection."""

    def __init__(self, spec: S, *, place: str, allow_keys: AllowedKeys) -> None:
        _require_tenant(self.owned(spec), everybody=spec.everybody, place=place)
        vector, setting = self.vector(spec)
        if (vector is None) != (spec.embedder is None):
            missing = "embedder" if spec.embedder is None else setting
            problem = f"`{setting}` and an `embedder` belong together: `{missing}` is missing"
            raise PlanError(problem, place=place)
        self.settings: S = spec
        self.place = place
        self._allow_keys = allow_keys

    @abstractmethod
    def owned(self, spec: S) -> Owned:
        """Where a plan says whose a row is."""

    @abstractmethod
    def vector(self, spec: S) -> tuple[str | None, str]:
        """What has the vectors of rows, and the setting that names it."""

    @abstractmethod
    def open(self, url: str) -> Table:
        """The rows, on the server of a URL."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What the rows are called in the source of a block."""

    def retriever(self, principal: Principal, /) -> RowRetriever:
        """The rows of a principal."""
        return RowRetriever(self, principal)

    @lazy
    def embedder(self) -> CachedEmbedder | None:
        """What makes the vector of a query."""
        if self.settings.embedder is None:
            return None
        return CachedEmbedder(build_embedder(self.settings.embedder, allow_keys=self._allow_keys))

    @lazy
    def table(self) -> Table:
        """The rows, whose vectors are those of the embedder."""
        connection = self.settings.connection
        table = self.open(
            connection_url(connection, self.schemes, place=f"{self.place}.connection")
        )
        weakref.finalize(self, table.close)
        if self.embedder is not None and table.dimensions not in (None, self.embedder.dimensions):
            _, setting = self.vector(self.settings)
            raise PlanError(
                f"there are vectors of {table.dimensions} numbers, and the embedder "
                f"'{self.embedder.model}' makes {self.embedder.dimensions}",
                place=f"{self.place}.{setting}",
            )
        return table


def _require_tenant(owned: Owned, *, everybody: bool, place: str) -> None:
    """The linter says so as well; a plan that nobody linted must not read what belongs to others."""
    if owned.tenant is None and not everybody:
        raise PlanError(
            f"nothing says whose the {owned.noun}s are",
            place=f"{place}.{owned.part}",
            fix=f"Name the `tenant` of a {owned.noun}, or write `everybody: true` next to `{owned.part}`.",
        )
    if owned.tenant is not None and everybody:
        raise PlanError(
            f"{owned.noun}s of a tenant are not for everybody",
            place=f"{place}.everybody",
            fix=f"Remove one of `everybody` and `{owned.part}.tenant`.",
        )


@dataclass(frozen=True, slots=True)
class RowRetriever:
    """Finds the rows of one principal by their words, their vectors, or both."""

    declared: DeclaredRows[Any]
    principal: Principal

    def __call__(self, request: ContextRetrieverRequest) -> ContextPack:
        """One page of rows, best first."""
        spec, place = self.declared.settings, self.declared.place
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
            _block(rows[each], scores[each], _parts(found, each), self.declared.name)
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


def _block(row: Row, score: float, parts: Mapping[str, float], name: str) -> ContextPackBlock:
    source, updated = f"{name}/{row.id}", _moment(row.seconds)
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
    """Column by column, or key by key, the values of which a row has one."""
    if has_placeholders(given):
        problem = "placeholders are filled where a context inserts the retriever"
        raise PlanError(problem, place=f"{place}.filters", found=given)
    if not isinstance(given, Mapping):
        problem = "filters are a mapping of names to values"
        raise InputError(problem, place=f"{place}.filters", found=type(given).__name__)
    return {str(name): _values(value, f"{place}.filters.{name}") for name, value in given.items()}


def _values(value: object, place: str) -> Sequence[object]:
    values = value if isinstance(value, list | tuple) else [value]
    for each in values:
        if each is not None and not isinstance(each, str | int | float | bool):
            problem = "a filter has texts, numbers, true, false or null"
            raise InputError(problem, place=place, found=type(each).__name__)
    return values
