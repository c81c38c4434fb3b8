"""Several searches become one ranking."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from biblicus_context.errors import InputError
from biblicus_context.retrieval.fusion import (
    FUSIONS,
    Fusion,
    ReciprocalRank,
    Scores,
    Search,
    StandardScores,
    WeightedScores,
)
from tests.retrieval import sparingly

BEST = {"type": "given_scores", "of_several": "best"}
numbers = st.floats(-1e6, 1e6)
blocks = st.sampled_from("abcdefgh")
found = st.dictionaries(blocks, numbers, max_size=8)
weights = st.floats(0.01, 10)
two_searches = st.tuples(
    st.builds(Search, st.just("text"), found, weights, st.none() | st.just(0.0)),
    st.builds(Search, st.just("vector"), found, weights),
)
seldom = settings(max_examples=max(10, settings().max_examples // 4))
every_fusion = pytest.mark.parametrize(
    "fusion",
    [*map(FUSIONS.build, FUSIONS.names), FUSIONS.build(BEST)],
    ids=[*FUSIONS.names, "best_score"],
)


@every_fusion
@seldom
@given(searches=two_searches)
def test_every_block_that_a_search_found_is_scored_once(
    fusion: Fusion, searches: tuple[Search, Search]
) -> None:
    scores = fusion(searches)
    assert list(scores.ids) == sorted({*searches[0].scores, *searches[1].scores})


@every_fusion
@seldom
@given(searches=two_searches)
def test_a_score_is_the_sum_of_one_part_for_each_search(
    fusion: Fusion, searches: tuple[Search, Search]
) -> None:
    scores = fusion(searches)
    for block, total in scores.by_id().items():
        parts = scores.parts_of(block)
        assert parts.keys() == {"text", "vector"}
        assert total == pytest.approx(sum(parts.values()))
        assert math.isfinite(total)


@every_fusion
@seldom
@given(searches=two_searches, data=st.data())
def test_the_order_in_which_a_search_lists_its_blocks_changes_nothing(
    fusion: Fusion, searches: tuple[Search, Search], data: st.DataObject
) -> None:
    text, vector = searches
    shuffled = dict(data.draw(st.permutations(list(text.scores.items()))))
    again = Search(text.name, shuffled, text.weight, text.missing)
    assert fusion([text, vector]) == fusion([again, vector])


@every_fusion
@seldom
@given(given=st.dictionaries(blocks, st.integers(-100, 100).map(float), min_size=1))
def test_one_search_alone_keeps_its_own_order(fusion: Fusion, given: dict[str, float]) -> None:
    expected = sorted(given, key=lambda block: (-given[block], block))
    assert fusion([Search("text", given)]).ranked() == expected


@every_fusion
def test_a_block_that_both_searches_like_beats_one_that_only_one_likes(fusion: Fusion) -> None:
    text = Search("text", {"both": 8.0, "text": 8.0, "x": 1.0, "y": 1.0})
    vector = Search("vector", {"both": 0.9, "vector": 0.8, "x": 0.1, "y": 0.1})
    assert fusion([text, vector]).ranked()[0] == "both"


@every_fusion
@pytest.mark.parametrize("nonsense", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_not_a_number_leaves_the_others_in_order(
    fusion: Fusion, nonsense: float
) -> None:
    scores = fusion([Search("text", {"good": 2.0, "bad": 1.0, "odd": nonsense})])
    ranked = [block for block in scores.ranked() if block != "odd"]
    assert ranked == ["good", "bad"]


@every_fusion
def test_nothing_found_is_nothing_scored(fusion: Fusion) -> None:
    assert fusion([]).ranked() == fusion([Search("text", {})]).ranked() == []


@every_fusion
def test_two_searches_of_one_name_are_refused(fusion: Fusion) -> None:
    with pytest.raises(InputError, match="the same name: found 'text, text'"):
        fusion([Search("text", {"a": 1.0}), Search("text", {"b": 1.0})])


def test_a_block_below_the_mean_of_a_search_is_hardly_punished_for_it() -> None:
    text = Search("text", {"a": 9.0, "b": 5.0, "c": 1.0})
    vector = Search("vector", {"a": 0.0, "b": 0.5, "c": 1.0})
    scores = StandardScores()([text, vector])
    assert scores.parts_of("a")["vector"] == 0.0
    assert scores.parts_of("a")["text"] > 1.0


def test_what_a_search_did_not_find_scores_as_little_as_its_least_or_as_it_says() -> None:
    vector = Search("vector", {"a": 0.8, "b": 0.6, "c": 0.2})
    least = StandardScores()([Search("text", {"a": 9.0, "b": 3.0}), vector])
    zero = StandardScores()([Search("text", {"a": 9.0, "b": 3.0}, missing=0.0), vector])
    assert least.parts_of("c")["text"] == least.parts_of("b")["text"] == 0.0
    assert zero.parts_of("b")["text"] > zero.parts_of("c")["text"] == 0.0


def test_a_block_that_a_search_did_not_find_has_no_place_in_it() -> None:
    text = Search("text", {"found": 2.0, "not": 0.0, "neither": 0.0}, missing=0.0)
    vector = Search("vector", {"found": 0.1, "not": 0.9, "neither": 0.5})
    scores = ReciprocalRank(constant=60)([text, vector])
    assert scores.parts_of("not")["text"] == scores.parts_of("neither")["text"] == 0.0
    assert scores.ranked()[0] == "found"


def test_a_single_block_has_a_score_above_nothing() -> None:
    assert StandardScores()([Search("text", {"only": 3.0})]).by_id()["only"] > 0


@given(st.floats(0.01, 10), st.integers(2, 12))
def test_equal_scores_lift_no_block_whatever_rounding_makes_of_their_mean(
    score: float, blocks: int
) -> None:
    search = Search("text", {f"block {number}": score for number in range(blocks)})
    assert {*StandardScores()([search]).totals} == {
        StandardScores()([Search("text", {"a": 1})]).totals[0]
    }


def test_the_weight_of_a_search_decides_where_they_disagree() -> None:
    def best(weight: float) -> str:
        text = Search("text", {"a": 1.0, "b": 0.0}, weight=weight)
        return StandardScores()([text, Search("vector", {"a": 0.0, "b": 1.0})]).ranked()[0]

    assert (best(0.5), best(2.0)) == ("b", "a")


def test_reciprocal_ranks_look_at_places_only() -> None:
    fusion = ReciprocalRank(constant=60)
    scores = fusion([Search("text", {"a": 1000.0, "b": 1.0, "c": 1.0})]).by_id()
    assert scores == {"a": 1 / 61, "b": 1 / 62, "c": 1 / 62}


def test_weighted_scores_bring_each_search_to_one() -> None:
    search = Search("text", {"a": 30.0, "b": 20.0, "c": 10.0}, weight=0.5)
    assert WeightedScores()([search]).by_id() == {"a": 0.5, "b": 0.25, "c": 0.0}


rows = st.dictionaries(blocks, st.floats(0, 100), max_size=8)


def scores_of(given: dict[str, float]) -> Scores:
    ids = sorted(given)
    return Scores.of(ids, {"text": [given[block] for block in ids]})


@sparingly
@given(rows)
def test_the_ranking_falls_and_ties_are_in_the_order_of_ids(given_: dict[str, float]) -> None:
    expected = sorted(given_, key=lambda block: (-given_[block], block))
    assert scores_of(given_).ranked() == expected


@pytest.mark.parametrize("block", ["Z", "ab", "z"])
def test_a_block_that_is_not_scored_has_no_parts(block: str) -> None:
    with pytest.raises(KeyError, match=block):
        scores_of({"a": 1.0, "b": 2.0}).parts_of(block)


def test_rows_without_parts_score_nothing() -> None:
    assert Scores.of(["a"], {}).by_id() == {"a": 0.0}


def test_a_caller_may_fuse_in_a_way_of_its_own() -> None:
    def best_of(searches: Any) -> Scores:
        return WeightedScores()(searches[:1])

    fusion = FUSIONS.adding({"first": best_of}).build("first")
    assert fusion([Search("text", {"a": 1.0}), Search("vector", {"b": 1.0})]).ranked() == ["a"]


@given(searches=two_searches)
def test_the_best_of_given_scores_is_that_of_the_search_that_gives_a_block_most(searches):
    """The other searches add nothing, so that the parts still add up to the score."""
    scores = FUSIONS.build(BEST)(searches)
    for block, score in scores.by_id().items():
        given = [each.weight * each.scores[block] for each in searches if block in each.scores]
        assert score == pytest.approx(max(given))
        assert sum(part != 0 for part in scores.parts_of(block).values()) <= 1
