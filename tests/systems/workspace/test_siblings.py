"""A page may have any number of blocks: a change or a context of it costs the same."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from biblicus_context.systems.workspace import (
    Block,
    BlockStore,
    ContextBuilder,
    ContextConfig,
    ContextRequest,
    Focus,
    User,
)
from tests.systems.workspace.asking import ids

FEW, MANY = 320, 9_600
AT_MOST = 5.0
"""Times as long: thirty times as many siblings would cost thirty times as much, or nine hundred."""


def block(workspace: str, number: int) -> Block:
    return Block(
        id=f"b{number}", type="paragraph", parent_id="page", position=number,
        content=f"Note {number} of {workspace}",
    )  # fmt: skip


@pytest.fixture(scope="module")
def store(module_place: str | Path) -> Iterator[BlockStore]:
    """A page with few blocks in one workspace, and one with many in another."""
    opened = BlockStore.open(module_place, embedder=None)
    page = Block(id="page", type="page", title="Page", content="A page.")
    for workspace, size in (("few", FEW), ("many", MANY)):
        blocks = (block(workspace, number) for number in range(size))
        asyncio.run(opened.put_block(page, *blocks, workspace=workspace))
    yield opened
    opened.close()


CHANGES: dict[str, Any] = {
    "put": lambda store, name, n: store.put_block(block(name, MANY + n), workspace=name),
    "put again": lambda store, name, n: store.put_block(block(name, 300 + n), workspace=name),
    "move": lambda store, name, n: store.move_block(f"b{FEW // 2 + n}", name, "page", n),
    "delete": lambda store, name, n: store.delete_block(f"b{100 + n}", name),
}


def times(call: Any) -> float:
    """Seconds of a processor at the best of some times."""
    best = float("inf")
    for number in range(7):
        began = process_time()
        asyncio.run(call(number))
        best = min(best, process_time() - began)
    return best


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_one_block_costs_the_same_among_thirty_times_as_many(
    store: BlockStore, change: str
):
    few, many = (
        times(lambda n, name=name: CHANGES[change](store, name, n)) for name in ("few", "many")
    )
    assert many < AT_MOST * few + 0.005


@pytest.mark.parametrize(
    "focus", [Focus(page_id="page"), Focus(block_id="page"), Focus(block_id="b400")]
)
def test_a_context_costs_the_same_among_thirty_times_as_many(store: BlockStore, focus: Focus):
    """What a query finds is left out: a search of more blocks takes longer, whatever they are in."""
    builder = ContextBuilder(store, ContextConfig(collectors={"semantic": False}))

    def built(name: str) -> Coroutine[Any, Any, Any]:
        user = User(id="ann", workspace=name)
        return builder.build(ContextRequest(query="What is planned?", user=user, focus=focus))

    few, many = (times(lambda _, name=name: built(name)) for name in ("few", "many"))
    assert many < AT_MOST * few + 0.005
    assert ids(asyncio.run(built("many")), "focus")
