"""A block is scored with those around it, or with those it resembles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from biblicus_context.errors import InputError
from biblicus_context.retrieval.fusion import Scores
from biblicus_context.retrieval.smoothing import (
    ALONE,
    BLOCKS,
    TURNS,
    Kernel,
    Resemblance,
    ScoredBlocks,
    add_resemblance,
    distinct,
    support_from_neighbours,
)
from tests.retrieval import sparingly

kernels = st.builds(Kernel, st.floats(0, 1), st.floats(0.1, 1), st.integers(0, 15))
spots = st.tuples(st.integers(0, 2), st.integers(0, 100))
given_scores = st.dictionaries(spots, st.floats(0, 100), max_size=30)
vectors = st.lists(
    st.lists(st.floats(-1, 1, width=32), min_size=4, max_size=4), min_size=3, max_size=12
)
rows = st.dictionaries(st.integers(0, 20), st.floats(0, 100), max_size=8)


def scored_of(given_: dict[int, float]) -> ScoredBlocks:
    numbers = sorted(given_)
    return ScoredBlocks.of(Scores.of(numbers, {"text": [given_[block] for block in numbers]}))


def by_number(scored: ScoredBlocks) -> dict[int, float]:
    return dict(zip(scored.numbers.tolist(), scored.totals.tolist(), strict=True))


def support_of(
    scores: dict[tuple[int, int], float], kernel: Kernel
) -> dict[tuple[int, int], tuple[float, bool]]:
    columns = np.array([*scores], dtype=np.int64).reshape(-1, 2).T
    found = support_from_neighbours(*columns, np.array([*scores.values()]), kernel)
    pairs = zip(found.lent.tolist(), found.alone.tolist(), strict=True)
    return dict(zip(scores, pairs, strict=True))


@sparingly
@given(given_scores, kernels)
def test_support_is_the_sum_of_what_every_block_in_reach_lends(
    scores: dict[tuple[int, int], float], kernel: Kernel
) -> None:
    for (sequence, position), (lent, alone) in support_of(scores, kernel).items():
        distances = {
            abs(other - position): score
            for (where, other), score in scores.items()
            if where == sequence and other != position
        }
        wanted = sum(
            score * kernel.lent(abs(other - position))
            for (where, other), score in scores.items()
            if where == sequence and other != position
        )
        assert lent == pytest.approx(wanted, abs=1e-9)
        assert alone == all(distance > kernel.reach for distance in distances)


@sparingly
@given(given_scores, kernels)
def test_support_does_not_depend_on_the_order_of_the_blocks(
    scores: dict[tuple[int, int], float], kernel: Kernel
) -> None:
    assert support_of(dict(reversed(scores.items())), kernel) == support_of(scores, kernel)


@given(st.integers(0, 12), st.floats(0, 100), kernels)
def test_two_blocks_on_the_two_sides_of_a_good_one_are_lent_exactly_the_same(
    distance: int, score: float, kernel: Kernel
) -> None:
    found = support_of({(1, 50): score, (1, 50 - distance): 0.0, (1, 50 + distance): 0.0}, kernel)
    assert found[1, 50 - distance] == found[1, 50 + distance] or distance == 0


def test_nearer_neighbours_lend_more_and_turns_lend_farther_than_blocks() -> None:
    assert TURNS.lent(1) > TURNS.lent(2) > TURNS.lent(12) > TURNS.lent(13) == 0
    assert BLOCKS.lent(1) > BLOCKS.lent(2) > BLOCKS.lent(3) == TURNS.lent(0) == 0


@sparingly
@given(rows, rows)
def test_a_part_that_is_added_counts_for_its_blocks_only(
    own: dict[int, float], added: dict[int, float]
) -> None:
    order = np.array([*added], dtype=np.int64)
    scored = scored_of(own).adding("more", order, np.array([*added.values()]))
    assert scored.numbers.tolist() == sorted({*own, *added})
    for row, block in enumerate(scored.numbers.tolist()):
        assert scored.parts["text"][row] == own.get(block, 0.0)
        assert scored.parts["more"][row] == added.get(block, 0.0)
        assert scored.totals[row] == pytest.approx(own.get(block, 0.0) + added.get(block, 0.0))


@sparingly
@given(rows, st.lists(st.integers(0, 30), max_size=8))
def test_what_was_not_scored_scores_nothing(own: dict[int, float], asked: list[int]) -> None:
    scores = scored_of(own).score_of(np.array(asked, dtype=np.int64))
    assert scores.tolist() == [own.get(block, 0.0) for block in asked]


@sparingly
@given(rows)
def test_the_ranking_falls_and_equals_are_in_the_order_of_their_numbers(
    own: dict[int, float],
) -> None:
    scored = scored_of(own)
    expected = sorted(own, key=lambda block: (-own[block], block))
    assert scored.numbers[scored.ranked()].tolist() == expected


def test_a_fusion_may_give_its_blocks_in_any_order() -> None:
    scored = ScoredBlocks.of(Scores.of([7, 3, 5], {"text": [1.0, 2.0, 3.0]}))
    assert by_number(scored) == {3: 2.0, 5: 3.0, 7: 1.0}


@sparingly
@given(vectors, st.data())
def test_a_block_is_lent_the_mean_score_of_those_it_resembles(
    rows: list[list[float]], data: st.DataObject
) -> None:
    own = data.draw(st.lists(st.floats(0, 10), min_size=len(rows), max_size=len(rows)))
    for lent in Resemblance(weight=0.5).support(np.array(own), rows):
        assert -1e-9 <= lent <= 0.5 * max(own) + 1e-9


def test_likeness_lifts_the_one_among_equals_that_is_like_the_best() -> None:
    rows = [[1, 0, 0, 0], [0.9, 0.1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    lent = ALONE.support(np.array([9.0, 1.0, 1.0, 1.0]), rows)
    assert max(lent[1:]) == lent[1] > 0


def test_only_the_nearest_lend() -> None:
    rows = [[1.0, 0.0], [0.99, 0.1], [0.8, 0.6], [-1.0, -0.2], [-0.9, 0.1]]
    scores = np.array([0.0, 5.0, 100.0, 1.0, 1.0])
    near = Resemblance(weight=1.0, nearest=1, among=5).support(scores, rows)
    assert near[0] == pytest.approx(5.0)


def test_what_few_blocks_lend_counts_by_their_share_of_those_that_may_take_part() -> None:
    rows = np.random.default_rng(1).normal(size=(20, 4))
    scores = np.arange(20.0)
    few = Resemblance(among=100).support(scores, rows)
    assert few == pytest.approx(Resemblance(among=20).support(scores, rows) / 5)
    assert Resemblance(among=10).support(scores, rows) == pytest.approx(5 * few)


@given(st.floats(-1, 1, width=32), st.floats(-1, 1, width=32), st.integers(3, 12))
def test_blocks_that_are_all_the_same_lend_nothing_whatever_rounding_leaves_of_them(
    one: float, other: float, blocks: int
) -> None:
    scores = np.arange(float(blocks))
    assert not ALONE.support(scores, [[one, other]] * blocks).any()


def test_blocks_that_are_too_few_lend_nothing() -> None:
    assert not ALONE.support(np.array([1.0, 2.0]), [[1.0, 2.0], [2.0, 1.0]]).any()
    assert len(ALONE.support(np.empty(0), np.empty((0, 4)))) == 0


@pytest.mark.parametrize("rows", [[[1.0, 0.0]], [1.0, 2.0, 3.0]])
def test_a_vector_is_needed_for_each_score(rows: object) -> None:
    with pytest.raises(InputError, match="3 scores need one vector each"):
        ALONE.support(np.array([1.0, 2.0, 3.0]), rows)  # type: ignore[arg-type]  # the mistake


def test_resemblance_is_a_part_of_the_score() -> None:
    rows = [[1.0, 0.0, 0.0], [0.9, 0.1, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    scored = scored_of({1: 4.0, 2: 2.0, 3: 1.0, 4: 1.0, 5: 9.0})
    lent = add_resemblance(scored, np.array([1, 2, 3, 4]), rows)
    part = lent.parts["resemblance"]
    assert part[1] > part[2]
    assert by_number(lent)[2] == 2.0 + part[1]
    assert part[4] == 0.0


def test_of_two_equal_blocks_the_shorter_one_comes_first() -> None:
    scored = scored_of({1: 1.0, 2: 1.0, 3: 1.0}).for_length(np.array([400, 40, 0]))
    assert scored.numbers[scored.ranked()].tolist() == [3, 2, 1]
    assert by_number(scored_of({1: 1.0}).for_length(np.array([400]), 0.0)) == {1: 1.0}


def test_a_better_long_block_still_beats_a_short_one() -> None:
    scored = scored_of({1: 1.6, 2: 1.0}).for_length(np.array([400, 40]))
    assert scored.numbers[scored.ranked()].tolist() == [1, 2]


def test_a_factor_scales_a_score_and_its_parts() -> None:
    scores = Scores.of([1, 2], {"text": [1.0, 2.0], "vector": [3.0, 4.0]})
    scored = ScoredBlocks.of(scores).times(np.array([2.0, 0.5]))
    assert by_number(scored) == {1: 8.0, 2: 3.0}
    assert [column.tolist() for column in scored.parts.values()] == [[2.0, 1.0], [6.0, 2.0]]


@given(st.integers(0, 10_000))
def test_the_reach_of_turns_is_a_fifth_of_their_session_and_twelve_at_most(length: int) -> None:
    reach = TURNS.within(length).reach
    assert 1 <= reach <= TURNS.reach
    assert abs(reach - length / 5) <= 1 or reach == TURNS.reach
    assert BLOCKS.within(length) == BLOCKS


numbers = st.lists(st.integers(-5, 5)).map(lambda each: np.array(each, dtype=np.int64))


@given(numbers, numbers)
def test_distinct_numbers_are_those_that_numpy_finds(some, others):
    found = distinct(some, others)
    assert found.dtype == np.int64
    assert found.tolist() == np.union1d(some, others).tolist()
