"""How alike a query and its hits are, whatever ranked them."""

from __future__ import annotations

from collections.abc import Sequence

from biblicus_context.corpora.evidence import Evidence
from biblicus_context.corpora.index import Index


def likeness(index: Index, query: str, found: Sequence[Evidence]) -> list[float]:
    """The cosine of each hit with the query, from 0 to 1; without an embedder 1, 1/2, 1/3 and so on.

    Embeddings have length 1; a block without one is not alike at all.
    """
    embedder = index.query_embedder
    if embedder is None or not found:
        return [1 / (1 + place) for place in range(len(found))]
    import numpy as np  # an embedder has loaded it

    asked = np.asarray(embedder.embed_query(query), dtype=np.float32)
    ids = [each.block.id for each in found]
    rows = index.store.vectors(index.principal, embedder.model, ids)
    without = np.zeros_like(asked).tobytes()
    known = np.frombuffer(b"".join(rows.get(name, without) for name in ids), dtype="<f4")
    cosines = (known.reshape(len(ids), -1) @ asked).clip(0.0, 1.0)
    return [float(cosine) for cosine in cosines]
