"""The default ranking: words and meaning, then support from neighbours or from what resembles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from biblicus_context.corpora.evidence import Found
from biblicus_context.corpora.question import WEIGHTS, Question
from biblicus_context.embedders.arrays import from_bytes
from biblicus_context.retrieval.fusion import Scores, Search, StandardScores
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
    places, scores = _fused(question, spec)
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


def _fused(question: Question, spec: HybridSpec) -> tuple[dict[str, Place], Scores]:
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
        searches.append(Search("vector", by_vector, spec.vector_weight))
    return places, StandardScores()(searches)


def _searched(question: Question, spec: HybridSpec) -> tuple[Sequence[Hit], Sequence[Hit]]:
    """Both searches; turns are short, and it takes more of them to see where they are dense."""
    most = spec.candidates
    text, vector = _by_text(question, most), _by_vector(question, most)
    if spec.turn_candidates > most and any(_is_turn(hit.place) for hit in (*text, *vector)):
        most = spec.turn_candidates
        return _by_text(question, most), _by_vector(question, most)
    return text, vector


def _by_text(question: Question, most: int) -> Sequence[Hit]:
    if not question.terms:
        return ()
    return question.store.search_text(
        question.principal,
        question.terms,
        filters=question.filters,
        limit=most,
        weights=WEIGHTS,
        at=question.at,
    )


def _by_vector(question: Question, most: int) -> Sequence[Hit]:
    if question.vector is None:
        return ()
    return question.store.search_vectors(
        question.principal,
        question.vector,
        filters=question.filters,
        limit=most,
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
            near = question.store.nearby(question.principal, blocks, reach=reach, at=question.at)
            for each in near:
                beside.update((each.of, each.place.block_id))
                places.setdefault(each.place.block_id, each.place)
    return {
        block: Standing(place.tokens, _spot(place) if block in beside else None, _is_turn(place))
        for block, place in places.items()
    }


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
