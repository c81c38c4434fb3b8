"""The pack budget, divided: worked figures, and what holds for any claims."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from biblicus_context.assembly.division import Claim, shares

claims = st.builds(
    Claim,
    weight=st.one_of(st.sampled_from([0.1, 0.2, 0.3, 1.0, 2.5]), st.floats(1e-6, 1e6)),
    priority=st.integers(-3, 3),
    cap=st.one_of(st.none(), st.integers(0, 200)),
    minimum=st.just(0),
    needs=st.just(0),
    elastic=st.just(True),
)
needing = st.builds(
    Claim,
    weight=st.floats(0.1, 9),
    cap=st.none(),
    minimum=st.just(0),
    needs=st.integers(0, 50),
    elastic=st.booleans(),
)
uncapped = claims.map(lambda claim: claim._replace(cap=None))
totals = st.integers(0, 10_000)


def rank(at: int, given_claims: list[Claim]) -> tuple[int, float, int]:
    """The higher is served first."""
    return given_claims[at].priority, given_claims[at].weight, -at


@pytest.mark.parametrize(
    ("total", "given_claims", "expected"),
    [
        (100, [Claim(), Claim()], [50, 50]),
        (101, [Claim(), Claim()], [51, 50]),
        (100, [Claim(weight=2), Claim(), Claim()], [50, 25, 25]),
        (100, [Claim(weight=1), Claim(weight=3)], [25, 75]),
        (10, [Claim(), Claim(), Claim(priority=1)], [3, 3, 4]),
        (10, [Claim(), Claim(weight=2), Claim()], [2, 6, 2]),
        (100, [Claim(weight=0.1), Claim(weight=0.2), Claim(weight=0.3)], [16, 33, 51]),
        (60, [Claim(weight=0.1), Claim(weight=0.2), Claim(weight=0.3)], [10, 20, 30]),
        (600, [Claim(weight=0.3), Claim(weight=0.2), Claim(weight=0.1)], [300, 200, 100]),
        (100, [Claim(cap=10), Claim()], [10, 90]),
        (100, [Claim(cap=10), Claim(cap=20)], [10, 20]),
        (90, [Claim(cap=10), Claim(), Claim(priority=1, cap=40)], [10, 40, 40]),
        (90, [Claim(cap=10), Claim(weight=2), Claim(weight=3)], [10, 30, 50]),
        (2, [Claim(), Claim(), Claim()], [1, 1, 0]),
        (2, [Claim(), Claim(priority=5), Claim()], [1, 1, 0]),
        (5, [Claim(weight=1000), Claim(), Claim()], [4, 1, 0]),
        (0, [Claim(), Claim(priority=1)], [0, 0]),
        (100, [Claim(needs=40), Claim()], [70, 30]),
        (100, [Claim(needs=40, elastic=False), Claim()], [40, 60]),
        (100, [Claim(needs=40, elastic=False), Claim(needs=9, elastic=False)], [40, 9]),
        (100, [Claim(needs=40, cap=50), Claim()], [50, 50]),
        (100, [Claim(needs=0, elastic=False), Claim(cap=30)], [0, 30]),
        (10, [Claim(needs=40), Claim()], [10, 0]),
        (100, [Claim(minimum=60), Claim()], [60, 40]),
        (100, [Claim(minimum=50), Claim()], [50, 50]),
        (100, [Claim(minimum=60, needs=10), Claim()], [60, 40]),
        (100, [Claim(minimum=60, needs=70), Claim()], [85, 15]),
        (100, [Claim(minimum=60, cap=30), Claim()], [30, 70]),
        (100, [Claim(minimum=60, needs=20, elastic=False), Claim()], [20, 80]),
        (100, [Claim(minimum=30, weight=0.1), Claim(minimum=40), Claim()], [30, 40, 30]),
        (50, [Claim(minimum=40), Claim(minimum=40, priority=1), Claim()], [10, 40, 0]),
        (100, [], []),
        (None, [Claim(), Claim(cap=7)], [None, 7]),
    ],
)
def test_shares_are_the_worked_figures(
    total: int | None, given_claims: list[Claim], expected: list[int | None]
):
    assert shares(total, given_claims) == expected


@given(totals, st.lists(claims, max_size=12))
def test_shares_never_come_to_more_than_the_total(total: int, given_claims: list[Claim]):
    given_out = shares(total, given_claims)
    assert sum(given_out) <= total
    assert all(share >= 0 for share in given_out)


@given(totals, st.one_of(claims, needing), st.one_of(st.none(), st.integers(0, 80)))
def test_a_claim_alone_gets_what_it_gets_next_to_one_that_takes_nothing(
    total: int, claim: Claim, cap: int | None
):
    claim = claim._replace(cap=cap)
    assert shares(total, [claim]) == shares(total, [claim, Claim(elastic=False)])[:1]


@given(totals, st.lists(uncapped, min_size=1, max_size=12))
def test_everything_is_given_out_where_nobody_is_capped(total: int, given_claims: list[Claim]):
    assert sum(shares(total, given_claims)) == total


@given(totals, st.lists(claims, min_size=1, max_size=12))
def test_what_is_not_given_out_nobody_may_have(total: int, given_claims: list[Claim]):
    given_out = shares(total, given_claims)
    if sum(given_out) < total:
        assert given_out == [claim.cap for claim in given_claims]


@given(st.one_of(st.none(), totals), st.lists(claims, max_size=12))
def test_no_share_is_larger_than_its_cap(total: int | None, given_claims: list[Claim]):
    for share, claim in zip(shares(total, given_claims), given_claims, strict=True):
        assert claim.cap is None or share <= claim.cap


@given(st.integers(600, 10_000), st.lists(needing, max_size=12))
def test_every_claim_gets_what_it_needs_and_only_an_elastic_one_more(
    total: int, given_claims: list[Claim]
):
    for share, claim in zip(shares(total, given_claims), given_claims, strict=True):
        assert share == claim.needs or (claim.elastic and share > claim.needs)


@given(
    st.integers(600, 10_000),
    st.lists(claims, max_size=12),
    st.lists(st.integers(0, 50), max_size=12),
)
def test_every_claim_gets_its_minimum_where_all_fit(
    total: int, given_claims: list[Claim], minimums: list[int]
):
    held = [
        claim._replace(minimum=minimum)
        for claim, minimum in zip(given_claims, minimums, strict=False)
    ]
    for share, claim in zip(shares(total, held), held, strict=True):
        assert share >= min(claim.minimum, claim.minimum if claim.cap is None else claim.cap)


@given(totals, st.lists(uncapped, min_size=1, max_size=8), st.data())
def test_a_minimum_that_is_met_anyway_changes_nothing(
    total: int, given_claims: list[Claim], data: st.DataObject
):
    before = shares(total, given_claims)
    at = data.draw(st.integers(0, len(given_claims) - 1))
    held = [*given_claims]
    held[at] = held[at]._replace(minimum=data.draw(st.integers(0, before[at] or 0)))
    assert shares(total, held) == before


@given(totals, st.lists(uncapped, min_size=1, max_size=12))
def test_every_claim_gets_at_least_one_while_anything_is_left(
    total: int, given_claims: list[Claim]
):
    given_out = shares(total, given_claims)
    served = [rank(at, given_claims) for at, share in enumerate(given_out) if share]
    starved = [rank(at, given_claims) for at, share in enumerate(given_out) if not share]
    assert len(served) == min(total, len(given_claims)) or sum(given_out) == total
    assert not served or not starved or max(starved) < min(served)


@given(totals, st.data())
def test_shares_belong_to_claims_not_to_their_places(total: int, data: st.DataObject):
    distinct = st.lists(claims, max_size=8, unique_by=lambda claim: claim[:2])
    one = data.draw(distinct)
    other = data.draw(st.permutations(one))
    assert dict(zip(one, shares(total, one), strict=True)) == dict(
        zip(other, shares(total, other), strict=True)
    )


@given(totals, uncapped, st.integers(1, 8))
def test_equal_claims_get_equal_shares_but_for_what_is_left_over(
    total: int, claim: Claim, count: int
):
    given_out = shares(total, [claim] * count)
    assert given_out == sorted(given_out, reverse=True)
    assert len(set(given_out[1:])) <= 1 or total < count


@given(totals, st.integers(1, 12))
def test_equal_claims_differ_only_by_the_remainder_which_goes_to_the_first(total: int, count: int):
    given_out = shares(total, [Claim()] * count)
    if total >= count:
        assert given_out == [total // count + total % count, *[total // count] * (count - 1)]
    else:
        assert given_out == [1] * total + [0] * (count - total)


@given(
    totals,
    st.lists(st.integers(1, 5000), min_size=1, max_size=8),
    st.sampled_from([0.1, 0.01, 0.001, 1.0]),
)
def test_only_the_proportion_of_weights_counts_be_they_tenths_or_whole(
    total: int, weights: list[int], unit: float
):
    whole = [Claim(weight=weight) for weight in weights]
    decimal = [Claim(weight=float(f"{weight * unit:.3f}")) for weight in weights]
    assert shares(total, decimal) == shares(total, whole)
