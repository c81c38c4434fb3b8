"""`retriever_id: qdrant`: points of a collection that people already have, as evidence."""

from __future__ import annotations

from biblicus_context.corpora.outside.rows import DeclaredRows, Owned
from biblicus_context.spec.retriever_settings import QdrantSpec
from biblicus_context.stores.addresses import QDRANT
from biblicus_context.stores.places import open_collection
from biblicus_context.stores.tables import Table


class QdrantCollection(DeclaredRows[QdrantSpec]):
    """A collection that a plan declares."""

    schemes = QDRANT

    def owned(self, spec: QdrantSpec) -> Owned:
        return Owned(spec.payload.tenant, "payload", "point")

    def vector(self, spec: QdrantSpec) -> tuple[str | None, str]:
        return spec.dense, "dense"

    @property
    def name(self) -> str:
        return self.settings.collection

    def open(self, url: str) -> Table:
        return open_collection(self.settings, url, place=self.place)
