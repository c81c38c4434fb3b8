"""A program ranks and selects its own texts as plans do."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st

from biblicus_context.errors import InputError
from biblicus_context.retrieval import Candidate
from biblicus_context.systems.prime import rank_candidates, select_candidates
from biblicus_context.text.counters import default_counter
from tests.retrieval import sparingly

NOW = datetime(2026, 5, 8, tzinfo=UTC)
texts = st.sampled_from(["red lamp", "green lamp", "table", "", "lamp lamp"]) | st.text(max_size=20)
rows = st.lists(
    st.builds(
        lambda **known: Candidate(**known),  # noqa: PLW0108 - else the fields with defaults are drawn too
        id=st.text(min_size=1), text=texts, tokens=st.integers(0, 50), score=st.floats(0, 1)),
    unique_by=lambda each: each.id,
    max_size=8,
)  # fmt: skip


def test_a_rare_word_counts_more_than_a_frequent_one():
    row = [
        Candidate(id=text, text=text, tokens=2) for text in ("red lamp", "new lamp", "green lamp")
    ]
    ranked = rank_candidates(row, "tfidf", query="red lamp", now=NOW)
    assert [each.id for each in ranked] == ["red lamp", "green lamp", "new lamp"]
    assert ranked[0].score == pytest.approx(1)
    known = rank_candidates(row, "tfidf", query="new lamp", now=NOW, rarity=lambda _: 1.0)
    assert known[0].id == "new lamp"


@sparingly
@given(rows, st.text(max_size=20))
def test_ranking_keeps_every_candidate_and_its_scores_are_shares(row: list[Candidate], query: str):
    ranked = rank_candidates(row, {"tfidf": 1, "keyword": 1, "recency": 1}, query=query, now=NOW)
    assert {each.id for each in ranked} == {each.id for each in row}
    assert all(0 <= each.score <= 1 for each in ranked)


@sparingly
@given(rows, st.integers(0, 60), st.sampled_from(["rank_order", "value_per_token", "knapsack"]))
def test_a_selection_stays_within_its_tokens(row: list[Candidate], most: int, select: str):
    chosen = select_candidates(row, most, select)
    assert sum(each.tokens for each in chosen) <= most
    assert {each.id for each in chosen} <= {each.id for each in row}


def test_the_best_candidate_is_cut_if_none_fits():
    row = [Candidate(id="a", text="one two three four", tokens=4, score=0.1), Candidate(id="b", text="five six seven", tokens=3, score=0.9)]  # fmt: skip
    (cut,) = select_candidates(row, 2)
    assert (cut.id, cut.text, cut.tokens) == ("b", "five six", default_counter().count("five six"))
    assert select_candidates(row, 0) == []
    with pytest.raises(InputError, match="from 0 on"):
        select_candidates(row, -1)
