"""A store on a Qdrant server."""

from __future__ import annotations

from biblicus_context.base.doors import door
from biblicus_context.stores import checks
from biblicus_context.stores.qdrant.points import Copies
from biblicus_context.stores.qdrant.source import QdrantSource
from biblicus_context.stores.qdrant.space import Spaces, spaces
from biblicus_context.stores.store import Store


@door
def open_qdrant(
    url: str,
    *,
    collection: str = "biblicus_context",
    namespace: str = "",
    keep_seconds: float = 0.0,
    copies: int = 1,
    shards: int | None = None,
) -> QdrantStore:
    """Open the store on a Qdrant server; its collection is made with the first call.

    `url` is `qdrant://HOST:6334`, or `qdrants://` with TLS; a key is its password. Stores of one
    collection are told apart by `namespace`. What a write removes stays readable in older versions for
    `keep_seconds`, and for half a minute at least: reads in other processes may have begun before it.

    In a cluster, each point is on as many servers as there are `copies`, in `shards` parts; both are
    decided when the collection is made.
    """
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
