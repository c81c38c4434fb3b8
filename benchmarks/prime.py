"""How fast prime contexts are built: by the facade, by the plan alone, and from the cache.

One user has all files and messages, made of documentation strings; a question is six words of a
file. Facade and plan get questions in turn, so that neither finds what the other has just searched.
Every figure is processor time.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import process_time
from typing import Final, NamedTuple

from benchmarks.apart import apart
from benchmarks.sentences import sentences
from benchmarks.targets import Target
from biblicus_context import ContextAssembler, Corpus, load_project
from biblicus_context.reading import shipped_plan
from biblicus_context.systems.prime import ContextAssemblyService, File, Message, StoredService

USER: Final = "ann"
THREADS: Final = 500
_BEGAN: Final = datetime(2026, 1, 1, tzinfo=UTC)


def full_prime() -> Iterator[Target]:
    """100,000 documents, as the project states it."""
    yield from building(100_000, questions=400, build_ms=50, hit_ms=2, facade_at_most=1.2)


def quick_prime() -> Iterator[Target]:
    """So few documents that what every build costs weighs most; with room for noise."""
    yield from building(1_000, questions=20, build_ms=200, hit_ms=20, facade_at_most=3)


class _Figures(NamedTuple):
    facade: list[float]
    plan: list[float]
    hits: list[float]


def building(
    documents: int, *, questions: int, build_ms: float, hit_ms: float, facade_at_most: float
) -> Iterator[Target]:
    """The first quarter of the questions is not measured: a server is warm after them."""
    with TemporaryDirectory() as folder:
        asked = apart(_written, Path(folder), documents, questions)
        figures = apart(_figures, Path(folder), asked)
    name = f"prime context, {documents:,} documents"
    yield Target(f"{name}, p95", _p95(figures.facade), "ms", at_most=build_ms, design="< 300 ms")
    yield Target(f"{name}, median", median(figures.facade), "ms")
    yield Target(f"{name}, remembered, p95", _p95(figures.hits), "ms", at_most=hit_ms)
    ratio = median(figures.facade) / median(figures.plan)
    yield Target(f"{name}, facade / plan", ratio, "x", at_most=facade_at_most)


def _figures(folder: Path, asked: Sequence[str]) -> _Figures:
    return asyncio.run(_measured(folder, asked))


async def _measured(folder: Path, asked: Sequence[str]) -> _Figures:
    service = ContextAssemblyService.open(folder)
    plan = _by_plan(folder, service)

    async def facade(question: str) -> object:
        return await service.build_prime_context("t1", question, USER)

    warm = len(asked) // 4
    for question in asked[:warm]:
        await facade(question)
    figures = _Figures([], [], [])
    for number, question in enumerate(asked[warm:]):
        if number % 2:
            figures.plan.append(await _timed(plan, question))
        else:
            figures.facade.append(await _timed(facade, question))
            figures.hits.append(await _timed(facade, question))
    return figures


def _by_plan(folder: Path, service: StoredService) -> Callable[[str], Awaitable[object]]:
    """The same plan, assembled without the facade."""
    declared = load_project(shipped_plan("prime")).corpora
    corpora = {
        name: Corpus.open(
            each.model_copy(update={"config": {**each.config, "store": str(folder / name)}})
        )
        for name, each in declared.items()
    }
    who = service.files.corpus.principal(USER)
    assembler = ContextAssembler.from_path(shipped_plan("prime"), corpora=corpora)
    own = assembler.for_principal(who)

    async def assembled(question: str) -> object:
        inputs = {"question": question, "thread": "t1", "references": ["f1", "f2"]}
        return await own.aassemble("prime", inputs=inputs)

    return assembled


def _written(folder: Path, documents: int, questions: int) -> list[str]:
    return asyncio.run(_filled(ContextAssemblyService.open(folder), documents, questions))


async def _filled(service: StoredService, documents: int, questions: int) -> list[str]:
    dice, known = random.Random(7), sentences()
    texts = [" ".join(dice.choices(known, k=dice.randint(2, 6))) for _ in range(documents)]
    files, said = texts[: documents // 2], texts[documents // 2 :]
    for start in range(0, len(files), 1_000):
        await service.files.put(*map(_file, range(start, len(files))[:1_000], files[start:]))
    for thread in range(THREADS):
        times = (_BEGAN + timedelta(seconds=at) for at in range(thread, len(said), THREADS))
        messages = (
            Message(role="user", content=text, created_at=at)
            for text, at in zip(said[thread::THREADS], times, strict=True)
        )
        await service.messages.add(f"t{thread}", *messages, user_id=USER)
    for name in ("f1", "f2"):
        await service.references.add("t1", name, user_id=USER)
        await service.files.update_access_time(name, USER)
    found = (text.split() for text in dice.sample(files, questions))
    return [" ".join(dice.sample(words, min(6, len(words)))) for words in found]


def _file(at: int, text: str) -> File:
    path, created = f"docs/{at % 97}/note-{at}.md", _BEGAN + timedelta(minutes=at)
    return File(id=f"f{at}", path=path, content=text, owner_user_id=USER, created_at=created)


async def _timed(work: Callable[[str], Awaitable[object]], question: str) -> float:
    began = process_time()
    await work(question)
    return 1e3 * (process_time() - began)


def _p95(times: list[float]) -> float:
    return quantiles(times, n=20)[-1]
