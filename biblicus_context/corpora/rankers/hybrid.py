"""The default ranking: words and meaning, then support from neighbours or from what resembles."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from math import inf
from typing import Final

from biblicus_context.corpora.evidence import Found
from biblicus_context.corpora.question import WEIGHTS, Question
from biblicus_context.embedders.arrays import from_bytes
from biblicus_context.retrieval.fusion import Scores, Search
from biblicus_context.retrieval.smoothing import (
    ALONE,
    BLOCKS,
    TURNS,
    Spot,
    Standing,
    for_length,
    lent_by_neighbours,
    lent_by_resemblance,
)
from biblicus_context.spec.retriever_settings import HybridSpec
from biblicus_context.stores import Hit, Place

_JUDGED: Final = ALONE.among
"""So many of the best have their neighbours looked up."""


def hybrid(question: Question, spec: HybridSpec, most: int) -> list[Found]:
    """Every candidate, best first; how many are asked for changes nothing in their order."""
    del most
    places, searches = _both_searches(question, spec)
    scores = question.fusion(searches)
    if not places:
        return []
    best = scores.ranked()[:_JUDGED]
    standing = _standing(question, best, places)
    scores = lent_by_neighbours(scores, standing)
    scores = _resembling(question, scores, best, standing)
    scores = for_length(scores, standing)
    totals = scores.by_id()
    return [
        Found(block, places[block].document_id, totals[block], scores.parts_of)
        for block in scores.ranked()
    ]


def _both_searches(
    question: Question, spec: HybridSpec
) -> tuple[dict[str, Place], Sequence[Search]]:
    """What the two searches found, each block with the scores of both."""
    text, vector = _searched(question, spec)
    places = {hit.block_id: hit.place for hit in (*text, *vector)}
    searches = []
    if question.terms:
        by_text = _raw(text)
        by_text.update(_scored_by_text(question, _others(places, by_text)))
        searches.append(Search("text", by_text, spec.text_weight, missing=0.0))
    if question.vector is not None:
        by_vector = _raw(vector)
        by_vector.update(_scored_by_vector(question, _others(places, by_vector)))
        searches.append(Search("vector", by_vector, _vector_weight(question, spec)))
    return places, searches


def _vector_weight(question: Question, spec: HybridSpec) -> float:
    """The author's, else what suits the embedder."""
    assert question.embedder is not None
    own = question.embedder.vector_weight
    return own if spec.vector_weight is None else spec.vector_weight


def _searched(question: Question, spec: HybridSpec) -> tuple[Sequence[Hit], Sequence[Hit]]:
    """Both searches; turns are short, and it takes more of them to see where they are dense."""
    most, more = spec.candidates, spec.turn_candidates - spec.candidates
    text, vector = _by_text(question, 0, most), _by_vector(question, 0, most)
    if more > 0 and any(_is_turn(hit.place) for hit in (*text, *vector)):
        # The next page of each, and not both anew: what was found is remembered by the store.
        text = (*text, *_by_text(question, most, more))
        vector = (*vector, *_by_vector(question, most, more))
    return text, vector


def _by_text(question: Question, offset: int, most: int) -> Sequence[Hit]:
    if not question.terms:
        return ()
    return question.store.search_text(
        question.principal,
        question.terms,
        filters=question.filters,
        limit=most,
        offset=offset,
        weights=WEIGHTS,
        at=question.at,
    )


def _by_vector(question: Question, offset: int, most: int) -> Sequence[Hit]:
    if question.vector is None:
        return ()
    return question.store.search_vectors(
        question.principal,
        question.vector,
        filters=question.filters,
        limit=most,
        offset=offset,
        at=question.at,
    )


def _raw(hits: Sequence[Hit]) -> dict[str, float]:
    return {hit.block_id: hit.score for hit in hits}


def _others(places: Iterable[str], scores: Mapping[str, float]) -> list[str]:
    return [block for block in places if block not in scores]


def _scored_by_text(question: Question, blocks: Sequence[str]) -> dict[str, float]:
    scores = question.store.score_text(
        question.principal, question.terms, blocks, weights=WEIGHTS, at=question.at
    )
    return dict(scores)


def _scored_by_vector(question: Question, blocks: Sequence[str]) -> dict[str, float]:
    assert question.vector is not None
    scores = question.store.score_vectors(
        question.principal, question.vector, blocks, at=question.at
    )
    return dict(scores)


def _standing(
    question: Question, best: Sequence[str], places: dict[str, Place]
) -> dict[str, Standing]:
    """Where each candidate stands; the neighbours of the best ones join the candidates."""
    turns = [block for block in best if _is_turn(places[block])]
    others = [block for block in best if not _is_turn(places[block])]
    beside: set[str] = set()
    for blocks, reach in ((turns, TURNS.reach), (others, BLOCKS.reach)):
        if blocks:
            asked = _anchors([places[block] for block in blocks], reach)
            near = question.store.nearby(question.principal, asked, reach=reach, at=question.at)
            found = {place.block_id: place for _, place, _ in near}
            beside.update(found, (of for of, _, _ in near))
            places.update(found)
    return {
        block: Standing(place.tokens, _spot(place) if block in beside else None, _is_turn(place))
        for block, place in places.items()
    }


def _anchors(blocks: Iterable[Place], reach: int) -> list[str]:
    """So few of these blocks that what stands around them is all that stands around any of them.

    Where good turns are dense, as in one meeting, that is one in four or fewer.
    """
    sequences: defaultdict[str, list[Place]] = defaultdict(list)
    for place in blocks:
        sequences[_spot(place).sequence].append(place)
    wide = 2 * reach + 1  # two blocks no further apart leave no gap between what is around them
    anchors = []
    for row in sequences.values():
        row.sort(key=lambda place: place.position)
        last = -inf
        for place, following in zip_longest(row, row[1:]):
            is_first = place.position - last > wide
            if is_first or following is None or following.position - last > wide:
                anchors.append(place.block_id)
                last = place.position
    return anchors


def _is_turn(place: Place) -> bool:
    return place.session is not None


def _spot(place: Place) -> Spot:
    if place.session is None:
        return Spot(place.document_id, place.position)
    return Spot(f"{place.document_id}\n{place.session}", place.position)


def _resembling(
    question: Question, scores: Scores, best: Sequence[str], standing: Mapping[str, Standing]
) -> Scores:
    """With what the best of the blocks without neighbours lend each other."""
    alone = [block for block in best if standing[block].spot is None]
    if question.vector is None or not alone:
        return scores
    model, size = question.vector.model, question.vector.dimensions
    rows = question.store.vectors(question.principal, model, alone, at=question.at)
    known = [block for block in alone if block in rows]
    if not known:
        return scores
    matrix = from_bytes([rows[block] for block in known], size)
    return lent_by_resemblance(scores, known, matrix)
