"""The default ranking: words and vectors, then support from neighbours or similar blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from itertools import chain, zip_longest
from typing import Final, TypeAlias

import numpy as np

from biblicus_context.base.arrays import Integers
from biblicus_context.corpora.evidence import RankedBlock
from biblicus_context.corpora.search.query import WEIGHTS, SearchQuery
from biblicus_context.corpora.search.rankers.deferred import DeferredRanking
from biblicus_context.corpora.search.rankers.vector_weight import vector_weight
from biblicus_context.errors import InputError
from biblicus_context.retrieval.fusion import Scores, Search
from biblicus_context.retrieval.smoothing import (
    ALONE,
    BLOCKS,
    TURNS,
    Kernel,
    ScoredBlocks,
    add_resemblance,
    support_from_neighbours,
)
from biblicus_context.retrieval.smoothing.distinct import distinct
from biblicus_context.spec.retriever_settings import HybridSpec
from biblicus_context.stores import NO_FILTERS, BlockPlace, Layout, Ranked

_Named: TypeAlias = tuple[BlockPlace, Mapping[str, float]]
"""A block and the parts of its score."""

_JUDGED: Final = ALONE.among
"""How many of the best blocks have their neighbours looked up."""


def hybrid_ranking(query: SearchQuery, spec: HybridSpec, most: int) -> Sequence[RankedBlock]:
    """Every candidate, best first, then what else the searches find; `most` changes no order."""
    fused = query.fusion([*_searches(query, spec)])
    if not isinstance(fused, Scores):
        raise InputError("a fusion returns Scores", place="fusion", found=type(fused).__name__)
    scored = ScoredBlocks.of(fused)
    if not len(scored.numbers):
        return []
    best = DeferredRanking(query, scored).numbers(_JUDGED)
    scored, alone = _with_neighbours(query, scored, best)
    scored = _with_resemblance(query, scored, best[np.isin(best, alone)])
    standing = query.store.layout(query.principal, scored.numbers, at=query.at)
    ranking = DeferredRanking(query, scored.for_length(standing.tokens))
    if most <= len(ranking) or len(ranking) < spec.candidates or spec.limits_candidates:
        return ranking
    return [*ranking, *_others(query, {each.block_id for each in ranking}, most, ranking[-1].score)]


def _others(
    query: SearchQuery, candidates: Set[str], most: int, score: float
) -> Iterator[RankedBlock]:
    """What is not a candidate, by its better rank in the two searches: few packs have room for it.

    Fused with the candidates it would change their order with the size of the share.
    """
    text = _named(query, "text", _by_text(query, None, most))
    vector = _named(query, "vector", _by_vector(query, None, most))
    known = {*candidates}
    for place, parts in chain.from_iterable(map(_present, zip_longest(text, vector))):
        if place.block_id not in known:
            known.add(place.block_id)
            yield RankedBlock(place.block_id, place.document_id, score, partial(_parts, parts))


def _named(query: SearchQuery, search: str, ranked: Ranked) -> list[_Named]:
    """Best first, ties by id."""
    places = query.store.places(query.principal, ranked.numbers, at=query.at)
    found = sorted(
        zip(places, ranked.scores.tolist(), strict=True),
        key=lambda each: (-each[1], each[0].block_id),
    )
    return [(place, {search: score}) for place, score in found]


def _present(ranks: Iterable[_Named | None]) -> Iterator[_Named]:
    return (each for each in ranks if each is not None)


def _parts(parts: Mapping[str, float], _block: str) -> Mapping[str, float]:
    return parts


def _searches(query: SearchQuery, spec: HybridSpec) -> Iterator[Search[int]]:
    """Both searches, each with a score for every block that one of them found.

    Without them a block that only one search found would get the lowest score of the other.
    """
    numbers = _candidates(query, spec)
    if query.terms:
        # Blocks without any of the words are named too: a fusion takes means over all candidates.
        by_text = _scores(_by_text(query, numbers, len(numbers)))
        scores = dict.fromkeys(numbers.tolist(), 0.0) | by_text
        yield Search("text", scores, spec.text_weight, missing=0.0)
    if query.vector is not None:
        scores = _scores(_by_vector(query, numbers, len(numbers)))
        yield Search("vector", scores, vector_weight(query, spec, numbers))


def _candidates(query: SearchQuery, spec: HybridSpec) -> Integers:
    """What both searches find. Turns are short: it takes more of them to see where hits are dense."""
    found = _found(query, spec.candidates)
    if spec.turn_candidates > spec.candidates:
        standing = query.store.layout(query.principal, found, at=query.at)
        if standing.turns.any():
            return _found(query, spec.turn_candidates)
    return found


def _found(query: SearchQuery, most: int) -> Integers:
    text, vector = _by_text(query, None, most), _by_vector(query, None, most)
    return distinct(text.numbers, vector.numbers)


def _by_text(query: SearchQuery, among: Integers | None, most: int) -> Ranked:
    if not query.terms:
        return _NOTHING
    return query.store.rank_text(
        query.principal,
        query.terms,
        filters=query.filters,
        among=among,
        limit=most,
        weights=WEIGHTS,
        at=query.at,
    )


def _by_vector(query: SearchQuery, among: Integers | None, most: int) -> Ranked:
    if query.vector is None:
        return _NOTHING
    return query.store.rank_vectors(
        query.principal,
        query.vector,
        filters=query.filters,
        among=among,
        limit=most,
        at=query.at,
    )


def _scores(ranked: Ranked) -> dict[int, float]:
    return dict(zip(ranked.numbers.tolist(), ranked.scores.tolist(), strict=True))


def _with_neighbours(
    query: SearchQuery, scored: ScoredBlocks, best: Integers
) -> tuple[ScoredBlocks, Integers]:
    """With the support that blocks around the best lend each other; and those without neighbours."""
    standing = query.store.layout(query.principal, best, at=query.at)
    # Of a document that meets filters all blocks do, unless they are on the blocks themselves.
    own = query.filters if query.filters.block_metadata else NO_FILTERS
    numbers, lent = [_NOTHING.numbers], [_NOTHING.scores]
    alone = [standing.numbers[standing.lengths == 1]]
    for kernel, judged in _kernels(standing):
        around = query.store.layout(
            query.principal, judged, reach=kernel.reach, filters=own, at=query.at
        )
        scores = scored.score_of(around.numbers)
        support = support_from_neighbours(around.sequences, around.positions, scores, kernel)
        numbers.append(around.numbers[support.lent > 0])
        lent.append(support.lent[support.lent > 0])
        alone.append(around.numbers[support.alone])
    near = np.concatenate(numbers)
    if len(near):
        scored = scored.adding("neighbours", near, np.concatenate(lent))
    return scored, np.concatenate(alone)


def _kernels(standing: Layout) -> Iterator[tuple[Kernel, Integers]]:
    """The kernels with the blocks that each is for: in a short session it has less reach."""
    several = standing.lengths > 1
    for kernel, kind in ((TURNS, standing.turns & several), (BLOCKS, ~standing.turns & several)):
        lengths = standing.lengths[kind].tolist()
        reaches = np.array([kernel.within(length).reach for length in lengths], dtype=np.int64)
        for reach in distinct(reaches).tolist():
            yield replace(kernel, reach=reach), standing.numbers[kind][reaches == reach]


def _with_resemblance(query: SearchQuery, scored: ScoredBlocks, alone: Integers) -> ScoredBlocks:
    """With the support that similar blocks lend each other, among the best without neighbours."""
    if query.vector is None or not len(alone):
        return scored
    embedded, rows = query.store.unit_vectors(
        query.principal, query.vector.model, alone, at=query.at
    )
    return add_resemblance(scored, embedded, rows) if len(embedded) else scored


_NOTHING: Final = Ranked(np.empty(0, dtype=np.int64), np.empty(0))
