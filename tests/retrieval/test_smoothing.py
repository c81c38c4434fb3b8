"""A block is judged with those around it, or with those it resembles."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biblicus_context.errors import InputError, MissingExtraError
from biblicus_context.retrieval.fusion import Scores
from biblicus_context.retrieval.smoothing import (
    ALONE,
    BLOCKS,
    TURNS,
    Kernel,
    Resemblance,
    Spot,
    Standing,
    for_length,
    lent_by_neighbours,
    lent_by_resemblance,
    standing_alone,
    support_from_neighbours,
)
from tests.retrieval import sparingly

kernels = st.builds(Kernel, st.floats(0, 1), st.floats(0.1, 1), st.integers(0, 15))
spots = st.builds(Spot, st.sampled_from(["one", "two"]), st.integers(-50, 50))
given_scores = st.dictionaries(spots, st.floats(0, 100), max_size=30)
vectors = st.lists(
    st.lists(st.floats(-1, 1, width=32), min_size=4, max_size=4), min_size=3, max_size=12
)


def scores_of(given_: dict[str, float]) -> Scores:
    ids = sorted(given_)
    return Scores.of(ids, {"text": [given_[block] for block in ids]})


@sparingly
@given(given_scores, kernels)
def test_support_is_the_sum_of_what_every_spot_in_reach_lends(
    scores: dict[Spot, float], kernel: Kernel
) -> None:
    support = support_from_neighbours(scores, kernel)
    wanted = {
        Spot(sequence, position): sum(
            score * kernel.lent(abs(spot.position - position))
            for spot, score in scores.items()
            if spot.sequence == sequence
        )
        for sequence in ("one", "two")
        for position in range(-70, 71)
    }
    for spot, value in wanted.items():
        assert support.get(spot, 0.0) == pytest.approx(value, abs=1e-9)
    assert support.keys() <= wanted.keys()


@sparingly
@given(given_scores, kernels)
def test_support_never_reaches_farther_than_the_kernel(
    scores: dict[Spot, float], kernel: Kernel
) -> None:
    for spot in support_from_neighbours(scores, kernel):
        assert any(
            spot.sequence == other.sequence
            and 0 < abs(spot.position - other.position) <= kernel.reach
            for other in scores
        )


@sparingly
@given(given_scores, kernels)
def test_support_does_not_depend_on_the_order_of_the_scores(
    scores: dict[Spot, float], kernel: Kernel
) -> None:
    shuffled = dict(reversed(scores.items()))
    assert support_from_neighbours(shuffled, kernel) == support_from_neighbours(scores, kernel)


def test_nearer_neighbours_lend_more_and_turns_lend_farther_than_blocks() -> None:
    assert TURNS.lent(1) > TURNS.lent(2) > TURNS.lent(12) > TURNS.lent(13) == 0
    assert BLOCKS.lent(1) > BLOCKS.lent(2) > BLOCKS.lent(3) == TURNS.lent(0) == 0


def test_a_neighbour_no_search_found_comes_in_with_what_it_is_lent() -> None:
    standing = {
        "hit": Standing(9, Spot("talk", 4), is_turn=True),
        "next": Standing(9, Spot("talk", 5), is_turn=True),
        "far": Standing(9, Spot("talk", 40), is_turn=True),
        "elsewhere": Standing(9, Spot("other talk", 5), is_turn=True),
    }
    scores = lent_by_neighbours(scores_of({"hit": 1.0}), standing)
    assert scores.by_id() == {"hit": 1.0, "next": TURNS.lent(1)}
    assert scores.parts_of("next") == {"text": 0.0, "neighbours": TURNS.lent(1)}


def test_turns_and_blocks_have_a_kernel_each() -> None:
    standing = {
        name: Standing(9, Spot(name[:4], place), is_turn=name.startswith("turn"))
        for place in (0, 1)
        for name in (f"turn{place}", f"text{place}")
    }
    scores = lent_by_neighbours(scores_of({"turn0": 1.0, "text0": 1.0}), standing).by_id()
    assert scores["turn1"] == TURNS.lent(1)
    assert scores["text1"] == BLOCKS.lent(1)


def test_where_nobody_has_neighbours_nothing_changes() -> None:
    scores = scores_of({"a": 1.0, "b": 2.0})
    assert lent_by_neighbours(scores, {"a": Standing(1), "b": Standing(1)}) is scores


def test_the_best_blocks_that_stand_alone_are_asked_for_their_vectors() -> None:
    standing = {"a": Standing(1), "b": Standing(1), "c": Standing(1, Spot("x", 0))}
    scores = scores_of({"a": 1.0, "b": 2.0, "c": 3.0})
    assert standing_alone(scores, standing) == ["b", "a"]
    assert standing_alone(scores, standing, most=1) == ["b"]


@sparingly
@given(vectors, st.data())
def test_a_block_is_lent_the_mean_score_of_those_it_resembles(
    rows: list[list[float]], data: st.DataObject
) -> None:
    own = data.draw(st.lists(st.floats(0, 10), min_size=len(rows), max_size=len(rows)))
    for lent in Resemblance(weight=0.5).support(own, rows):
        assert -1e-9 <= lent <= 0.5 * max(own) + 1e-9


def test_likeness_lifts_the_one_among_equals_that_is_like_the_best() -> None:
    rows = [[1, 0, 0, 0], [0.9, 0.1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    lent = ALONE.support([9.0, 1.0, 1.0, 1.0], rows)
    assert max(lent[1:]) == lent[1] > 0


def test_only_the_nearest_lend() -> None:
    rows = [[1.0, 0.0], [0.99, 0.1], [0.8, 0.6], [-1.0, -0.2], [-0.9, 0.1]]
    near = Resemblance(weight=1.0, nearest=1).support([0.0, 5.0, 100.0, 1.0, 1.0], rows)
    assert near[0] == pytest.approx(5.0)


def test_blocks_that_are_all_the_same_or_too_few_lend_nothing() -> None:
    assert ALONE.support([1.0, 2.0, 3.0], [[1.0, 2.0]] * 3) == [0.0, 0.0, 0.0]
    assert ALONE.support([1.0, 2.0], [[1.0, 2.0], [2.0, 1.0]]) == [0.0, 0.0]
    assert ALONE.support([], np.empty((0, 4))) == []


@pytest.mark.parametrize("rows", [[[1.0, 0.0]], [1.0, 2.0, 3.0]])
def test_a_vector_is_needed_for_each_score(rows: object) -> None:
    with pytest.raises(InputError, match="3 scores need one vector each"):
        ALONE.support([1.0, 2.0, 3.0], rows)  # type: ignore[arg-type]  # the mistake itself


def test_without_numpy_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(MissingExtraError, match=r"biblicus-context\[corpus\]"):
        ALONE.support([1.0], [[1.0]])


def test_resemblance_is_a_part_of_the_score() -> None:
    scores = scores_of({"a": 4.0, "b": 2.0, "c": 1.0, "d": 1.0})
    rows = [[1.0, 0.0, 0.0], [0.9, 0.1, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    lent = lent_by_resemblance(scores, ["a", "b", "c", "d"], rows)
    assert lent.parts_of("b")["resemblance"] > lent.parts_of("c")["resemblance"]
    assert lent.by_id()["b"] == 2.0 + lent.parts_of("b")["resemblance"]


def test_of_two_equal_blocks_the_shorter_one_comes_first() -> None:
    standing = {"long": Standing(400), "short": Standing(40), "empty": Standing(0)}
    scores = for_length(scores_of({"long": 1.0, "short": 1.0, "empty": 1.0}), standing)
    assert scores.ranked() == ["empty", "short", "long"]
    assert for_length(scores_of({"long": 1.0}), standing, 0.0).by_id() == {"long": 1.0}


def test_a_better_long_block_still_beats_a_short_one() -> None:
    standing = {"long": Standing(400), "short": Standing(40)}
    assert for_length(scores_of({"long": 1.5, "short": 1.0}), standing).ranked()[0] == "long"
