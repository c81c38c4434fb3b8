"""What a write costs does not depend on what the store contains."""

from __future__ import annotations

import time
from pathlib import Path

from biblicus_context.stores import Store
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.store_samples import entry, written


def cost(store: Store, round_: str) -> float:
    """Seconds of the processor that a small write takes where nothing disturbs it."""
    seconds = []
    for number in range(15):
        small = entry(f"{round_}{number}", "a few words")
        began = time.process_time()
        written(store, small)
        seconds.append(time.process_time() - began)
    return min(seconds)


def test_a_small_write_costs_the_same_in_a_large_store(tmp_path: Path):
    with open_store(tmp_path / "store") as store:
        written(store, entry("first", "a few words"))
        small = cost(store, "early")
        many = range(0, 80_000, 400)
        written(store, *(entry(f"d{at}", *["word"] * 400) for at in many))
        assert cost(store, "late") < 2.5 * small
