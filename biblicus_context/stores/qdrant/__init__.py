"""Stores on a Qdrant server: packs as points without vectors, read by id; the one engine ranks them."""

from biblicus_context.base.exports import exports

TYPE_CHECKING = False

if TYPE_CHECKING:
    from biblicus_context.stores.qdrant.store import (
        QdrantStore as QdrantStore,
        open_qdrant as open_qdrant,
    )
else:
    # numpy is loaded by who opens one.
    __getattr__, __dir__, __all__ = exports(__name__, {"store": "QdrantStore open_qdrant"})
