"""How alike a query and its hits are, whatever ranked them."""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul

from biblicus_context.corpora.evidence import Evidence
from biblicus_context.corpora.index import Index


def likeness(index: Index, query: str, found: Sequence[Evidence]) -> list[float]:
    """The cosine of each hit with the query, from 0 to 1; without an embedder 1, 1/2, 1/3 and so on."""
    embedder = index.query_embedder
    if embedder is None or not found:
        return [1 / (1 + place) for place in range(len(found))]
    asked = [float(number) for number in embedder.embed_query(query)]
    ids = [each.block.id for each in found]
    rows = index.store.vectors(index.principal, embedder.model, ids)
    return [_cosine(asked, rows.get(name)) for name in ids]


def _cosine(asked: Sequence[float], row: bytes | None) -> float:
    """0 for a block without a vector; embeddings have length 1."""
    if row is None:
        return 0.0
    cosine = sum(map(mul, asked, memoryview(row).cast("f")))
    return float(min(1.0, max(0.0, cosine)))
