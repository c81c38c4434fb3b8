"""The four forbidden patterns of the design cannot be expressed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from biblicus_context import BudgetError, InputError
from biblicus_context.systems.workspace import (
    Block,
    BlockStore,
    ContextRequest,
    Focus,
    TokenBudget,
    User,
)
from tests.systems.workspace.asking import ANN, ask, ids


@pytest.fixture(scope="module")
def store(module_place: str | Path) -> Iterator[BlockStore]:
    opened = BlockStore.open(module_place)
    blocks = [
        Block(
            id=f"b{number}", type="paragraph", content=f"Note {number} about subject {number % 7}"
        )
        for number in range(500)
    ]
    asyncio.run(opened.put_block(*blocks, workspace="acme"))
    yield opened
    opened.close()


def test_the_whole_workspace_is_never_passed(store: BlockStore):
    """However large the budget, a query finds its best blocks."""
    budget = TokenBudget(total=100_000, focus=50_000, semantic=50_000)
    assert len(ids(ask(store, "notes about subject", token_budget=budget))) == 15


@pytest.mark.parametrize("user", [None, "ann", {"id": "ann"}])
def test_no_request_is_without_a_user(store: BlockStore, user: Any):
    with pytest.raises(InputError, match=r"ContextRequest.user: a value is required"):
        ContextRequest(query="x")  # type: ignore[call-arg]
    with pytest.raises(InputError, match=r"ContextRequest.user: "):
        ContextRequest(query="x", user=user)
    for nobody in (User(id="ann", workspace=""), User(id="", workspace="acme"), User(None, "acme")):  # type: ignore[arg-type]  # a mistake
        with pytest.raises(InputError, match="text that is not empty"):
            ask(store, user=nobody)


@pytest.mark.parametrize("total", [30, 60, 200, 1000])
def test_no_context_is_without_a_budget(store: BlockStore, total: int):
    try:
        payload = ask(store, "notes", token_budget=TokenBudget(total=total))
    except BudgetError:
        assert total < 90
        return
    assert payload.metadata.total_tokens <= total
    assert ask(store, "notes", token_budget=None).metadata.total_tokens <= 4000


def test_no_context_is_static(store: BlockStore):
    """It depends on the query, on the focus and on the user's own activity."""
    with pytest.raises(InputError, match=r"ContextRequest.query: a text that is not empty"):
        ContextRequest(query=" ", user=ANN)
    found = [
        ask(store, "subject 3"),
        ask(store, "note 42"),
        ask(store, "note 42", focus=Focus(block_id="b7")),
    ]
    asyncio.run(store.record_edit("b99", ANN))
    found.append(ask(store, "note 42"))
    assert len({each.serialized for each in found}) == 4
