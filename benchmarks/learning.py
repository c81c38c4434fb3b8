"""How long a context of what was learned takes, over five sources of many items each."""

from __future__ import annotations

import asyncio
import gc
import random
import time
import tracemalloc
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.git_history import made
from benchmarks.learning_parts import parts_of_learning
from benchmarks.sentences import sentences
from benchmarks.targets import Target
from biblicus_context import ContextAssembler as Engine
from biblicus_context import Corpus, load_project, shipped_plan
from biblicus_context.systems.learning import (
    CONTEXT_TYPES,
    ContextAssembler,
    Experience,
    LearningStore,
    Memory,
    Value,
)

CALLS = 40
WORDS_OF_A_QUERY = 6
DOMAINS = ("debugging", "feature", "refactoring", "testing", "review")
STRATEGIES = ("systematic-elimination", "divide-and-conquer", "trial-and-error", "research-first")
TIERS = ("gold", "silver", "bronze", "abandoned")
BEGAN = datetime(2025, 1, 1, tzinfo=UTC)


def contexts_of_what_was_learned(
    items: int, *, context_ms: float, premortem_ms: float, megabytes: float, facade_at_most: float
) -> Iterator[Target]:
    """Processor time and peak memory of calls with queries made of known sentences."""
    with TemporaryDirectory() as folder:
        store = LearningStore.open(Path(folder) / "learning")
        filled(store, Path(folder), items)
        assembler = ContextAssembler(store.searcher())
        dice = random.Random(5)

        def recalled() -> Awaitable[Any]:
            query = " ".join(dice.choice(SENTENCES).split()[:WORDS_OF_A_QUERY])
            return assembler.assemble_context(query, CONTEXT_TYPES)

        def warned() -> Awaitable[Any]:
            return assembler.get_premortem_context(dice.choice(DOMAINS), dice.choice(STRATEGIES))

        engine = _plan(Path(folder) / "learning")

        def direct() -> Awaitable[Any]:
            query = " ".join(dice.choice(SENTENCES).split()[:WORDS_OF_A_QUERY])
            return engine.aassemble("learning", inputs={"query": query}, budget=2000)

        each = f"five sources of {items:,}"
        yield Target(
            f"learning: context, {each}, p95",
            p95(recalled),
            "ms",
            at_most=context_ms,
            design="< 1 s",
        )
        yield Target(
            f"learning: premortem, {each}, p95",
            p95(warned),
            "ms",
            at_most=premortem_ms,
            design="< 1.5 s",
        )
        for name, call in {"context": recalled, "premortem": warned}.items():
            yield Target(
                f"learning: {name}, peak memory",
                peak(call),
                "MB",
                at_most=megabytes,
                design="< 50 MB",
            )
        ratio = in_turns(recalled, direct)
        yield Target(
            f"learning: context, {each}, facade / plan", ratio, "x", at_most=facade_at_most
        )
        store.close()


def _plan(folder: Path) -> Engine:
    """The same plan, assembled without the facade."""
    prefix = "learned-"
    corpora = {
        name: Corpus.open_records(folder / name.removeprefix(prefix), name=name)
        for name in load_project(shipped_plan("learning")).corpora
    }
    return Engine.from_path(shipped_plan("learning"), corpora=corpora)


def in_turns(facade: Callable[[], Awaitable[Any]], plan: Callable[[], Awaitable[Any]]) -> float:
    """How many times as much the facade takes, in the median of calls in turns."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(CALLS):
        for call, taken in zip((facade, plan), times, strict=True):
            began = time.process_time()
            asyncio.run(awaited(call))
            taken.append(time.process_time() - began)
    return median(times[0][5:]) / median(times[1][5:])


SENTENCES = sentences()


def p95(call: Callable[[], Awaitable[Any]]) -> float:
    """Milliseconds of the processor, of the slowest but one in twenty calls."""
    for _ in range(CALLS):  # the first calls read what stays in memory, and filters that return
        asyncio.run(awaited(call))
    times = []
    for _ in range(CALLS):
        began = time.process_time()
        asyncio.run(awaited(call))
        times.append(1e3 * (time.process_time() - began))
    return quantiles(times, n=20)[-1]


def peak(call: Callable[[], Awaitable[Any]]) -> float:
    """Megabytes that Python allocates during a call."""
    gc.collect()
    tracemalloc.start()
    asyncio.run(awaited(call))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 1e6


async def awaited(call: Callable[[], Awaitable[Any]]) -> Any:
    """The result of one call."""
    return await call()


def filled(store: LearningStore, folder: Path, items: int) -> None:
    """As many memories, experiences, values, units of code and commits."""
    dice = random.Random(1)

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
        300, context_ms=500, premortem_ms=600, megabytes=50, facade_at_most=4
    )
    yield from parts_of_learning(5, dedupe_ms=100, formatting_ms=200)


def full_learning() -> Iterator[Target]:
    """Twenty thousand items in each source, as the project states it."""
    yield from contexts_of_what_was_learned(
        20_000, context_ms=100, premortem_ms=120, megabytes=50, facade_at_most=1.2
    )
    yield from parts_of_learning(40, dedupe_ms=5, formatting_ms=50)
