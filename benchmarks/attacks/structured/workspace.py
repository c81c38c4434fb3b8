"""Workspace contexts: sections, and in them items that begin with a title and a type."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.attacks.structured.said import HEADINGS, Said, Written, marks
from biblicus_context.systems.workspace import (
    Block,
    BlockStore,
    ContextBuilder,
    ContextRequest,
    Focus,
    TokenBudget,
    User,
)
from biblicus_context.testing.memory_store import InMemoryStore
from biblicus_context.testing.store_samples import day

_MARKS: Final = re.compile(rf"\[.*\]$|{HEADINGS}")
_ANN: Final = User("ann", "acme")


async def workspace(said: Said) -> Written:
    """A page with a block, a linked page, and one that was edited."""
    store = BlockStore.open(InMemoryStore(), embedder=None)
    name, time = said("id"), day(1)
    await store.put_block(
        Block(id="p", type="page", title=said("title"), content=said("page"), last_modified=time),
        Block(
            id=name,
            type=said("type"),
            content=said("content"),
            parent_id="p",
            properties={"status": said("property")},
            last_modified=time,
        ),
        Block(id="linked", type="page", title="Linked", content=said("linked"), last_modified=time),
        Block(id="edited", type="todo", content=said("edited"), last_modified=time),
        workspace="acme",
    )
    await store.link("p", "linked", "acme")
    await store.record_edit("edited", _ANN)
    request = ContextRequest(
        query="words",
        user=_ANN,
        focus=Focus(page_id="p", block_id=name),
        token_budget=TokenBudget(
            total=100_000, focus=60_000, relations=20_000, activity=20_000, semantic=0
        ),
    )
    payload = await ContextBuilder(store).build(request)
    question = payload.serialized.rpartition("\n---\n")[2]
    numbers = {each.type: len(each.items) for each in payload.sections}
    return marks(payload.serialized, _MARKS, numbers, question)
