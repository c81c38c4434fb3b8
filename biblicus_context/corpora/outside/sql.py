"""`retriever_id: sql`: rows of a table or a view that people already have, as evidence."""

from __future__ import annotations

from biblicus_context.corpora.outside.rows import DeclaredRows, Owned
from biblicus_context.spec.retriever_settings import SqlSpec
from biblicus_context.stores.addresses import POSTGRES
from biblicus_context.stores.places import open_table
from biblicus_context.stores.tables import Table


class SqlTable(DeclaredRows[SqlSpec]):
    """A table that a plan declares."""

    schemes = POSTGRES

    def owned(self, spec: SqlSpec) -> Owned:
        return Owned(spec.columns.tenant, "columns", "row")

    def vector(self, spec: SqlSpec) -> tuple[str | None, str]:
        return spec.columns.vector, "columns.vector"

    @property
    def name(self) -> str:
        return self.settings.table

    def open(self, url: str) -> Table:
        return open_table(self.settings, url, place=self.place)
