"""How long a context of what was learned takes, over five sources of many items each."""

from __future__ import annotations

import asyncio
import gc
import tracemalloc
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import process_time
from typing import NamedTuple

from benchmarks.apart import apart
from benchmarks.git_history import made
from benchmarks.learning_parts import parts_of_learning
from benchmarks.sentences import sentences
from benchmarks.targets import Target
from biblicus_context import ContextAssembler as Engine, Corpus, load_project
from biblicus_context.reading import shipped_plan
from biblicus_context.systems.learning import (
    CONTEXT_TYPES,
    ContextAssembler,
    Experience,
    LearningStore,
    Memory,
    Value,
)

WORDS_OF_A_QUERY = 6
DOMAINS = ("debugging", "feature", "refactoring", "testing", "review")
STRATEGIES = ("systematic-elimination", "divide-and-conquer", "trial-and-error", "research-first")
TIERS = ("gold", "silver", "bronze", "abandoned")
BEGAN = datetime(2025, 1, 1, tzinfo=UTC)
SENTENCES = sentences()


class _Figures(NamedTuple):
    """Milliseconds of the processor, and megabytes."""

    context: list[float]
    plan: list[float]
    premortem: list[float]
    peaks: dict[str, float]


def contexts_of_what_was_learned(
    items: int,
    calls: int,
    *,
    context_ms: float,
    premortem_ms: float,
    megabytes: float,
    facade_at_most: float,
) -> Iterator[Target]:
    """Processor time and peak memory of calls with queries made of known sentences."""
    with TemporaryDirectory() as folder:
        apart(_written, Path(folder), items)
        context, plan, premortem, peaks = apart(_figures, Path(folder), calls)
    each = f"five sources of {items:,}"
    yield Target(
        f"learning: context, {each}, p95", p95(context), "ms", at_most=context_ms, design="< 1 s"
    )
    yield Target(f"learning: context, {each}, median", median(context), "ms")
    yield Target(
        f"learning: premortem, {each}, p95",
        p95(premortem),
        "ms",
        at_most=premortem_ms,
        design="< 1.5 s",
    )
    for name, most in peaks.items():
        yield Target(
            f"learning: {name}, peak memory", most, "MB", at_most=megabytes, design="< 50 MB"
        )
    ratio = median(context) / median(plan)
    yield Target(f"learning: context, {each}, facade / plan", ratio, "x", at_most=facade_at_most)


def _written(folder: Path, items: int) -> None:
    store = LearningStore.open(folder / "learning")
    filled(store, folder, items)
    store.close()


def _figures(folder: Path, calls: int) -> _Figures:
    return asyncio.run(_measured(folder, calls))


async def _measured(folder: Path, calls: int) -> _Figures:
    """Facade and plan are asked in turn, so that neither finds what the other has just searched."""
    store = LearningStore.open(folder / "learning")
    assembler, engine, dice = (
        ContextAssembler(store.searcher()),
        _plan(folder / "learning"),
        Random(5),
    )

    def query() -> str:
        return " ".join(dice.choice(SENTENCES).split()[:WORDS_OF_A_QUERY])

    async def facade() -> None:
        await assembler.assemble_context(query(), CONTEXT_TYPES)

    async def plan() -> None:
        await engine.aassemble("learning", inputs={"query": query()}, budget=2000)

    async def premortem() -> None:
        await assembler.get_premortem_context(dice.choice(DOMAINS), dice.choice(STRATEGIES))

    for call in (facade, plan, premortem):  # what stays in memory, and filters that return
        await _times(calls // 2, call)
    contexts, plans = await _times(calls, facade, plan)
    (premortems,) = await _times(calls, premortem)
    peaks = {"context": await peak(facade), "premortem": await peak(premortem)}
    store.close()
    return _Figures(contexts, plans, premortems, peaks)


def _plan(folder: Path) -> Engine:
    """The same plan, assembled without the facade."""
    prefix = "learned-"
    corpora = {
        name: Corpus.open_records(folder / name.removeprefix(prefix), name=name)
        for name in load_project(shipped_plan("learning")).corpora
    }
    return Engine.from_path(shipped_plan("learning"), corpora=corpora)


async def _times(rounds: int, *calls: Callable[[], Awaitable[None]]) -> list[list[float]]:
    """Milliseconds of the processor of each call, in turns."""
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(rounds):
        for call, taken in zip(calls, times, strict=True):
            began = process_time()
            await call()
            taken.append(1e3 * (process_time() - began))
    return times


async def peak(call: Callable[[], Awaitable[None]]) -> float:
    """Megabytes that Python allocates during a call."""
    gc.collect()
    tracemalloc.start()
    await call()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 1e6


def p95(times: Sequence[float]) -> float:
    """What all but one in twenty calls keep."""
    return quantiles(times, n=20)[-1]


def filled(store: LearningStore, folder: Path, items: int) -> None:
    """As many memories, experiences, values, units of code and commits."""
    dice = Random(1)

    def words() -> str:
        return dice.choice(SENTENCES)[:300]

    def when() -> datetime:
        return BEGAN + timedelta(minutes=dice.randrange(500_000))

    memories = (
        Memory(id=f"m{n}", content=f"{words()} {n}", importance=dice.random(), created_at=when())
        for n in range(items)
    )
    experiences = (
        Experience(
            id=f"g{n}",
            domain=dice.choice(DOMAINS),
            strategy=dice.choice(STRATEGIES),
            goal=f"{words()} {n}",
            hypothesis=words(),
            action=words(),
            prediction=words(),
            outcome_status=dice.choice(("falsified", "confirmed")),
            outcome_result=words(),
            surprise=f"{words()} {n}",
            root_cause=f"{words()} {n}",
            confidence_tier=dice.choice(TIERS),
            created_at=when(),
        )
        for n in range(items)
    )
    values = (Value(id=f"v{n}", text=f"{words()} {n}", created_at=when()) for n in range(items))
    asyncio.run(store.memories.put_many(memories, "local"))
    asyncio.run(store.experiences.put_many(experiences, "local"))
    asyncio.run(store.values.put_many(values, "local"))
    code = folder / "code"
    for n in range(items):
        file = code / f"part{n % 100}" / f"unit{n}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'def unit{n}(value):\n    """{words()}"""\n    return value\n', "utf-8")
    asyncio.run(store.index_code(code))
    asyncio.run(store.index_commits(made(folder / "repository", items)))


def quick_learning() -> Iterator[Target]:
    """So few items that what every call costs weighs most; with room for noise."""
    yield from contexts_of_what_was_learned(
        300, 10, context_ms=500, premortem_ms=600, megabytes=50, facade_at_most=4
    )
    yield from parts_of_learning(5, dedupe_ms=100, formatting_ms=200)


def full_learning() -> Iterator[Target]:
    """Twenty thousand items in each source, as the project states it."""
    yield from contexts_of_what_was_learned(
        20_000, 200, context_ms=100, premortem_ms=120, megabytes=50, facade_at_most=1.2
    )
    yield from parts_of_learning(40, dedupe_ms=5, formatting_ms=50)
