"""The figures are those of the textbooks."""

from __future__ import annotations

from math import log2

import pytest
from hypothesis import given, strategies as st

from biblicus_context.evaluation.measures import QueryResult, figures, ndcg, percentile


def test_figures_are_means_over_the_queries():
    answered = [
        QueryResult({10: 1.0, 20: 1.0}, 1.0, 0.001),
        QueryResult({10: 0.0, 20: 0.5}, 0.5, 0.003),
    ]
    found = figures("sample", "hybrid", answered)
    assert found.recall == {10: 0.5, 20: 0.75}
    assert found.all_evidence == {10: 0.5, 20: 0.5}
    assert (found.mean_recall, found.mean_all_evidence) == (0.625, 0.5)
    assert (found.queries, found.ndcg_at_10) == (2, 0.75)
    assert (found.p50_ms, found.p95_ms) == (1.0, 3.0)


def test_gold_counts_less_the_lower_it_stands():
    assert ndcg(["x", "a", "b"], ["a", "b"]) == pytest.approx(
        (1 / log2(3) + 1 / log2(4)) / (1 + 1 / log2(3))
    )


def test_only_the_first_ten_count():
    assert ndcg([*"0123456789", "a"], {"a"}) == 0
    assert ndcg([*"0123456789"], {*"0123456789", "a", "b"}) == pytest.approx(1)
    assert ndcg([[*"0123456789ab"]], {*"0123456789ab"}) == pytest.approx(1)


def test_gold_of_one_passage_counts_at_its_place_in_the_ranking():
    assert ndcg([["a", "b"]], ["a", "b"]) == 1
    assert ndcg(["x", ["a", "b"]], ["a", "b"]) == pytest.approx(2 / log2(3) / (1 + 1 / log2(3)))


@given(st.lists(st.sets(st.sampled_from("abcdef"))), st.sets(st.sampled_from("abc"), min_size=1))
def test_no_ranking_is_better_than_the_best_one(passages: list[set[str]], gold: set[str]):
    seen: set[str] = set()
    ranked = []
    for each in passages:
        ranked.append(each - seen)
        seen |= each
    assert 0 <= ndcg(ranked, gold) <= 1 + 1e-9


@given(st.lists(st.floats(0, 1), min_size=1), st.integers(1, 100))
def test_a_percentile_is_a_value_that_so_many_do_not_exceed(values: list[float], share: int):
    ordered = sorted(values)
    found = percentile(ordered, share)
    assert found in values
    assert sum(each <= found for each in values) * 100 >= share * len(values)
