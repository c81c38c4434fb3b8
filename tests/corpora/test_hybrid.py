"""The hybrid ranks as a plain reading of its recipe does, whatever it saves on the way."""

from __future__ import annotations

import weakref
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from statistics import fmean, pstdev
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from biblicus_context import stores
from biblicus_context.corpora.search.query import WEIGHTS, CurrentView, SearchQuery
from biblicus_context.corpora.search.rankers import hybrid
from biblicus_context.embedders import WordLlamaEmbedder
from biblicus_context.retrieval.fusion import Scores, Search, StandardScores
from biblicus_context.spec.retriever_settings import HybridSpec
from biblicus_context.spec.retriever_settings.by_meaning import VectorWeightSpec, vector_weight_spec
from biblicus_context.stores import (
    Batch,
    Block,
    Document,
    Entry,
    Filters,
    Hit,
    Principal,
    Vectors,
)
from biblicus_context.stores.sqlite import open_store

WHO = Principal("acme")
NOW = datetime(2026, 5, 8, tzinfo=UTC)
EVERYTHING = 10_000
EMBEDDER = WordLlamaEmbedder()
WORDS = "rose garden soil water lamp bulb watt tyre glue patch bread rye oven yeast the of"

shelves = st.lists(
    st.tuples(st.sampled_from(["alone", "prose", "turns"]), st.integers(1, 40)),
    min_size=1,
    max_size=5,
)
plans = st.builds(
    HybridSpec,
    retriever_id=st.just("hybrid"),
    candidates=st.integers(1, 20),
    turn_candidates=st.integers(1, 60),
    text_weight=st.sampled_from([0.5, 1.0]),
    vector_weight=st.sampled_from([0.7, 1.5, VectorWeightSpec(blocks=2.0, turns=0.5)]),
)


@settings(max_examples=40, deadline=None)
@given(shelf=shelves, dice=st.randoms(use_true_random=False), plan=plans)
def test_no_shortcut_changes_a_ranking(
    shelf: list[tuple[str, int]], dice: Random, plan: HybridSpec
):
    with TemporaryDirectory() as folder, open_store(Path(folder)) as store:
        store.write(WHO, Batch(put=tuple(_entries(shelf, dice))))
        with store.view(WHO) as view:
            query = SearchQuery(CurrentView(view), EMBEDDER, _said(dice), Filters(), NOW)
            ranked = {each.block_id: each.score for each in hybrid(query, plan, 100)}
            expected = _plainly(query, plan)
            assert ranked == pytest.approx(expected, rel=1e-5, abs=1e-6)
            assert [*ranked] == sorted(ranked, key=lambda block: (-ranked[block], block))


@settings(max_examples=15, deadline=None)
@given(shelf=shelves, dice=st.randoms(use_true_random=False), plan=plans)
def test_a_ranking_does_not_depend_on_the_order_in_which_documents_were_written(
    shelf: list[tuple[str, int]], dice: Random, plan: HybridSpec
):
    entries, said = _entries(shelf, dice), _said(dice)
    rankings = []
    for order in (entries, entries[::-1]):
        with TemporaryDirectory() as folder, open_store(Path(folder)) as store:
            for each in order:
                store.write(WHO, Batch(put=(each,)))
            with store.view(WHO) as view:
                query = SearchQuery(CurrentView(view), EMBEDDER, said, Filters(), NOW)
                rankings.append([(each.block_id, each.score) for each in hybrid(query, plan, 100)])
    assert rankings[0] == rankings[1]


def test_candidates_are_ranked_once_however_many_blocks_a_pack_needs(tmp_path: Path):
    times = []

    def counted(searches: Sequence[Search[int]]) -> Scores[int]:
        times.append(len(searches))
        return StandardScores()(searches)

    plan = HybridSpec(retriever_id="hybrid")
    with open_store(tmp_path) as store:
        store.write(WHO, Batch(put=tuple(_entries([("prose", 600)], Random(1)))))
        with store.view(WHO) as view:
            query = SearchQuery(CurrentView(view), EMBEDDER, "rose", Filters(), NOW, fusion=counted)
            first = [each.block_id for each in hybrid(query, plan, 5)]
            more = [each.block_id for each in hybrid(query, plan, 600)]
            assert len(more) > len(first) == len(set(first))
            assert more[: len(first)] == first
            # With other filters they are other candidates.
            nothing = replace(query, filters=Filters(documents=frozenset({"another"})))
            assert [*hybrid(nothing, plan, 5)] == []
            # Nothing waits for a collection of garbage: a program makes many queries.
            ranked = weakref.ref(query)
            del query, nothing
            assert ranked() is None
    assert times == [2, 2]


def _said(dice: Random) -> str:
    return " ".join(dice.choices(WORDS.split(), k=dice.randint(1, 8)))


def _entries(shelf: Sequence[tuple[str, int]], dice: Random) -> list[Entry]:
    entries = []
    for number, (shape, size) in enumerate(shelf):
        shown = [_said(dice) for _ in range(size)]
        parts = [[text] for text in shown] if shape == "alone" else [shown]
        for part, each in enumerate(parts):
            entries.append(_entry(f"{number}.{part}", each, is_talk=shape == "turns"))
    return entries


def _entry(name: str, shown: Sequence[str], *, is_talk: bool) -> Entry:
    blocks = tuple(
        Block(
            id=f"{name}#{position}",
            document_id=name,
            position=position,
            text=text,
            tokens=1 + position % 7,
            session=f"session {position // 15}" if is_talk else None,
        )
        for position, text in enumerate(shown)
    )
    rows = EMBEDDER.embed(shown)
    vectors = Vectors(EMBEDDER.model, EMBEDDER.dimensions, rows.astype("<f4").tobytes())
    return Entry(Document(id=name), blocks, (vectors,))


