"""How much is remembered in a day of questions, with writes in between, and that none is stale.

The n-th question is asked 1/n as often as the first. Time is simulated: the caches get its clock.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.targets import Target
from biblicus_context import ContextRetrieverRequest, Corpus, Record
from biblicus_context.corpora import MemoryAnswerCache
from biblicus_context.embedders import WordLlamaEmbedder
from biblicus_context.systems.memory import CacheConfig, EmbedderProvider, QueryVectors
from biblicus_context.systems.prime import ContextAssemblyService, File, Message, StoredService

SECONDS: Final = 86_400
TOPICS: Final = ("returns", "delivery", "payment", "gifts", "repairs")
STEPS: Final = 10
"""An agent that answers a message takes up to so many steps, n of them 1/n as often as one."""
BETWEEN_STEPS: Final = 5
USER: Final = "ann"


@dataclass(slots=True)
class Clock:
    """The time of the day, in seconds."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True, slots=True)
class Day:
    """So many questions, of which so many are different, and one write after each `per_write`."""

    questions: int
    different: int
    per_write: int

    def asked(self, clock: Clock) -> Iterator[tuple[int, str]]:
        """The number of writes that come before a question, and the question."""
        dice = random.Random(7)
        weights = [1 / (1 + number) for number in range(self.different)]
        for at, number in enumerate(dice.choices(range(self.different), weights, k=self.questions)):
            clock.now = at * SECONDS / self.questions
            yield at // self.per_write, f"{TOPICS[number % len(TOPICS)]} of order {number}"


@dataclass(slots=True)
class _Seen:
    """What came back: answers, and those of them that a write should have changed."""

    answers: int = 0
    stale: int = 0

    def look(self, text: str, writes: int) -> None:
        """Every answer has the text that the last write wrote."""
        self.answers += 1
        self.stale += _written(writes) not in text


def remembered(day: Day, *, turns: int, at_least: float | None) -> Iterator[Target]:
    """The hit rates of each cache, and all stale answers together."""
    yield Target("day: vectors of queries remembered", _vectors(day), "%", at_least=at_least)
    with TemporaryDirectory() as folder:
        rate, answers = _answers(day, Path(folder))
    yield Target(
        "day: answers of a retriever remembered", rate, "%", at_least=at_least, design="> 60 %"
    )
    with TemporaryDirectory() as folder:
        rate, contexts = asyncio.run(_contexts_of_turns(turns, Path(folder)))
    yield Target(
        "day: prime contexts remembered, agents", rate, "%", at_least=at_least, design="> 30 %"
    )
    with TemporaryDirectory() as folder:
        rate, single = asyncio.run(_single_contexts(day, Path(folder)))
    yield Target("day: prime contexts remembered, single questions", rate, "%")
    seen = (answers, contexts, single)
    yield Target("day: answers looked at", sum(each.answers for each in seen), "")
    yield Target("day: stale answers", sum(each.stale for each in seen), "", at_most=0)


def _vectors(day: Day) -> float:
    return asyncio.run(_embedded(day))


async def _embedded(day: Day) -> float:
    clock, provider = Clock(), _Counting(EmbedderProvider(WordLlamaEmbedder()))
    vectors = QueryVectors(provider, CacheConfig(cache=MemoryAnswerCache(1_000, clock)))
    for _, question in day.asked(clock):
        await vectors.of([question])
    return 1 - provider.asked / day.questions


@dataclass(slots=True)
class _Counting:
    """A provider that counts what it is asked."""

    provider: EmbedderProvider
    asked: int = 0
    model: str = "counting"
    dimensions: int = field(default=256)

    async def embed(self, text: str) -> Sequence[float]:
        self.asked += 1
        return await self.provider.embed(text)

    async def embed_batch(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return [await self.embed(text) for text in texts]


def _answers(day: Day, folder: Path) -> tuple[float, _Seen]:
    clock, seen, writes = Clock(), _Seen(), -1
    cache = {"ttl_seconds": SECONDS, "max_entries": 1_000}
    with Corpus.open_records(folder) as corpus:
        retriever = corpus.retriever(
            {"retriever_id": "hybrid", "cache": cache}, answer_cache=MemoryAnswerCache(1_000, clock)
        )
        for due, question in day.asked(clock):
            if due > writes:
                writes = due
                corpus.put([Record(id=topic, text=_page(topic, writes)) for topic in TOPICS])
            request = ContextRetrieverRequest(query=question, limit=20, max_tokens=500)
            seen.look(retriever(request).text, writes)
        assert retriever.answers is not None
        return retriever.answers.counts.hit_rate, seen


async def _single_contexts(day: Day, folder: Path) -> tuple[float, _Seen]:
    """Two hours of the day: contexts are kept for half a minute, so the others are like these."""
    clock, seen, writes, rates = Clock(), _Seen(), -1, list[float]()
    service = _service(folder, clock, rates)
    for due, question in islice(day.asked(clock), max(100, day.questions // 12)):
        if due > writes:
            writes = due
            await _put(service, writes)
        context = await service.build_prime_context("orders", question, USER)
        seen.look(context.text, writes)
    service.close()
    return rates[-1], seen


async def _contexts_of_turns(turns: int, folder: Path) -> tuple[float, _Seen]:
    """A context for each step of an agent; after the last one its answer is written."""
    clock, seen, rates, dice = Clock(), _Seen(), list[float](), random.Random(7)
    service = _service(folder, clock, rates)
    await _put(service, 0)
    steps = range(1, STEPS + 1)
    for turn, count in enumerate(dice.choices(steps, [1 / each for each in steps], k=turns)):
        said = Message(role="user", content=_written(turn))
        await service.messages.add("orders", said, user_id=USER)
        for _ in range(count):
            clock.now += BETWEEN_STEPS
            context = await service.build_prime_context("orders", "What about my order?", USER)
            seen.look(context.text, turn)
    service.close()
    return rates[-1], seen


def _service(folder: Path, clock: Clock, rates: list[float]) -> StoredService:
    cache = MemoryAnswerCache(100, clock)
    return ContextAssemblyService.open(
        folder, cache=cache, on_metrics=lambda each: rates.append(each.cache_hit_rate)
    )


async def _put(service: StoredService, writes: int) -> None:
    await service.files.put(
        *(
            File(id=each, path=f"{each}.md", content=_page(each, writes), owner_user_id=USER)
            for each in TOPICS
        )
    )


def _page(topic: str, writes: int) -> str:
    return f"What we say about {topic} of orders is {_written(writes)}"


def _written(writes: int) -> str:
    """One word: prime contexts mark those of the question."""
    return f"edition{writes:05}"


def full_day() -> Iterator[Target]:
    """Twenty thousand questions, five hundred of them different, and a write after each thousand."""
    yield from remembered(Day(20_000, 500, 1_000), turns=500, at_least=0.6)


def quick_day() -> Iterator[Target]:
    """So few that most are asked once: only a cache that does not work misses the bound."""
    yield from remembered(Day(100, 10, 50), turns=5, at_least=0.1)
