"""`store.sync`: a memory is written, changed and forgotten by programs that are not async."""

from __future__ import annotations

import asyncio
from pathlib import Path

from biblicus_context.systems.memory import ContextEngine, Memory, MemoryStore, Relationship


def test_what_is_written_without_await_is_found_changed_and_forgotten(place: str | Path) -> None:
    store = MemoryStore.open(place)
    store.sync.remember(Memory(id="m1", type="fact", content="The hall is booked."), "acme")
    more = [Memory(id=f"m{n}", type="fact", content=f"Lamp {n} is sold.") for n in (2, 3)]
    store.sync.remember_many(more, "acme")
    store.sync.relate(Relationship("m1", "m2", "needs"), "acme")
    assert store.sync.update("m1", "acme", content="The hall is free.")
    assert [each.content for each in store.sync.get(["m1"], "acme")] == ["The hall is free."]
    found = ContextEngine(storage_client=store).sync.search("hall", "acme").unwrap()
    assert found[0].memory.id == "m1"
    assert store.sync.forget(["m1"], "acme").documents == 1
    store.sync.forget_workspace("acme")
    assert store.sync.get(["m2", "m3"], "acme") == []
    store.close()


def test_it_works_while_an_event_loop_is_running(place: str | Path) -> None:
    store = MemoryStore.open(place)

    async def cell_of_a_notebook() -> list[Memory]:
        store.sync.remember(Memory(id="m1", type="fact", content="Tea is hot."), "acme")
        return await store.get(["m1"], "acme")

    assert [each.id for each in asyncio.run(cell_of_a_notebook())] == ["m1"]
    store.close()
