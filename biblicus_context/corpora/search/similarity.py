"""How similar blocks are to a query, from 0 to 1, whatever else the query finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log
from typing import TypeAlias

from biblicus_context.corpora.evidence import Evidence, RankedBlock
from biblicus_context.corpora.index import Index
from biblicus_context.corpora.search.query import CurrentView, SearchQuery
from biblicus_context.corpora.search.waiting import made_now
from biblicus_context.retrieval.analysis import query_terms
from biblicus_context.stores import NO_FILTERS, Vectors

Fetch: TypeAlias = Callable[[Sequence[RankedBlock]], Sequence[Evidence]]


def similarities(
    query: SearchQuery, found: Sequence[RankedBlock], by: str, fetch: Fetch
) -> list[float]:
    """One for each block: the cosine of vectors, the share of the words, or the score that it has."""
    if by == "score":
        return [min(1.0, max(0.0, each.score)) for each in found]
    cosines = _cosines(query, found) if by == "vectors" else {}
    others = [each for each in found if each.block_id not in cosines]
    known = {**(_coverages(query, others, fetch) if others else {}), **cosines}
    return [known.get(each.block_id, 0.0) for each in found]


def _cosines(query: SearchQuery, found: Sequence[RankedBlock]) -> Mapping[str, float]:
    """Of the blocks with a vector, on the scale of all models."""
    if query.vector is None:
        return {}
    ids = [each.block_id for each in found]
    stored = {**query.view.vectors(query.vector.model, ids)}
    if query.quick is not None and (waiting := [each for each in ids if each not in stored]):
        stored |= made_now(query, waiting)
    return {
        **_quick(query, [each for each in ids if each not in stored]),
        **_alike(query.vector, stored),
    }


def _quick(query: SearchQuery, ids: Sequence[str]) -> Mapping[str, float]:
    """Those of blocks that still wait, by their quick vectors."""
    if not ids or query.quick is None or query.quick_vector is None:
        return {}
    return _alike(query.quick_vector, query.view.vectors(query.quick_vector.model, ids))


def _alike(vector: Vectors, stored: Mapping[str, bytes]) -> Mapping[str, float]:
    names = sorted(stored)
    if not names:
        return {}
    import numpy as np  # a retriever that compares no vectors works without it

    from biblicus_context.embedders import likeness_of  # it does as well

    packed = np.frombuffer(b"".join(stored[name] for name in names), dtype="<f4")
    rows = packed.reshape(len(names), -1).astype(np.float64)
    asked = np.frombuffer(vector.data, dtype="<f4").astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(asked)
    cosines = rows @ asked / np.where(lengths > 0, lengths, 1.0)
    alike = likeness_of(cosines, vector.model)
    return dict(zip(names, alike.tolist(), strict=True))


def _coverages(
    query: SearchQuery, found: Sequence[RankedBlock], fetch: Fetch
) -> Mapping[str, float]:
    """The share of the words of the query that each block has; rare words count more."""
    words = [*dict.fromkeys(query_terms(query.text))]
    counts = query.view.count_terms(words)
    weights = {
        word: log((1 + counts.blocks) / (1 + counts.found.get(word, 0))) + 1 for word in words
    }
    whole = sum(weights.values())
    return {each.block.id: _share(each, weights) / whole if whole else 0.0 for each in fetch(found)}


def _share(evidence: Evidence, weights: Mapping[str, float]) -> float:
    own = {*query_terms(" ".join((*evidence.block.heading, evidence.block.text)))}
    return sum(weight for word, weight in weights.items() if word in own)


def likeness(
    index: Index, query: str, found: Sequence[Evidence], vector: Vectors | None = None
) -> list[float]:
    """The similarity of each hit and the query, as `min_score` measures it."""
    if not found:
        return []
    embedder = index.query_embedder
    ranked = [RankedBlock(e.block.id, e.document.id, e.score, lambda _: {}) for e in found]
    with index.shared_view() as view:
        asked = SearchQuery(
            reading=CurrentView(view),
            embedder=embedder,
            text=query,
            filters=NO_FILTERS,
            now=index.pinned(view).now,
            given=vector,
            quick=index.quick_vectors,
        )
        return similarities(asked, ranked, "vectors" if embedder else "words", lambda _: found)
