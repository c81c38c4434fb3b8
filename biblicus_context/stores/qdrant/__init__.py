"""Stores on a Qdrant server: packs as points without vectors, read by id; the one engine ranks them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biblicus_context.base.doors import door

if TYPE_CHECKING:
    from biblicus_context.stores.qdrant.store import QdrantStore


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
    from biblicus_context.stores.qdrant.store import opened_store  # numpy is heavy

    return opened_store(
        url,
        collection=collection,
        namespace=namespace,
        keep_seconds=keep_seconds,
        copies=copies,
        shards=shards,
    )
