"""The learning memory's five sources on a Qdrant server: python -m benchmarks.qdrant_learning [ITEMS]

The server is the one of the tests, on this machine. Wall time, as most of a call is spent waiting for the server;
the design asks for less than 1 s for a context, 1.5 s for a premortem, and 50 MB a call.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from benchmarks.learning import (
    DOMAINS,
    SENTENCES,
    STRATEGIES,
    WORDS_OF_A_QUERY,
    filled,
    p95,
    peak,
)
from benchmarks.qdrant_store import counted_calls
from biblicus_context.systems.learning import CONTEXT_TYPES, ContextAssembler, LearningStore
from tests.qdrant_fixture import running_qdrant

_CALLS = 40


async def measured(place: str | Path, name: str) -> None:
    store = LearningStore.open(place)
    assembler, dice = ContextAssembler(store.searcher()), Random(5)

    async def context() -> None:
        query = " ".join(dice.choice(SENTENCES).split()[:WORDS_OF_A_QUERY])
        await assembler.assemble_context(query, CONTEXT_TYPES)

    async def premortem() -> None:
        await assembler.get_premortem_context(dice.choice(DOMAINS), dice.choice(STRATEGIES))

    for title, call in (("context", context), ("premortem", premortem)):
        began = perf_counter()
        await call()
        first = 1e3 * (perf_counter() - began)
        walls, cpus = await _times(call)
        calls = Counter[str]()
        with counted_calls(calls):
            await call()
        print(
            f"{name} {title}: p50 {sorted(walls)[len(walls) // 2]:.0f} ms, p95 {p95(walls):.0f} ms, "
            f"p95 of processor {p95(cpus):.0f} ms, first {first:.0f} ms, "
            f"{await peak(call):.1f} MB, {calls['calls']} trips"
        )
    store.close()


async def _times(call: Callable[[], Awaitable[None]]) -> tuple[list[float], list[float]]:
    walls, cpus = [], []
    for _ in range(_CALLS):
        wall, cpu = perf_counter(), process_time()
        await call()
        walls.append(1e3 * (perf_counter() - wall))
        cpus.append(1e3 * (process_time() - cpu))
    return walls, cpus


def main(items: int) -> None:
    with TemporaryDirectory() as folder, running_qdrant() as server:
        places: dict[str, str | Path] = {
            "sqlite": Path(folder) / "learning",
            "qdrant": f"{server.url}#learning",
        }
        for name, place in places.items():
            store = LearningStore.open(place)
            work = Path(folder) / f"work-{name}"
            work.mkdir()
            began = perf_counter()
            filled(store, work, items)
            print(f"{name}: five sources of {items:,} items in {perf_counter() - began:.0f} s")
            store.close()
            asyncio.run(measured(place, name))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)
