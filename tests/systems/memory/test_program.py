"""The first program of a user runs as it stands."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from biblicus_context.systems.memory import ContextEngine, Memory, MemoryStore


def test_the_program_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    now = datetime.now(UTC)

    async def program() -> None:
        store = MemoryStore.open("memories")
        await store.remember(
            Memory(
                id="m1",
                type="decision",
                content="We ship on Friday.",
                confidence=0.9,
                created_at=now,
                conversation_id="c1",
            ),
            "acme",
        )
        engine = ContextEngine(storage_client=store)
        result = await engine.build_context(
            "When do we ship?",
            "acme",
            template="chat",
            token_budget=1500,
            include_relationships=True,
            relationship_depth=1,
        )
        assert result.ok
        assert "- We ship on Friday." in result.value.context

    asyncio.run(program())
