"""A small version of each campaign of `python -m benchmarks --only attack` breaks no promise."""

from __future__ import annotations

import pytest

from benchmarks.attack import CAMPAIGNS
from benchmarks.attacks import Campaign, Extent
from benchmarks.attacks.assemblies import assemblies
from benchmarks.attacks.counts import counts
from benchmarks.attacks.doors import doors_campaign
from benchmarks.attacks.forgetting_kills import forgetting_kills
from benchmarks.attacks.growth import growth
from benchmarks.attacks.headings import headings
from benchmarks.attacks.history_kills import history_kills, killed
from benchmarks.attacks.index_damages import index_damages
from benchmarks.attacks.kills import kills
from benchmarks.attacks.plans import attempt, plans
from benchmarks.attacks.reader_shapes import reader_shapes
from benchmarks.attacks.reasons import judged, reasons
from benchmarks.attacks.record_kills import record_kills
from benchmarks.attacks.recount import recounted
from benchmarks.attacks.rights import rights
from benchmarks.attacks.server_kills import server_kills
from benchmarks.attacks.server_stores import server_stores
from benchmarks.attacks.structures import structures
from benchmarks.attacks.system_tenants import system_tenants
from benchmarks.attacks.tenants import tenants

SMALL: dict[Campaign, float] = {
    assemblies: 0.006,
    plans: 0.004,
    reasons: 0.02,
    counts: 0.05,
    headings: 0.01,
    tenants: 0.05,
    kills: 0.03,
    record_kills: 0.03,
    forgetting_kills: 0.04,
}
ELSEWHERE = {
    index_damages,
    reader_shapes,
    system_tenants,
    rights,
    history_kills,
    structures,
    doors_campaign,
    growth,
    server_kills,
    server_stores,
}
"""They have files of their own here, or a test below; those of a server are in `tests/stores`."""
WORDS = "word\n" * 400


def test_every_campaign_has_a_small_version():
    assert set(CAMPAIGNS) == {*SMALL, *ELSEWHERE}


@pytest.mark.parametrize("campaign", SMALL, ids=lambda campaign: campaign.__name__)
def test_a_campaign_breaks_nothing(campaign: Campaign):
    figures = [*campaign(Extent(SMALL[campaign]))]
    assert [figure.name for figure in figures if not figure.holds] == []
    assert figures[0].measured >= 6, "so many were tried"


@pytest.mark.parametrize("seed", [10319, 10809, 12597, 26145, 27715, 47801])
def test_a_plan_that_broke_a_promise_in_a_large_run_keeps_it(seed: int):
    assert attempt(seed)[2] == ""


@pytest.mark.parametrize("seed", [2939, 6214])
def test_a_receipt_that_was_wrong_in_a_large_run_is_right(seed: int):
    found = judged(seed)
    assert found is not None
    assert [*found.false, *found.empty] == []


def test_a_killed_ingest_of_a_history_loses_and_doubles_no_commit():
    found = killed(1_500, 2)
    assert (found.lost, found.torn, found.differs) == (0, 0, False)


@pytest.mark.parametrize(
    "hidden",
    [
        {"reasoning": WORDS},
        {"extra": {"deep": [{"x": WORDS}]}},
        {WORDS: 1},
        {f"word {number}": None for number in range(300)},
        {"content": [{"type": "text", "text": f"data:;base64,{WORDS}"}]},
        {"content": [{"type": "document", "source": {"type": "text", "data": WORDS}}]},
        {"content": [{"type": "image", "text": WORDS}]},
        {"content": [{"type": "thinking", "thinking": "a", "signature": WORDS}]},
        {"tool_calls": [{"function": {"arguments": "{}", "input": WORDS}}]},
        {"id": WORDS},
    ],
)
def test_the_oracle_sees_what_is_hidden(hidden: dict[str, object]):
    assert recounted([{"role": "user", "content": "hi", **hidden}]) >= 400
