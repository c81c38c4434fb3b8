"""Nothing crosses between tenants, users and groups, on any path of the four systems."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from benchmarks.attacks import Extent
from benchmarks.attacks.system_tenants import WORLDS, lived, system_tenants
from benchmarks.attacks.worlds.twins import Tally, difference
from biblicus_context.systems.workspace import (
    Block,
    BlockStore,
    ContextBuilder,
    ContextRequest,
    Focus,
    User,
)


@pytest.mark.parametrize("system", WORLDS)
@settings(max_examples=max(1, settings().max_examples // 50))
@given(chance=st.randoms(use_true_random=False))
def test_an_answer_depends_on_nothing_that_the_asker_may_not_know(system: str, chance: Random):
    assert lived(system, chance, 25).different == []


@pytest.mark.nightly
def test_the_campaign_compares_all_four_systems():
    figures = [*system_tenants(Extent(0.002))]
    assert [figure.name for figure in figures if not figure.holds] == []
    assert [figure.measured >= 10 for figure in figures[::2]] == [True] * 4


def test_what_crosses_is_seen():
    tally = Tally()
    tally.compare("same", {"a": [1.0, "x"]}, {"a": [1.0 + 1e-9, "x"]})
    assert tally.different == []
    tally.compare("count", {"a": [1, 2]}, {"a": [1]})
    tally.compare("error", "InputError: no such record", ())
    assert tally.compared == 3
    assert tally.different == [
        "count .a: [1, 2] instead of [1]",
        "error : 'InputError: no such record' instead of []",
    ]
    assert difference({"a": 1}, {"b": 1})


def test_the_title_of_a_page_is_for_its_readers_alone(tmp_path: Path):
    async def run() -> str:
        page = Block(id="p", type="page", title="Merger", content="Secret plans.")
        block = Block(id="b", type="todo", parent_id="p", content="Book the hall")
        await store.put_block(page, block, workspace="acme")
        await store.grant("p", "acme", users=["ann"])
        await store.grant("b", "acme", users=["bob"])
        asked = ContextRequest(query="hall", user=User("bob", "acme"), focus=Focus(block_id="b"))
        return (await ContextBuilder(store).build(asked)).serialized

    store = BlockStore.open(tmp_path)
    seen = asyncio.run(run())
    assert "\n[todo]\nBook the hall" in seen
    assert "Merger" not in seen
    store.close()
