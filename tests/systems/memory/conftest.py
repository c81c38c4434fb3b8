"""A store with a few memories of two workspaces."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from biblicus_context.systems.memory import ContextEngine, Memory, MemoryStore, Relationship

NOW = datetime.now(UTC)
SHIP = Memory(
    id="ship",
    type="decision",
    content="We ship the lamp on Friday.",
    confidence=0.9,
    created_at=NOW - timedelta(days=30),
    conversation_id="c1",
)
HALL = Memory(
    id="hall",
    type="fact",
    content="The hall for the lamp launch is booked.",
    confidence=0.4,
    created_at=NOW - timedelta(days=1),
    conversation_id="c1",
)
TONE = Memory(id="tone", type="preference", content="Ann likes short answers.", created_at=NOW)
SECRET = Memory(id="ship", content="Globex ships its lamp in May.", created_at=NOW)


@pytest.fixture
def store(place: str | Path) -> Iterator[MemoryStore]:
    store = MemoryStore.open(place)

    async def fill() -> None:
        await store.remember_many([SHIP, HALL, TONE], "acme")
        await store.relate(Relationship("ship", "hall", "needs"), "acme")
        await store.relate(Relationship("hall", "tone", "mentions", 2.0), "acme")
        await store.remember(SECRET, "globex")

    asyncio.run(fill())
    yield store
    store.close()


@pytest.fixture
def engine(store: MemoryStore) -> ContextEngine:
    return ContextEngine(storage_client=store)