def _plainly(query: SearchQuery, plan: HybridSpec) -> dict[str, float]:
    """Everything is searched and looked up again at each step, and nothing is remembered."""
    text, vector = _text(query), _vector(query)
    found = _found(text, vector, plan.candidates)
    if any(text_or_vector.place.session for text_or_vector in found.values()):
        found = _found(text, vector, max(plan.candidates, plan.turn_candidates))
    by_text = {hit.block_id: hit.score for hit in text}
    by_vector = {hit.block_id: hit.score for hit in vector}
    ids = sorted(found)
    words = _lifted([by_text.get(each, 0.0) for each in ids]) if query.terms else [0.0] * len(ids)
    meaning = _lifted([by_vector[each] for each in ids])
    weight = _vector_weight(plan, [found[each].place.session for each in ids])
    scores = {
        each: plan.text_weight * one + weight * other
        for each, one, other in zip(ids, words, meaning, strict=True)
    }
    best = sorted(scores, key=lambda each: (-scores[each], each))[:100]
    blocks = {block.id: block for block in _all_blocks(query)}
    beside = _beside(blocks, best)
    lent = {each: _support(blocks, scores, beside, each) for each in beside}
    lent |= _resemblance(query, scores, [each for each in best if each not in beside])
    total = {each: scores.get(each, 0.0) + lent.get(each, 0.0) for each in {*scores, *lent}}
    return {
        each: score / blocks[each].tokens ** 0.2
        for each, score in total.items()
        if each in scores or score
    }


def _vector_weight(plan: HybridSpec, sessions: Sequence[str | None]) -> float:
    """Each kind counts by its share of what was found."""
    weights = vector_weight_spec(plan.vector_weight)
    assert weights.blocks is not None
    assert weights.turns is not None
    return fmean(weights.blocks if each is None else weights.turns for each in sessions)


def _text(query: SearchQuery) -> Sequence[Hit]:
    if not query.terms:
        return ()
    return stores.search_text(query.view, query.terms, limit=EVERYTHING, weights=WEIGHTS)


def _vector(query: SearchQuery) -> Sequence[Hit]:
    assert query.vector is not None
    return stores.search_vectors(query.view, query.vector, limit=EVERYTHING)


def _found(text: Sequence[Hit], vector: Sequence[Hit], most: int) -> dict[str, Hit]:
    return {hit.block_id: hit for hit in (*text[:most], *vector[:most])}


def _lifted(scores: Sequence[float]) -> list[float]:
    mean, spread, low = fmean(scores), pstdev(scores), min(scores)
    width = max(scores) - low
    return [
        max(0.0, (score - mean) / spread if spread else 0.0)
        + 0.001 * ((score - low) / width if width else 1.0)
        for score in scores
    ]


def _all_blocks(query: SearchQuery) -> Iterator[Block]:
    for document in query.view.list_documents(limit=EVERYTHING):
        yield from query.view.blocks_of([document.id])


def _distance(blocks: Mapping[str, Block], one: Block, other: Block) -> int | None:
    """How far apart two blocks are, if they are near enough to be judged together."""
    same = [
        each
        for each in blocks.values()
        if (each.document_id, each.session) == (one.document_id, one.session)
    ]
    reach = 2 if one.session is None else min(12, max(1, round(len(same) / 5)))
    apart = abs(one.position - other.position)
    return apart if other in same and 0 < apart <= reach else None


def _beside(blocks: Mapping[str, Block], best: Sequence[str]) -> set[str]:
    beside: set[str] = set()
    for each in best:
        for other in blocks.values():
            if _distance(blocks, blocks[each], other) is not None:
                beside |= {each, other.id}
    return beside


def _support(
    blocks: Mapping[str, Block], scores: Mapping[str, float], beside: set[str], each: str
) -> float:
    weight, decay = (0.3, 0.5) if blocks[each].session is None else (0.6, 0.88)
    apart: defaultdict[int, float] = defaultdict(float)
    for other in beside & {*scores}:
        distance = _distance(blocks, blocks[each], blocks[other])
        if distance is not None:
            apart[distance] += scores[other]
    return sum(weight * decay ** (distance - 1) * score for distance, score in apart.items())


def _resemblance(
    query: SearchQuery, scores: Mapping[str, float], alone: Sequence[str]
) -> dict[str, float]:
    if len(alone) < 3:
        return {}
    known = query.view.vectors(EMBEDDER.model, alone)
    rows = np.array([np.frombuffer(known[each], "<f4") for each in alone], dtype=np.float64)
    rows -= rows.mean(axis=0)
    lengths = np.linalg.norm(rows, axis=1)
    lent = {}
    for one, each in enumerate(alone):
        likeness = []
        for other in range(len(alone)):
            norm = lengths[one] * lengths[other]
            is_like = one != other and min(lengths[one], lengths[other]) > 1e-6
            cosine = float(rows[one] @ rows[other] / norm) if is_like else 0.0
            likeness.append(max(0.0, cosine) ** 2)
        nearest = sorted(range(len(alone)), key=lambda n: (-likeness[n], n))[:10]
        total = sum(likeness[n] for n in nearest)
        given = sum(likeness[n] * scores[alone[n]] for n in nearest)
        lent[each] = 0.8 * min(1, len(alone) / 100) * given / total if total else 0.0
    return lent
