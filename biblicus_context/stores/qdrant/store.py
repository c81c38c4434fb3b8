"""A store on a Qdrant server."""

from __future__ import annotations

from biblicus_context.base.doors import door
from biblicus_context.stores import checks
from biblicus_context.stores.qdrant.points import Copies
from biblicus_context.stores.qdrant.source import QdrantSource
from biblicus_context.stores.qdrant.space import Spaces, spaces
from biblicus_context.stores.store import Store


def opened_store(
    url: str,
    *,
    collection: str,
    namespace: str,
    keep_seconds: float,
    copies: int,
    shards: int | None,
) -> QdrantStore:
    """Open the store on a server; its collection is made with the first call."""
    own = Copies(
        checks.whole(copies, "copies", least=1),
        None if shards is None else checks.whole(shards, "shards", least=1),
    )
    return QdrantStore(spaces(url, collection, namespace, own), keep_seconds)


@door
class QdrantStore(Store):
    """A store whose source is a Qdrant server."""

    def __init__(self, own: Spaces, keep_seconds: float) -> None:
        super().__init__(QdrantSource(own, keep_seconds))
        self._place = own.points.place

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._place!r})"
