"""Orderings place every block once, and say where the best one stands."""

from __future__ import annotations

import math
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from biblicus_context.retrieval.packs.ordering import best_at_both_ends, by_score, by_source
from tests.retrieval import sparingly

Block = tuple[str, float | None]

blocks = st.lists(st.tuples(st.sampled_from("abc"), st.none() | st.floats()))


def source(block: Block) -> str | None:
    return None if block[0] == "c" else block[0]


def score(block: Block) -> float | None:
    return block[1]


def identities(row: list[Block]) -> Counter[int]:
    return Counter(id(block) for block in row)


@sparingly
@given(blocks)
def test_every_ordering_places_each_block_exactly_once(row: list[Block]) -> None:
    for ordered in (best_at_both_ends(row), by_score(row, score), by_source(row, source)):
        assert identities(ordered) == identities(row)


@sparingly
@given(blocks)
def test_an_ordering_does_not_change_its_input(row: list[Block]) -> None:
    before = list(row)
    best_at_both_ends(row), by_score(row, score), by_source(row, source)
    assert all(one is other for one, other in zip(row, before, strict=True))


@sparingly
@given(blocks)
def test_scores_only_fall_and_blocks_without_one_stand_at_the_end(row: list[Block]) -> None:
    scores = [score(block) for block in by_score(row, score)]
    scored = [value for value in scores if value is not None and not math.isnan(value)]
    assert scored == sorted(scored, reverse=True)
    assert all(value is None or math.isnan(value) for value in scores[len(scored) :])


def test_blocks_of_equal_or_no_score_keep_their_order() -> None:
    row: list[Block] = [("a", None), ("b", 1.0), ("c", math.nan), ("d", 1.0)]
    assert [name for name, _ in by_score(row, score)] == ["b", "d", "a", "c"]


@sparingly
@given(blocks)
def test_blocks_of_one_source_stand_together_in_their_order(row: list[Block]) -> None:
    ordered = by_source(row, source)
    runs = [
        name
        for name, before in zip(ordered, [None, *ordered], strict=False)
        if before is None or source(name) != source(before)
    ]
    assert len(runs) == len({source(block) for block in row})
    for name in {source(block) for block in row}:
        assert [id(block) for block in ordered if source(block) == name] == [
            id(block) for block in row if source(block) == name
        ]


def test_sources_follow_the_rank_of_their_best_block() -> None:
    row = ["b1", "a1", "b2", "c1", "a2"]
    assert by_source(row, lambda name: name[0]) == ["b1", "b2", "a1", "a2", "c1"]


@sparingly
@given(st.lists(st.integers(), min_size=2))
def test_the_best_is_first_and_the_second_best_last(ranked: list[int]) -> None:
    ordered = best_at_both_ends(ranked)
    assert (ordered[0], ordered[-1]) == (ranked[0], ranked[1])


@sparingly
@given(st.integers(min_value=0, max_value=50))
def test_rank_falls_from_both_ends_towards_the_middle(length: int) -> None:
    ordered = best_at_both_ends(range(length))
    middle = (length + 1) // 2
    assert ordered[:middle] == sorted(ordered[:middle])
    assert ordered[middle:] == sorted(ordered[middle:], reverse=True)
