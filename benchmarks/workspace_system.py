"""What contexts about a workspace of blocks cost, with permissions, next to the plan that is assembled."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any, Final, NamedTuple

from benchmarks.apart import apart
from benchmarks.sentences import sentences
from benchmarks.targets import Target
from biblicus_context import ContextAssembler
from biblicus_context.reading import shipped_plan
from biblicus_context.systems.workspace import (
    Block,
    BlockStore,
    ContextBuilder,
    ContextRequest,
    Focus,
    User,
)

ACME: Final = "acme"
FEW: Final = "few"
_FEW: Final = 1_000
_BATCHES: Final = {1: 100, 100: 15, 1_000: 5}
"""How often batches of each size are written."""
ANN: Final = User("ann", ACME, frozenset({"sales"}))
IN_A_PAGE: Final = 39
GROUPS: Final = ("sales", "design", "finance")
TYPES: Final = ("paragraph", "todo", "kanban_card")
_NOW: Final = datetime.now(UTC)
_SENTENCES: Final = sentences()


def building(
    blocks: int, requests: int, *, p95_at_most: float, ratio_at_most: float, batch_at_most: float
) -> Iterator[Target]:
    """Batches that are written; then requests about a page, a block, and nothing, in turn."""
    with TemporaryDirectory() as folder:
        written = apart(_written, Path(folder), blocks)
        yield Target(f"workspace, {blocks:,} blocks written", blocks / written.seconds, "blocks/s")
        yield from _compared(written.few, written.many, blocks, batch_at_most)
        facade, plan = apart(_figures, Path(folder), blocks, requests)
    name = f"workspace, {blocks:,} blocks with permissions"
    p95, half = quantiles(facade, n=20)[-1], median(facade)
    yield Target(f"{name}, p95 of the processor", p95, "ms", at_most=p95_at_most, design="< 200 ms")
    yield Target(f"{name}, median", half, "ms")
    ratio = half / median(plan)
    yield Target(f"{name}, facade / the plan alone", ratio, "x", at_most=ratio_at_most)


class _Written(NamedTuple):
    """How long all blocks took, and what batches cost before and after them."""

    seconds: float
    few: dict[int, _Batches]
    many: dict[int, _Batches]


def _written(folder: Path, blocks: int) -> _Written:
    store = BlockStore.open(folder)
    asyncio.run(store.put_block(*_blocks(_FEW), workspace=FEW))
    few = asyncio.run(_writing(store, FEW))
    began = process_time()
    asyncio.run(_fill(store, blocks))
    seconds = process_time() - began
    many = asyncio.run(_writing(store, ACME))
    store.close()
    return _Written(seconds, few, many)


async def _fill(store: BlockStore, blocks: int) -> None:
    """A fifth of the pages is granted to one of three groups; a user has edited and viewed some."""
    await store.put_block(*_blocks(blocks), workspace=ACME)
    pages = blocks // (IN_A_PAGE + 1)
    for page in range(0, pages, max(5, pages // 50)):
        await store.grant(f"p{page}", ACME, groups=[GROUPS[page % len(GROUPS)]])
    for page in range(1, min(60, pages - 1)):
        await store.link(f"p{page}b0", f"p{page + 1}b1", ACME)
        await store.record_edit(f"p{page}b3", ANN)
        await store.record_view(f"p{page}", ANN)


class _Batches(NamedTuple):
    """What batches of one size cost, at the median."""

    cpu: float
    slow: float
    """The 95th percentile on the clock."""


async def _writing(store: BlockStore, workspace: str) -> dict[int, _Batches]:
    """Batches of 1, 100 and 1,000, into a workspace as it is."""
    return {size: await _batches(store, workspace, size, n) for size, n in _BATCHES.items()}


async def _batches(store: BlockStore, workspace: str, size: int, times: int) -> _Batches:
    cpu, clock = [], []
    for number in range(times):
        batch = [
            Block(id=f"new-{size}-{number}-{each}", type="todo", parent_id=f"p{each % 25}",
                  content=_SENTENCES[(97 * number + each) % len(_SENTENCES)])
            for each in range(size)
        ]  # fmt: skip
        began, on_the_clock = process_time(), perf_counter()
        await store.put_block(*batch, workspace=workspace)
        cpu.append(1e3 * (process_time() - began))
        clock.append(1e3 * (perf_counter() - on_the_clock))
    return _Batches(median(cpu), quantiles(clock, n=20)[-1])


def _compared(
    few: dict[int, _Batches], many: dict[int, _Batches], blocks: int, at_most: float
) -> Iterator[Target]:
    for size, batches in many.items():
        name = f"workspace, a batch of {size:,} at {blocks:,} blocks"
        yield Target(f"{name}, median of the processor", batches.cpu, "ms")
        yield Target(f"{name}, p95 on the clock", batches.slow, "ms")
        yield Target(f"{name} / at {_FEW:,}", batches.cpu / few[size].cpu, "x", at_most=at_most)


def _blocks(blocks: int) -> Iterator[Block]:
    words = random.Random(15)
    for page in range(blocks // (IN_A_PAGE + 1)):
        title, *rest = words.choices(_SENTENCES, k=3)
        yield Block(id=f"p{page}", type="page", title=title[:60], content=" ".join(rest))
        for number in range(IN_A_PAGE):
            yield Block(
                id=f"p{page}b{number}",
                type=words.choice(TYPES),
                parent_id=f"p{page}",
                position=number,
                content=" ".join(words.choices(_SENTENCES, k=2)),
                last_modified=_NOW - timedelta(days=words.randint(0, 400)),
            )


def _figures(folder: Path, blocks: int, requests: int) -> tuple[list[float], list[float]]:
    """Milliseconds of the processor of facade and plan; the first ones open the store and load the embedder."""
    store = BlockStore.open(folder)
    facade, plan = asyncio.run(_measured(store, blocks, requests + 6))
    store.close()
    return facade[6:], plan[6:]


async def _measured(
    store: BlockStore, blocks: int, requests: int
) -> tuple[list[float], list[float]]:
    builder, pages = ContextBuilder(store), blocks // (IN_A_PAGE + 1)
    assembler = ContextAssembler.from_path(
        shipped_plan("workspace"), corpora={"blocks": store.corpus}
    ).for_principal(ANN.principal)
    words = random.Random(16)
    facade: list[float] = []
    plan: list[float] = []
    for number in range(requests):
        for times, direct in ((facade, False), (plan, True)):
            page = 1 + words.randrange(pages - 1)
            page += page % max(5, pages // 50) == 0  # one that Ann may read
            block = f"p{page}b{words.randrange(IN_A_PAGE)}"
            focus = (Focus(page_id=f"p{page}"), Focus(block_id=block), Focus())[number % 3]
            query = " ".join(words.choice(_SENTENCES).split()[:8])
            began = process_time()
            if direct:
                places = {"block_id": focus.block_id, "page_id": focus.page_id, "database_id": None}
                inputs: dict[str, Any] = {"query": query, "focus": places}
                await assembler.aassemble("workspace", inputs=inputs, budget=4000)
            else:
                await builder.build(ContextRequest(query=query, user=ANN, focus=focus))
            times.append(1e3 * (process_time() - began))
    return facade, plan


def full_workspace() -> Iterator[Target]:
    """A hundred thousand blocks, as the project states it."""
    yield from building(100_000, 240, p95_at_most=60, ratio_at_most=1.2, batch_at_most=1.5)


def quick_workspace() -> Iterator[Target]:
    """So few blocks that what every request costs weighs most; with room for noise."""
    yield from building(2_000, 30, p95_at_most=500, ratio_at_most=2, batch_at_most=3)
