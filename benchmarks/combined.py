"""What combining retrievers costs besides asking them.

Sources that wait are timed on the clock: they are asked side by side, so the slowest decides. Sources
over corpora work on one processor: there a combination costs what its sources cost one by one.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator, Mapping
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any, Final

from benchmarks.sentences import sentences
from benchmarks.targets import Target
from biblicus_context import ContextAssembler, ContextPackBlock, Corpus, Record

SHARE: Final = 4_000
_SECONDS: Final = {"near": 0.06, "far": 0.08, "farthest": 0.1}
_SENTENCES: Final = sentences()


def combining(
    records: int, questions: int, *, waiting_at_most: float, working_at_most: float
) -> Iterator[Target]:
    """Three sources that wait, and three over one corpus; each next to its sources alone."""
    yield from _waiting(questions, waiting_at_most)
    yield from _working(records, questions, working_at_most)


def _waiting(questions: int, at_most: float) -> Iterator[Target]:
    sources = {name: _slow(name, seconds) for name, seconds in _SECONDS.items()}
    assemblers = {name: _assembler(name, sources) for name in ("farthest", *POOLS)}
    clocks = {
        name: median(asyncio.run(_awaited(each, questions))) for name, each in assemblers.items()
    }
    for name in POOLS:
        ratio = clocks[name] / clocks["farthest"]
        yield Target(f"{name} of 3 waiting, of the slowest", ratio, "x", at_most=at_most)


def _working(records: int, questions: int, at_most: float) -> Iterator[Target]:
    sources = {
        name: {"corpus": "notes", "config": {"retriever_id": name, "query": "{input.q}"}}
        for name in ("hybrid", "keyword", "fuzzy")
    }
    with TemporaryDirectory() as folder, Corpus.open_records(folder) as corpus:
        corpus.put_many(_records(records))
        assemblers = {name: _assembler(name, sources, corpus) for name in (*sources, *POOLS)}
        cpu = _processor(assemblers, questions)
    alone = [cpu[name] for name in sources]
    for name in POOLS:
        what = f"{name} of 3 over {records:,} records"
        yield Target(f"{what}, of all three alone", cpu[name] / sum(alone), "x", at_most=at_most)
        yield Target(f"{what}, of the slowest alone", cpu[name] / max(alone), "x")
        yield Target(f"{what}, processor", 1e3 * cpu[name], "ms")


POOLS: Final[Mapping[str, Mapping[str, Any]]] = {
    "combined": {},
    "ranked": {"rank": {"similarity": 0.5, "recency": 0.3, "keyword": 0.2}},
}
"""Combinations of all sources, by name: by their places, and by weights."""


def _assembler(name: str, sources: Mapping[str, Any], corpus: Corpus | None = None) -> Any:
    pools = {
        pool: {"config": {"retriever_id": "combined", "of": [*sources], **more}}
        for pool, more in POOLS.items()
    }
    context = {
        "policy": {"input_budget": {"max_tokens": SHARE}, "pack_budget": {"default_ratio": 1.0}},
        "messages": [{"type": "context", "name": name}],
    }
    corpora = {"notes": corpus} if corpus else {}
    return ContextAssembler({"main": context}, {**sources, **pools}, corpora=corpora)


async def _awaited(assembler: ContextAssembler, questions: int) -> list[float]:
    """The seconds of each question on the clock; the first one loads what is loaded once."""
    seconds = []
    for number in range(questions + 1):
        start = perf_counter()
        result = await assembler.aassemble("main", inputs={"q": _question(number)})
        seconds.append(perf_counter() - start)
        pool = result.receipt.parts[0]
        assert pool.requests == max(1, len(pool.sources)), "each source is asked once"
    return seconds[1:]


def _processor(assemblers: Mapping[str, ContextAssembler], questions: int) -> dict[str, float]:
    """The median of each; every assembler is first as often as any other, as stores remember words."""
    seconds: dict[str, list[float]] = {name: [] for name in assemblers}
    names = [*assemblers]
    for number in range(-len(names), questions * len(names)):
        name = names[number % len(names)]
        start = process_time()
        result = assemblers[name].assemble("main", inputs={"q": _question(number)})
        taken = process_time() - start
        assert result.token_count <= SHARE
        if number >= 0:
            seconds[name].append(taken)
    return {name: median(each) for name, each in seconds.items()}


def _question(number: int) -> str:
    dice = random.Random(number)
    return " ".join(dice.choices(dice.choice(_SENTENCES).split(), k=6))


def _slow(name: str, seconds: float) -> Any:
    dice = random.Random(name)
    blocks = [
        ContextPackBlock(
            evidence_item_id=f"{name}-{number}",
            text=" ".join(dice.choices(_SENTENCES, k=4)),
            score=1 / (1 + number),
        )
        for number in range(30)  # more than the share of a source would be asked for twice
    ]

    async def answer(_request: Any) -> list[ContextPackBlock]:
        await asyncio.sleep(seconds)
        return blocks

    return answer


def _records(number: int) -> Iterator[Record]:
    for at in range(number):
        dice = random.Random(at)
        yield Record(id=f"r{at}", text=" ".join(dice.choices(_SENTENCES, k=5)))


def full_combined() -> Iterator[Target]:
    """As the project states it."""
    yield from combining(10_000, 40, waiting_at_most=1.15, working_at_most=1.15)


def quick_combined() -> Iterator[Target]:
    """So little that what every call costs weighs most; with room for noise."""
    yield from combining(500, 5, waiting_at_most=2.0, working_at_most=3.0)
