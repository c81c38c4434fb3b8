"""A process that writes memories without end, and says what is written; tests kill it."""

from __future__ import annotations

import asyncio
import sys
from itertools import count
from pathlib import Path

from biblicus_context.embedders import FunctionEmbedder
from biblicus_context.systems.memory import Memory, MemoryStore, Relationship

BATCH = 20
EMBEDDER = FunctionEmbedder(
    lambda texts: [[1.0, float(len(text) % 97)] for text in texts], model="tiny", dimensions=2
)


def opened(place: Path) -> MemoryStore:
    return MemoryStore.open(place, embedder=EMBEDDER)


def batch(number: int, writer: str = "") -> list[Memory]:
    return [
        Memory(id=f"{writer}{number}-{n}", content=f"Batch {number}, memory {n}.", type="fact")
        for n in range(BATCH)
    ]


async def write(place: Path, start: int, writer: str = "", rounds: int | None = None) -> None:
    """Each line says what is durable: the call for it has returned."""
    store = opened(place)
    for number in range(start, start + rounds) if rounds else count(start):
        await store.remember_many(batch(number, writer), "acme")
        print("batch", number, flush=True)
        await store.relate(Relationship(f"{writer}{number}-0", f"{writer}{number}-1", "x"), "acme")
        print("relation", number, flush=True)
        await store.remember(Memory(id=f"{writer}last", content="One."), "acme")
        await store.update(f"{writer}last", "acme", content=f"Round {number}.", confidence=0.5)
        print("update", number, flush=True)
        await store.remember_many(batch(number, writer), f"{writer}gone")
        await store.forget_workspace(f"{writer}gone")
        print("forgotten", number, flush=True)
        store.import_lines(store.export_lines("acme"), f"{writer}copy{number}")
        print("imported", number, flush=True)
    store.close()


if __name__ == "__main__":
    folder, first, name, times = sys.argv[1:]
    asyncio.run(write(Path(folder), int(first), name, int(times) or None))
