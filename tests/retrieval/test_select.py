"""Which candidates are worth a budget of tokens."""

from __future__ import annotations

import tracemalloc
from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from biblicus_context.retrieval.candidate import Candidate, best_first
from biblicus_context.retrieval.select import (
    SELECTIONS,
    DiverseKinds,
    Knapsack,
    MarginalRelevance,
    RankOrder,
    Select,
    ValuePerToken,
)
from biblicus_context.text.counters import Counters
from tests.retrieval import sparingly

TOKENS = Counters().get("o200k_base")
WORDS = Counters().get("whitespace")

seldom = settings(max_examples=max(10, settings().max_examples // 4))
every_selection = pytest.mark.parametrize(
    "select",
    [
        *(SELECTIONS.build(name) for name in SELECTIONS.names),
        Knapsack(cells=20),
        DiverseKinds(share=0.2, by="source", strict=True),
        MarginalRelevance(balance=0.0, among=3),
        ValuePerToken(exponent=0.0),
    ],
    ids=repr,
)
rows = st.lists(
    st.builds(
        lambda **known: Candidate(**known),  # noqa: PLW0108 - else the fields with defaults are drawn too
        id=st.text("abcdef", min_size=1, max_size=3),
        text=st.sampled_from(["red fox", "red dog", "blue sea", ""]),
        tokens=st.integers(0, 30),
        score=st.floats(-1, 1),
        kind=st.sampled_from(["note", "code"]),
        source=st.none() | st.sampled_from(["x", "y"]),
    ),
    unique_by=lambda each: each.id,
    max_size=10,
).map(best_first)
budgets = st.integers(0, 100)


def candidate(name: str, tokens: int, score: float, kind: str = "", text: str = "") -> Candidate:
    return Candidate(id=name, text=text, tokens=tokens, score=score, kind=kind)


def ids(row: list[Candidate]) -> list[str]:
    return [each.id for each in row]


def tokens(row: list[Candidate]) -> int:
    return sum(each.tokens for each in row)


def worth(row: list[Candidate]) -> float:
    return sum(each.score for each in row if each.score > 0)


@every_selection
@seldom
@given(row=rows, budget=budgets)
def test_a_selection_never_exceeds_its_budget_and_keeps_the_order(
    select: Select, row: list[Candidate], budget: int
) -> None:
    chosen = select(row, budget)
    assert tokens(chosen) <= budget
    places = [row.index(each) for each in chosen]
    assert places == sorted(set(places))


@every_selection
@seldom
@given(row=rows)
def test_if_all_fit_all_are_chosen(select: Select, row: list[Candidate]) -> None:
    if select != DiverseKinds(share=0.2, by="source", strict=True):
        assert select(row, tokens(row)) == row


@every_selection
@seldom
@given(row=rows, budget=budgets)
def test_no_room_is_left_that_a_candidate_would_fit(
    select: Select, row: list[Candidate], budget: int
) -> None:
    if select != DiverseKinds(share=0.2, by="source", strict=True):
        chosen = select(row, budget)
        left = budget - tokens(chosen)
        assert all(each.tokens > left for each in row if each not in chosen)


@every_selection
def test_nothing_offered_or_no_budget_is_nothing_chosen(select: Select) -> None:
    assert select([], 100) == []
    assert select([candidate("a", 5, 1.0)], 0) == []


def test_rank_order_passes_over_what_does_not_fit() -> None:
    row = [candidate("a", 6, 3.0), candidate("b", 5, 2.0), candidate("c", 4, 1.0)]
    assert ids(RankOrder()(row, 10)) == ["a", "c"]


def test_value_per_token_prefers_two_short_ones_to_a_better_long_one() -> None:
    row = [candidate("long", 10, 1.0), candidate("b", 5, 0.9), candidate("c", 5, 0.8)]
    assert ids(ValuePerToken()(row, 10)) == ["b", "c"]
    assert ids(ValuePerToken(exponent=0)(row, 10)) == ["long"]


@sparingly
@given(rows, budgets)
def test_a_knapsack_is_worth_as_much_as_the_best_of_all_choices(
    row: list[Candidate], budget: int
) -> None:
    chosen = Knapsack()(row, budget)
    best = max(
        worth(list(choice))
        for number in range(len(row) + 1)
        for choice in combinations(row, number)
        if sum(each.tokens for each in choice) <= budget
    )
    assert worth(chosen) == pytest.approx(best)


def test_a_knapsack_beats_both_greedy_orders() -> None:
    row = [candidate("a", 6, 8.0), candidate("b", 5, 5.1), candidate("c", 5, 5.0)]
    assert ids(Knapsack()(row, 10)) == ["b", "c"]
    assert ids(RankOrder()(row, 10)) == ids(ValuePerToken()(row, 10)) == ["a"]


@pytest.mark.parametrize("cells", [1, 20, 400, 1_000_000])
@seldom
@given(row=rows, budget=budgets)
def test_a_knapsack_is_never_worth_less_than_a_greedy_order(
    cells: int, row: list[Candidate], budget: int
) -> None:
    best = worth(Knapsack(cells=cells)(row, budget))
    assert best >= worth(ValuePerToken()(row, budget)) - 1e-9
    assert best >= worth(RankOrder()(row, budget)) - 1e-9


@pytest.mark.parametrize("longest", [400, 9000])
@pytest.mark.parametrize(
    ("number", "budget"), [(400, 4_000), (400, 16_000), (1000, 16_000), (400, 60_000)]
)
def test_above_its_limit_a_knapsack_is_nearly_as_good_as_any_choice_could_be(
    number: int, budget: int, longest: int
) -> None:
    random = Random(3)
    row = best_first(
        candidate(f"{n}", random.randint(longest // 10, longest), random.random())
        for n in range(number)
    )
    assert number * budget > 1_000_000
    assert worth(Knapsack()(row, budget)) > 0.999 * most_there_can_be(row, budget)


def most_there_can_be(row: list[Candidate], budget: int) -> float:
    """The worth of the best choice there is, whatever it costs to know it."""
    totals = np.zeros(budget + 1)
    for each in row:
        if each.tokens <= budget:
            taken = totals[: budget + 1 - each.tokens] + each.score
            totals[each.tokens :] = np.maximum(totals[each.tokens :], taken)
    return float(totals[-1])


def test_a_knapsack_of_any_size_is_bounded_and_close_to_full() -> None:
    row = [candidate(f"{n:04}", 50 + n % 400, 1 / (1 + n)) for n in range(2_000)]
    chosen = Knapsack()(row, 128_000)
    assert 127_000 < tokens(chosen) <= 128_000


def test_no_kind_takes_more_than_its_share_while_others_can_use_it() -> None:
    row = [candidate(f"n{n}", 10, 9.0 - n, "note") for n in range(6)]
    row += [candidate(f"c{n}", 10, 1.0 - n / 10, "code") for n in range(3)]
    assert ids(DiverseKinds(share=0.5)(row, 60)) == ["n0", "n1", "n2", "c0", "c1", "c2"]


def test_what_a_share_leaves_unspent_goes_to_the_others_unless_it_is_strict() -> None:
    row = [candidate(f"n{n}", 10, 9.0 - n, "note") for n in range(6)]
    assert ids(DiverseKinds(share=0.5)(row, 40)) == ["n0", "n1", "n2", "n3"]
    assert ids(DiverseKinds(share=0.5, strict=True)(row, 40)) == ["n0", "n1"]


@sparingly
@given(rows, budgets, st.sampled_from([0.2, 0.5, 1.0]))
def test_a_strict_share_is_kept_by_every_kind(
    row: list[Candidate], budget: int, share: float
) -> None:
    chosen = DiverseKinds(share=share, strict=True)(row, budget)
    for kind in ("note", "code"):
        assert sum(each.tokens for each in chosen if each.kind == kind) <= budget * share


def test_a_kind_that_dominates_gets_no_more_once_some_are_chosen() -> None:
    """As designed: no kind above 70 % of the chosen ones, once more than five are chosen."""
    select = ValuePerToken(kind_share=0.7, kinds_after=5)
    row = [candidate(f"n{n}", 10, 9.0 - n / 10, "note") for n in range(9)]
    row += [candidate(f"c{n}", 10, 1.0 - n / 10, "code") for n in range(3)]
    assert ids(select(row, 120)) == ["n0", "n1", "n2", "n3", "n4", "n5", "c0", "c1", "c2"]
    assert ids(select(row, 60)) == ["n0", "n1", "n2", "n3", "n4", "n5"]


def test_tokens_that_are_left_may_go_to_the_kind_that_dominates() -> None:
    """Not strict: diversity comes first, but nothing stays empty for it."""
    row = [candidate(f"n{n}", 10, 9.0 - n / 10, "note") for n in range(9)]
    row += [candidate("c0", 10, 0.1, "code")]
    loose = ValuePerToken(kind_share=0.7, kinds_after=5, strict=False)
    assert ids(loose(row, 70)) == ["n0", "n1", "n2", "n3", "n4", "n5", "c0"]
    assert len(loose(row, 100)) == 10
    assert len(ValuePerToken(kind_share=0.7, kinds_after=5)(row, 100)) == 7


@seldom
@given(row=rows, budget=budgets, share=st.floats(0, 1), after=st.integers(0, 4))
def test_no_kind_is_chosen_above_its_share_by_more_than_one(
    row: list[Candidate], budget: int, share: float, after: int
) -> None:
    chosen = ValuePerToken(kind_share=share, kinds_after=after)(row, budget)
    for kind in ("note", "code"):
        count = sum(each.kind == kind for each in chosen)
        assert count <= max(after, share * len(chosen)) + 1


def test_a_selection_may_stop_before_the_budget_is_full() -> None:
    """As designed: it stops above 90 % of the tokens with at least ten candidates."""
    select = ValuePerToken(stop_at=0.9, stop_after=10)
    row = [candidate(f"{n:02}", 7, 9.0 - n) for n in range(40)]
    assert (len(select(row, 100)), len(ValuePerToken()(row, 100))) == (13, 14)
    small = [candidate(f"{n:02}", 10, 9.0 - n) for n in range(9)]
    small += [candidate(f"s{n}", 1, 0.01 / (1 + n)) for n in range(10)]
    assert len(select(small, 100)) == 10  # 90 of 100 tokens in nine, and then the tenth
    assert len(ValuePerToken()(small, 100)) == 19


def test_a_knapsack_needs_little_memory() -> None:
    """A byte for each candidate and token, whatever the size of the problem."""
    row = [candidate(f"{n:04}", 50 + n % 400, 1 / (1 + n)) for n in range(2_000)]
    tracemalloc.start()
    Knapsack(cells=4_000_000)(row, 60_000)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 16_000_000


def test_marginal_relevance_takes_the_different_one_before_a_better_repetition() -> None:
    row = [
        candidate("a", 10, 1.0, text="the retry policy of the server"),
        candidate("b", 10, 0.9, text="a server's retry policy"),
        candidate("c", 10, 0.7, text="opening hours on sunday"),
    ]
    assert ids(MarginalRelevance()(row, 20)) == ["a", "c"]
    assert ids(MarginalRelevance(balance=1.0)(row, 20)) == ["a", "b"]


def test_marginal_relevance_works_without_words_and_without_scores() -> None:
    row = [candidate("a", 1, 0.0, text="?"), candidate("b", 1, 0.0, text="!")]
    assert ids(MarginalRelevance()(row, 2)) == ["a", "b"]
