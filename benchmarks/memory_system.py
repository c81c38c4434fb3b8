"""What the memory system costs over many memories, next to the plan that it assembles."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, Final, TypeAlias

from benchmarks.apart import apart
from benchmarks.sentences import sentences
from benchmarks.targets import Target
from biblicus_context import ContextAssembler, Principal, Record
from biblicus_context.ingest import RelationTo
from biblicus_context.reading import shipped_plan
from biblicus_context.systems.memory import (
    ContextEngine,
    EmbedderProvider,
    MemoryStore,
    QueryVectors,
)

WORKSPACE: Final = "benchmark"
KINDS: Final = ("fact", "decision", "preference", "event")
WARM: Final = 10
"""Rounds that read what stays in memory, before those that are measured."""
BUDGET: Final = 2_000
_NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
_SENTENCES: Final = sentences()
_Call: TypeAlias = Callable[[str], Awaitable[Any]]


def remembering(
    memories: int,
    questions: int,
    *,
    p95_at_most: float,
    ratio_at_most: float,
    cached_at_most: float,
) -> Iterator[Target]:
    """Builds of the facade and of the plan alone, in turn; a remembered vector; a write."""
    with TemporaryDirectory() as folder:
        writing = apart(_written, Path(folder), memories)
        seconds, hit = apart(_figures, Path(folder), questions)
    build, related = seconds["build"], seconds["build with relations"]
    beside = median(build) / median(seconds["plan alone"])
    yield Target(f"{memories:,} memories written", memories / writing, "memories/s")
    yield Target("memory build, p95 of processor", 1e3 * _p95(build), "ms", at_most=p95_at_most)
    yield Target("memory build, median", 1e3 * median(build), "ms")
    yield Target("memory build with relations, p95", 1e3 * _p95(related), "ms", at_most=p95_at_most)
    yield Target("memory build, of the plan alone", beside, "x", at_most=ratio_at_most)
    yield Target("a remembered vector of a query", 1e3 * hit, "ms", at_most=cached_at_most)


def _written(folder: Path, memories: int) -> float:
    """The seconds of the processor for all of them."""
    store = MemoryStore.open(folder)
    began = process_time()
    store.corpus.for_principal(Principal(WORKSPACE)).put_many(_records(memories))
    seconds = process_time() - began
    store.close()
    return seconds


def _figures(folder: Path, questions: int) -> tuple[dict[str, list[float]], float]:
    return asyncio.run(_measured(MemoryStore.open(folder), questions))


async def _measured(store: MemoryStore, questions: int) -> tuple[dict[str, list[float]], float]:
    return await _timed(_calls(store), questions), await _remembered_vector(store)


def _calls(store: MemoryStore) -> dict[str, _Call]:
    """The facade, with and without relations, and its plan."""
    engine = ContextEngine(store)
    assembler = ContextAssembler.from_path(
        shipped_plan("memory"), corpora={"memories": store.corpus}
    ).for_principal(Principal(WORKSPACE))

    async def built(query: str) -> Any:
        return (await engine.build_context(query, WORKSPACE, token_budget=BUDGET)).unwrap()

    async def related(query: str) -> Any:
        options = {"include_relationships": True, "token_budget": BUDGET}
        return (await engine.build_context(query, WORKSPACE, **options)).unwrap()

    async def direct(query: str) -> Any:
        return await assembler.aassemble("memory", inputs={"query": query}, budget=BUDGET)

    return {"build": built, "build with relations": related, "plan alone": direct}


async def _timed(calls: dict[str, _Call], questions: int) -> dict[str, list[float]]:
    """The seconds of the processor for each call, in turn, each with a question of its own."""
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(-WARM, questions):
        for place, (name, call) in enumerate(calls.items()):
            query = _question(3 * number + place)
            start = process_time()
            result = await call(query)
            taken = process_time() - start
            assert result.token_count <= BUDGET
            if number >= 0:
                seconds[name].append(taken)
    return seconds


async def _remembered_vector(store: MemoryStore) -> float:
    """The seconds of the processor for a vector that was made before."""
    assert store.corpus.embedder is not None
    vectors = QueryVectors(EmbedderProvider(store.corpus.embedder))
    await vectors.of(["again"])
    start = process_time()
    for _ in range(100):
        await vectors.of(["again"])
    return (process_time() - start) / 100


def _p95(seconds: list[float]) -> float:
    return quantiles(seconds, n=20)[-1]


def _records(memories: int) -> Iterator[Record]:
    for number in range(memories):
        dice = random.Random(number)
        yield Record(
            id=f"m{number}",
            kind=dice.choice(KINDS),
            text=" ".join(dice.choices(_SENTENCES, k=dice.randint(1, 3))),
            confidence=dice.random(),
            created=_NOW - timedelta(hours=dice.randrange(10_000)),
            conversation=f"c{dice.randrange(500)}",
            relations=(RelationTo(f"m{dice.randrange(memories)}", "about"),),
        )


def _question(number: int) -> str:
    dice = random.Random(number)
    return " ".join(dice.choices(dice.choice(_SENTENCES).split(), k=6))


def full_remembering() -> Iterator[Target]:
    """A hundred thousand memories, as the project states it."""
    yield from remembering(100_000, 200, p95_at_most=50, ratio_at_most=1.2, cached_at_most=2)


def quick_remembering() -> Iterator[Target]:
    """So few that what every call costs weighs most; with room for noise."""
    yield from remembering(2_000, 10, p95_at_most=500, ratio_at_most=4, cached_at_most=10)
