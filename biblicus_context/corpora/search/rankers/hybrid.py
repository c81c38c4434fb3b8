"""The default ranking: words and meaning, then support from neighbours or from what resembles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from biblicus_context.base.arrays import Integers, Numbers
from biblicus_context.corpora.search.evidence import Found
from biblicus_context.corpora.search.query import WEIGHTS, Question
from biblicus_context.corpora.search.rankers.deferred import Late
from biblicus_context.errors import InputError
from biblicus_context.retrieval.fusion import Scores, Search
from biblicus_context.retrieval.smoothing import (
    ALONE,
    BLOCKS,
    TURNS,
    Judged,
    for_length,
    lent_by_resemblance,
    support_from_neighbours,
)
from biblicus_context.spec.retriever_settings import HybridSpec
from biblicus_context.stores import Ranked

_JUDGED: Final = ALONE.among
"""So many of the best have their neighbours looked up."""


def hybrid(question: Question, spec: HybridSpec, most: int) -> Sequence[Found]:
    """Every candidate, best first; how many are asked for changes nothing in their order."""
    del most
    fused = question.fusion([*_searches(question, spec)])
    if not isinstance(fused, Scores):
        raise InputError("a fusion answers with Scores", place="fusion", found=type(fused).__name__)
    judged = Judged.of(fused)
    if not len(judged.numbers):
        return []
    best = Late(question, judged).numbers(_JUDGED)
    judged, alone = _with_neighbours(question, judged, best)
    judged = _with_resemblance(question, judged, best[np.isin(best, alone)])
    standing = question.store.layout(question.principal, judged.numbers, at=question.at)
    return Late(question, for_length(judged, standing.tokens))


def _searches(question: Question, spec: HybridSpec) -> Iterator[Search[int]]:
    """Both searches, each with the scores of every block that one of them found."""
    numbers = _candidates(question, spec)
    if question.terms:
        scores = question.store.score_text(
            question.principal, question.terms, numbers, weights=WEIGHTS, at=question.at
        )
        yield Search("text", _by_number(numbers, scores), spec.text_weight, missing=0.0)
    if question.vector is not None:
        scores = question.store.score_vectors(
            question.principal, question.vector, numbers, at=question.at
        )
        yield Search("vector", _by_number(numbers, scores), _vector_weight(question, spec))


def _candidates(question: Question, spec: HybridSpec) -> Integers:
    """What the searches find; turns are short, and it takes more to see where they are dense."""
    found = _found(question, spec.candidates)
    if spec.turn_candidates > spec.candidates:
        standing = question.store.layout(question.principal, found, at=question.at)
        if standing.turns.any():
            return _found(question, spec.turn_candidates)
    return found


def _found(question: Question, most: int) -> Integers:
    text, vector = _by_text(question, most), _by_vector(question, most)
    return np.union1d(text.numbers, vector.numbers)


def _by_text(question: Question, most: int) -> Ranked:
    if not question.terms:
        return _NOTHING
    return question.store.rank_text(
        question.principal,
        question.terms,
        filters=question.filters,
        limit=most,
        weights=WEIGHTS,
        at=question.at,
    )


def _by_vector(question: Question, most: int) -> Ranked:
    if question.vector is None:
        return _NOTHING
    return question.store.rank_vectors(
        question.principal,
        question.vector,
        filters=question.filters,
        limit=most,
        at=question.at,
    )


def _by_number(numbers: Integers, scores: Numbers) -> dict[int, float]:
    """The scores of those blocks that have one."""
    there = ~np.isnan(scores)
    return dict(zip(numbers[there].tolist(), scores[there].tolist(), strict=True))


def _vector_weight(question: Question, spec: HybridSpec) -> float:
    """The author's, else what suits the embedder."""
    assert question.embedder is not None
    own = question.embedder.vector_weight
    return own if spec.vector_weight is None else spec.vector_weight


def _with_neighbours(question: Question, judged: Judged, best: Integers) -> tuple[Judged, Integers]:
    """With what the blocks around the best lend each other; and those that stand alone."""
    standing = question.store.layout(question.principal, best, at=question.at)
    numbers, lent, alone = [_NOTHING.numbers], [_NOTHING.scores], [_NOTHING.numbers]
    for kernel, kind in ((TURNS, standing.turns), (BLOCKS, ~standing.turns)):
        if not kind.any():
            continue
        around = question.store.layout(
            question.principal, standing.numbers[kind], reach=kernel.reach, at=question.at
        )
        scores = judged.score_of(around.numbers)
        support = support_from_neighbours(around.sequences, around.positions, scores, kernel)
        numbers.append(around.numbers[support.lent > 0])
        lent.append(support.lent[support.lent > 0])
        alone.append(around.numbers[support.alone])
    near = np.concatenate(numbers)
    if len(near):
        judged = judged.adding("neighbours", near, np.concatenate(lent))
    return judged, np.concatenate(alone)


def _with_resemblance(question: Question, judged: Judged, alone: Integers) -> Judged:
    """With what the best of the blocks without neighbours lend each other."""
    if question.vector is None or not len(alone):
        return judged
    embedded, rows = question.store.unit_vectors(
        question.principal, question.vector.model, alone, at=question.at
    )
    return lent_by_resemblance(judged, embedded, rows) if len(embedded) else judged


_NOTHING: Final = Ranked(np.empty(0, dtype=np.int64), np.empty(0))
