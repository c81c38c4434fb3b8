"""What the memory system costs over many memories, next to the plan that it assembles."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, Final

from benchmarks.sentences import sentences
from benchmarks.targets import Target
from biblicus_context import (
    CacheConfig,
    ContextAssembler,
    EmbedderProvider,
    Principal,
    QueryVectors,
    Record,
    RelationTo,
    shipped_plan,
)
from biblicus_context.systems.memory import ContextEngine, MemoryStore

WORKSPACE: Final = "benchmark"
KINDS: Final = ("fact", "decision", "preference", "event")
BUDGET: Final = 2_000
_NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
_SENTENCES: Final = sentences()


def remembering(
    memories: int,
    questions: int,
    *,
    p95_at_most: float,
    ratio_at_most: float,
    cached_at_most: float,
) -> Iterator[Target]:
    """Builds of the facade and of the plan alone, in turn; searches; a remembered vector; a write."""
    with TemporaryDirectory() as folder:
        store = MemoryStore.open(folder)
        corpus = store.corpus.for_principal(Principal(WORKSPACE))
        began = process_time()
        corpus.put_many(_records(memories))
        seconds = process_time() - began
        yield Target(f"{memories:,} memories written", memories / seconds, "memories/s")
        yield from asyncio.run(
            _measured(store, questions, p95_at_most, ratio_at_most, cached_at_most)
        )
        store.close()


async def _measured(
    store: MemoryStore, questions: int, p95: float, ratio: float, cached: float
) -> list[Target]:
    engine = ContextEngine(store)
    assembler = ContextAssembler.from_path(
        shipped_plan("memory"), corpora={"memories": store.corpus}
    ).for_principal(Principal(WORKSPACE))
    assert store.corpus.embedder is not None
    vectors = QueryVectors(EmbedderProvider(store.corpus.embedder))

    async def built(query: str) -> Any:
        return (await engine.build_context(query, WORKSPACE, token_budget=BUDGET)).unwrap()

    async def related(query: str) -> Any:
        options = {"include_relationships": True, "token_budget": BUDGET}
        return (await engine.build_context(query, WORKSPACE, **options)).unwrap()

    async def direct(query: str) -> Any:
        return await assembler.aassemble("memory", inputs={"query": query}, budget=BUDGET)

    calls: dict[str, Callable[[str], Awaitable[Any]]] = {
        "build": built,
        "build with relations": related,
        "plan alone": direct,
    }
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(-2, questions):
        for place, (name, call) in enumerate(calls.items()):
            query = _question(3 * number + place)
            start = process_time()
            result = await call(query)
            taken = process_time() - start
            assert result.token_count <= BUDGET
            if number >= 0:
                seconds[name].append(taken)
    await vectors.of(["again"])
    start = process_time()
    for _ in range(100):
        await vectors.of(["again"])
    hit = (process_time() - start) / 100
    return [
        Target("memory build, p95 of processor", 1e3 * _p95(seconds["build"]), "ms", at_most=p95),
        Target("memory build, median", 1e3 * median(seconds["build"]), "ms"),
        Target(
            "memory build with relations, p95",
            1e3 * _p95(seconds["build with relations"]),
            "ms",
            at_most=p95,
        ),
        Target(
            "memory build, of the plan alone",
            median(seconds["build"]) / median(seconds["plan alone"]),
            "x",
            at_most=ratio,
        ),
        Target("a remembered vector of a query", 1e3 * hit, "ms", at_most=cached),
        Target(
            "vectors remembered in a replayed day",
            await _replayed_day(5_000, 20_000),
            "%",
            at_least=0.6,
        ),
    ]


async def _replayed_day(queries: int, asked: int) -> float:
    """The share of vectors that are remembered, where the n-th query is asked 1/n times as often."""
    dice, provider = random.Random(7), _Counting()
    vectors = QueryVectors(provider, CacheConfig(max_size=1_000))
    weights = [1 / (1 + number) for number in range(queries)]
    for number in dice.choices(range(queries), weights, k=asked):
        await vectors.of([str(number)])
    return 1 - provider.asked / asked


class _Counting:
    """A provider that counts what it is asked."""

    model = "counting"
    dimensions = 1
    asked = 0

    async def embed(self, text: str) -> list[float]:
        self.asked += 1
        return [1.0]

    async def embed_batch(self, texts: Sequence[str]) -> list[list[float]]:
        return [await self.embed(text) for text in texts]


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
    yield from remembering(100_000, 60, p95_at_most=50, ratio_at_most=1.2, cached_at_most=2)


def quick_remembering() -> Iterator[Target]:
    """So few that what every call costs weighs most; with room for noise."""
    yield from remembering(2_000, 10, p95_at_most=500, ratio_at_most=4, cached_at_most=10)
