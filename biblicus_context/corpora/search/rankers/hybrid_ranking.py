"""The default ranking: words and vectors, then support from neighbours or similar blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from itertools import chain, zip_longest
from typing import Final

import numpy as np

from biblicus_context.base.arrays import Flags, Integers
from biblicus_context.corpora.evidence import RankedBlock
from biblicus_context.corpora.search.query import WEIGHTS, SearchQuery
from biblicus_context.corpora.search.rankers.deferred import DeferredRanking
from biblicus_context.corpora.search.rankers.vector_weight import vector_weight
from biblicus_context.corpora.search.waiting import searched
from biblicus_context.errors import InputError
from biblicus_context.retrieval.fusion import Scores, Search
from biblicus_context.retrieval.smoothing import (
    ALONE,
    BLOCKS,
    TURNS,
    Kernel,
    ScoredBlocks,
    add_resemblance,
    distinct,
    support_from_neighbours,
)
from biblicus_context.spec.retriever_settings import HybridSpec
from biblicus_context.stores import Found, Hit, SearchRequest, named

_JUDGED: Final = ALONE.among
"""How many of the best blocks have their neighbours looked up."""


def hybrid_ranking(query: SearchQuery, spec: HybridSpec, most: int) -> Sequence[RankedBlock]:
    """Every candidate, best first, then what else the searches find; `most` changes no order."""
    ranking = next((each for by, each in query.ranked if by == spec), None)
    if ranking is None:
        ranking = _candidates(query, spec)
        query.ranked.append((spec, ranking))
    if most <= len(ranking) or len(ranking) < spec.candidates or spec.limits_candidates:
        return ranking
    return [*ranking, *_others(query, {each.block_id for each in ranking}, most, ranking[-1].score)]


def _candidates(query: SearchQuery, spec: HybridSpec) -> Sequence[RankedBlock]:
    """What both searches propose, by both and by what is around it."""
    found = _found(query, spec.candidates, spec.turn_candidates)
    fused = query.fusion([*_searches(query, spec, found)])
    if not isinstance(fused, Scores):
        raise InputError("a fusion returns Scores", place="fusion", found=type(fused).__name__)
    scored = ScoredBlocks.of(fused)
    if not len(scored.numbers):
        return ()
    best = DeferredRanking(query, found, scored).rows(_JUDGED)
    found, scored = _with_support(query, found, scored, best)
    return DeferredRanking(query, found, scored.for_length(found.tokens[scored.numbers]))


def _found(query: SearchQuery, most: int, most_of_turns: int) -> Found:
    """What both searches find. Turns are short: it takes more of them to see where hits are dense."""
    return searched(
        query,
        SearchRequest(
            words=query.words,
            vector=query.vector,
            filters=query.filters,
            limit=most,
            turn_limit=most_of_turns,
            weights=WEIGHTS,
        ),
    )


def _others(
    query: SearchQuery, candidates: Set[str], most: int, score: float
) -> Iterator[RankedBlock]:
    """What is not a candidate, by its better rank in the two searches: few packs have room for it.

    Fused with the candidates it would change their order with the size of the share.
    """
    found = _found(query, most, 0)
    text = named(query.view, found, found.by_text, found.text, "text")
    vector = named(query.view, found, found.by_vector, found.cosines, "vector")
    known = {*candidates}
    for hit in chain.from_iterable(map(_present, zip_longest(text, vector))):
        if hit.block_id not in known:
            known.add(hit.block_id)
            parts = partial(_parts, {hit.search: hit.score})
            yield RankedBlock(hit.block_id, hit.place.document_id, score, parts)


def _present(hits: Iterable[Hit | None]) -> Iterator[Hit]:
    return (each for each in hits if each is not None)


def _parts(parts: Mapping[str, float], _block: str) -> Mapping[str, float]:
    return parts


def _searches(query: SearchQuery, spec: HybridSpec, found: Found) -> Iterator[Search[int]]:
    """Both searches, each with a score for every block that one of them found.

    Without them a block that only one search found would get the lowest score of the other.
    """
    rows = range(len(found))
    if found.terms:
        # Blocks without any of the words are named too: a fusion takes means over all candidates.
        scores = dict(zip(rows, found.text.tolist(), strict=True))
        yield Search("text", scores, spec.text_weight, missing=0.0)
    if query.vector is not None:
        compared = (~np.isnan(found.cosines)).nonzero()[0]
        scores = dict(zip(compared.tolist(), found.cosines[compared].tolist(), strict=True))
        yield Search("vector", scores, vector_weight(query, spec, found))


def _with_support(
    query: SearchQuery, found: Found, scored: ScoredBlocks, best: Integers
) -> tuple[Found, ScoredBlocks]:
    """With what blocks around the best lend each other, and similar blocks those that have none."""
    lengths, turns = found.lengths[best], found.turns[best]
    groups = [*_groups(best, lengths, turns)]
    around = found.around([(rows, kernel.reach) for kernel, rows in groups])
    found = around.found
    scored = replace(scored, numbers=around.moved[scored.numbers])
    rows_lent, lent = [_NO_ROWS], [_NOTHING]
    alone = [around.moved[best[lengths == 1]]]
    sequences, positions = found.sequences, found.positions
    for (kernel, _), rows in zip(groups, around.near, strict=True):
        scores = scored.score_of(rows)
        support = support_from_neighbours(sequences[rows], positions[rows], scores, kernel)
        rows_lent.append(rows[support.lent > 0])
        lent.append(support.lent[support.lent > 0])
        alone.append(rows[support.alone])
    near = np.concatenate(rows_lent)
    if len(near):
        scored = scored.adding("neighbours", near, np.concatenate(lent))
    lonely = np.concatenate(alone)
    best = around.moved[best]
    return found, _with_resemblance(query, found, scored, best[np.isin(best, lonely)])


def _groups(best: Integers, lengths: Integers, turns: Flags) -> Iterator[tuple[Kernel, Integers]]:
    """The kernels with the rows that each is for: in a short session it has less reach."""
    several = lengths > 1
    for kernel, kind in ((TURNS, turns & several), (BLOCKS, ~turns & several)):
        known = {each: kernel.within(each).reach for each in distinct(lengths[kind]).tolist()}
        reaches = np.array([known[each] for each in lengths[kind].tolist()], dtype=np.int64)
        for reach in distinct(reaches).tolist():
            yield replace(kernel, reach=reach), best[kind][reaches == reach]


def _with_resemblance(
    query: SearchQuery, found: Found, scored: ScoredBlocks, alone: Integers
) -> ScoredBlocks:
    """With the support that similar blocks lend each other, among the best without neighbours."""
    if query.vector is None or not len(alone):
        return scored
    embedded, rows = found.unit_vectors(alone)
    return add_resemblance(scored, embedded, rows) if len(embedded) else scored


_NO_ROWS: Final = np.empty(0, dtype=np.int64)
_NOTHING: Final = np.empty(0)
