"""A table as a plan declares it: which rows of a principal match a query, and what they say.

What a plan says is never part of a statement unless the catalogue of the database knows it as the name of a column
of the table; it is quoted then. Everything else is bound. Statements run in a transaction that only reads, and that
ends with its last one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from biblicus_context.base.lazy import lazy
from biblicus_context.spec.retriever_settings import SqlSpec
from biblicus_context.stores.postgres.driver import Rows, connected
from biblicus_context.stores.postgres.options import options_of
from biblicus_context.stores.postgres.tables.columns import TableColumns
from biblicus_context.stores.postgres.tables.statements import (
    exact_vectors,
    nearest,
    rows_shown,
    session,
    vectors_compared,
    words_found,
)
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.sql import Sql
from biblicus_context.stores.tables import Filled, Ranking, Row


class PostgresTable:
    """What is promised of each method is in the Protocol `Table`."""

    def __init__(self, spec: SqlSpec, url: str, *, place: str) -> None:
        self._spec, self._place = spec, place
        self._server = connected(options_of(url, spec.connection))

    @lazy
    def _columns(self) -> TableColumns:
        return TableColumns.of(self._spec, self._server, place=self._place)

    @property
    def dimensions(self) -> int | None:
        """Of the vectors, where the type of their column says so."""
        return self._columns.dimensions

    def rankings(
        self,
        principal: Principal,
        filters: Filled,
        query: str,
        terms: Sequence[str],
        vector: NDArray[np.float32] | None,
    ) -> Mapping[str, Ranking]:
        """The rows that each search finds: by words, and by vectors if there is one."""
        columns = self._columns
        mine = columns.own_rows(principal, filters)
        if mine is None:
            return {}
        asked: dict[str, Sql] = {}
        words = words_found(columns, mine, query, terms)
        if words is not None:
            asked["words"] = words
        by_database = columns.has_pgvector
        if vector is not None:
            by = nearest(columns, mine, vector) if by_database else exact_vectors(columns, mine)
            asked["vectors"] = by
        found = dict(zip(asked, self._ask(principal, *asked.values()), strict=True))
        rankings: dict[str, Ranking] = {}
        if "words" in found:
            rankings["words"] = dict(found["words"])
        if vector is not None:
            rows = found["vectors"]
            rankings["vectors"] = dict(rows) if by_database else vectors_compared(rows, vector)
        return rankings

    def rows(self, principal: Principal, filters: Filled, ids: Sequence[str]) -> Sequence[Row]:
        """The rows of these ids, as far as they are still there and the principal's; in any order."""
        mine = self._columns.own_rows(principal, filters)
        if mine is None or not ids:
            return ()
        (found,) = self._ask(principal, rows_shown(self._columns, mine, ids))
        names = self._columns.spec.metadata
        return [
            Row(id_, text, title, seconds, dict(zip(names, values, strict=True)))
            for id_, text, title, seconds, values in found
        ]

    def close(self) -> None:
        """Close the connections, unless others use them."""
        self._server.close()

    def _ask(self, principal: Principal, *statements: Sql) -> list[Rows]:
        if not statements:
            return []
        own = session(self._columns, principal, self._server.seconds)
        return self._server.read(own, *statements)
