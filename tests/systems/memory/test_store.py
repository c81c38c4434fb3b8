"""Memories are remembered, changed, moved and forgotten."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from biblicus_context.errors import InputError
from biblicus_context.systems.memory import ContextEngine, Memory, MemoryStore, SearchLog
from tests.systems.memory.conftest import HALL, NOW, SHIP, TONE

pytestmark = pytest.mark.on_postgres


def remembered(store: MemoryStore, workspace: str = "acme") -> list[str]:
    return [*store.export_lines(workspace)]


def test_a_memory_is_changed_and_forgotten(store: MemoryStore, engine: ContextEngine):
    assert asyncio.run(store.update("ship", "acme", content="We ship on Monday.", confidence=1.0))
    (best,) = engine.sync.search("When do we ship?", "acme", limit=1).unwrap()
    assert (best.memory.content, best.memory.confidence) == ("We ship on Monday.", 1.0)
    assert best.memory.created_at == SHIP.created_at
    assert not asyncio.run(store.update("unknown", "acme", confidence=1.0))
    with pytest.raises(InputError, match="confidence: Input should be less than or equal to 1"):
        asyncio.run(store.update("ship", "acme", confidence=7))
    asyncio.run(store.forget("ship", "acme"))
    assert len(remembered(store)) == 2


def test_a_memory_that_is_corrected_is_as_new_as_its_correction(
    store: MemoryStore, engine: ContextEngine
):
    old = SHIP.model_copy(update={"created_at": datetime(2020, 1, 1, tzinfo=UTC)})
    asyncio.run(store.remember(old, "other"))

    def read() -> Memory:
        (memory,) = asyncio.run(store.get("ship", "other"))
        return memory

    asyncio.run(store.update("ship", "other", confidence=0.5))
    assert read().updated_at is None
    (before,) = engine.sync.search("lamp", "other", ranker="recency").unwrap()
    asyncio.run(store.update("ship", "other", content="We ship the lamp on Monday."))
    assert read().created_at == old.created_at
    assert datetime.now(UTC) - (read().updated_at or NOW) < timedelta(minutes=1)
    (after,) = engine.sync.search("lamp", "other", ranker="recency").unwrap()
    assert (before.rank or 0) < 0.1 < 0.9 < (after.rank or 0)
    built = engine.sync.build_context("lamp", "other", template="detailed").unwrap()
    assert f", {datetime.now(UTC).year}" in built.context
    asyncio.run(store.update("ship", "other", content="In May.", updated_at=NOW))
    assert read().updated_at == NOW


def test_an_imported_line_that_is_no_memory_is_refused_and_searches_go_on(
    store: MemoryStore, engine: ContextEngine
):
    for name in ("confidence", "importance"):
        with pytest.raises(InputError, match=rf"\.{name}: a number from 0 to 1"):
            store.import_lines([json.dumps({"id": "bad", "text": "Lamp.", name: 7})], "acme")
    assert len(engine.sync.search("lamp", "acme", floor=0).unwrap()) == 3


def test_all_memories_are_remembered_or_none(store: MemoryStore):
    new = Memory(id="new", content="New.")
    with pytest.raises(InputError, match=r"records\[1\]\.id"):
        asyncio.run(store.remember_many([new, new.model_copy(update={"id": ""})], "acme"))
    assert len(remembered(store)) == 3


def test_an_export_is_imported_into_another_store(store: MemoryStore, tmp_path: Path):
    lines = remembered(store)
    other = MemoryStore.open(tmp_path / "other")
    assert other.import_lines(lines, "acme") == 3
    assert remembered(other) == lines
    engine = ContextEngine(other)
    options = {"include_relationships": True, "limit": 3, "floor": 0}
    found = engine.sync.search("lamp", "acme", **options).unwrap()
    assert {each.memory.id: each.memory for each in found} == {
        each.id: each for each in (SHIP, HALL, TONE)
    }
    with pytest.raises(InputError, match="line 2: not a line of JSON"):
        other.import_lines([lines[0], "{"], "acme")
    other.close()


def test_a_forgotten_workspace_is_gone(
    store: MemoryStore, engine: ContextEngine, place: str | Path
):
    asyncio.run(store.forget_workspace("acme"))
    assert remembered(store) == []
    assert engine.sync.search("lamp", "acme").unwrap() == []
    assert len(remembered(store, "globex")) == 1
    store.close()
    if isinstance(place, Path):
        kept = b"".join(file.read_bytes() for file in place.iterdir())
        assert b"Friday" not in kept
        assert b"Globex" in kept


def test_a_user_is_forgotten_with_a_certificate_and_others_stay(store: MemoryStore):
    for user, said in (("ann", "The lamp is for my sister."), ("bob", "The lamp is too bright.")):
        store.sync.remember_conversation(
            [{"role": "user", "content": said}], "acme", conversation_id=user, user_id=user
        )
    done = store.sync.forget_user("ann", "acme")
    (gone,) = done.removed["memories"]
    assert gone.startswith("ann/")
    assert done.unknown == ()
    assert store.sync.get([gone], "acme") == []
    assert any("too bright" in each for each in remembered(store))
    assert len(remembered(store)) == 4
    assert store.sync.forget_user("ann", "acme").removed == {}


def test_a_workspace_is_forgotten_with_what_was_searched_there(store: MemoryStore, tmp_path: Path):
    log = SearchLog.at(tmp_path / "searches")
    engine = ContextEngine(store, search_log=log)
    engine.sync.search("my secret question", "acme")
    assert engine.analytics("acme").searches == 1
    done = engine.sync.forget_workspace("acme")
    assert sorted(done.removed["memories"]) == ["hall", "ship", "tone"]
    assert engine.analytics("acme").searches == 0
    kept = [each.read_bytes() for each in (tmp_path / "searches").rglob("*") if each.is_file()]
    assert not any(b"secret" in each for each in kept)
