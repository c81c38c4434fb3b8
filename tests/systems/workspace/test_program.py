"""The program that the workspace system was asked to run."""

from __future__ import annotations

import asyncio
from pathlib import Path

from biblicus_context.systems.workspace import (
    Block,
    BlockStore,
    ContextBuilder,
    ContextRequest,
    Focus,
    TokenBudget,
    User,
)


async def program(place: Path) -> str:
    store = BlockStore.open(place / "workspace")
    await store.put_block(
        Block(id="page-123", type="page", title="Launch", content="Launch plan"), workspace="acme"
    )
    await store.put_block(
        Block(id="b1", type="todo", parent_id="page-123", position=0, content="Book the hall"),
        workspace="acme",
    )
    payload = await ContextBuilder(store).build(
        ContextRequest(
            query="Summarize this page",
            focus=Focus(page_id="page-123"),
            type="assist",
            user=User(id="ann", workspace="acme"),
            token_budget=TokenBudget(
                total=3000, focus=2500, semantic=200, relations=200, activity=0, history=0,
                system=100,
            ),
        )
    )  # fmt: skip
    store.close()
    return payload.serialized


def test_the_program_runs_as_it_stands(tmp_path: Path):
    serialized = asyncio.run(program(tmp_path))
    assert "### Focused Content" in serialized
    assert "Book the hall" in serialized
