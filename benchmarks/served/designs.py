"""The figures of the published designs, asked over HTTP: one user of a large workspace, on the clock and in processor time."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.apart import apart
from benchmarks.learning import DOMAINS, STRATEGIES, filled
from benchmarks.sentences import sentences
from benchmarks.served.clients import alone
from benchmarks.served.process import ServedProcess, served
from benchmarks.targets import Target
from biblicus_context.systems.learning import CONTEXT_TYPES, LearningStore
from biblicus_context.systems.prime import ContextAssemblyService, File, Message
from biblicus_context.systems.workspace import Block, BlockStore

_WORKSPACE: Final = "local"
_USER: Final = "ann"
_IN_A_PAGE: Final = 39
_SOURCES: Final = 5
_BATCH: Final = 1_000
_SENTENCES: Final = sentences()
_NAMES: Final = {
    "prime": ("/context/build", 300.0),
    "workspace": ("/v1/workspace/build", 200.0),
    "learning": ("/v1/learning/assemble-context", 1_000.0),
    "premortem": ("/v1/learning/get-premortem-context", 1_500.0),
}
"""Paths, and the milliseconds that the designs allow."""


def designs(blocks: int, requests: int, *, spare: float, slower: float) -> Iterator[Target]:
    """The p95 on the clock is within `slower` times the design, its processor time within a part of it."""
    with TemporaryDirectory() as folder:
        place = Path(folder)
        apart(_prepared, place, blocks)
        data = ("--data", str(place / "data"), "--as", _USER)
        with served(place, *data) as server:
            for name, (path, design) in _NAMES.items():
                bodies = [_body(name, blocks, number) for number in range(requests + 5)]
                asyncio.run(alone(server, path, bodies[:5]))
                cpu, times = _measured(server, path, bodies[5:])
                said = f"over HTTP, {blocks:,} blocks: {name}"
                asked = f"< {design:g} ms"
                p95 = quantiles(times, n=20)[-1]
                yield Target(f"{said}, p95", p95, "ms", at_most=design * slower, design=asked)
                yield Target(f"{said}, median", median(times), "ms")
                most = design / spare
                yield Target(f"{said}, processor time", cpu, "ms", at_most=most, design=asked)


def _measured(
    server: ServedProcess, path: str, bodies: list[dict[str, Any]]
) -> tuple[float, list[float]]:
    began = server.processor
    times = asyncio.run(alone(server, path, bodies))
    return 1e3 * (server.processor - began) / len(bodies), times


def _body(name: str, blocks: int, number: int) -> dict[str, Any]:
    dice = random.Random(number)
    words = " ".join(dice.choice(_SENTENCES).split()[:8])
    if name == "prime":
        return {"threadId": "t1", "message": words}
    if name == "learning":
        return {"query": words, "context_types": [*CONTEXT_TYPES]}
    if name == "premortem":
        return {"domain": dice.choice(DOMAINS), "strategy": dice.choice(STRATEGIES)}
    page = dice.randrange(blocks // (_IN_A_PAGE + 1))
    focus = ({"page_id": f"p{page}"}, {"block_id": f"p{page}b3"}, None)[number % 3]
    return {"query": words, "focus": focus}


def _prepared(place: Path, blocks: int) -> None:
    (place / "contexts").mkdir()
    plan = "kind: context\nname: hello\nmessages: [{type: user, content: Hello.}]\n"
    (place / "contexts" / "plan.yaml").write_text(plan, "utf-8")
    data = place / "data"
    asyncio.run(_prime(data / "prime", blocks))
    asyncio.run(_workspace(data / "workspace", blocks))
    store = LearningStore.open(data / "learning", _WORKSPACE)
    filled(store, place, blocks // _SOURCES)
    store.close()


async def _prime(folder: Path, blocks: int) -> None:
    """Half of it files of one user, half messages of a thread."""
    service = ContextAssemblyService.open(folder, workspace="served")
    dice, user = random.Random(7), f"{len(_WORKSPACE)}:{_WORKSPACE}/{_USER}"
    texts = [" ".join(dice.choices(_SENTENCES, k=dice.randint(2, 6))) for _ in range(blocks)]
    for start in range(0, blocks // 2, _BATCH):
        await service.files.put(
            *(
                File(id=f"f{at}", path=f"notes/{at}.md", content=texts[at], owner_user_id=user)
                for at in range(start, min(start + _BATCH, blocks // 2))
            )
        )
    for start in range(blocks // 2, blocks, _BATCH):
        said = (Message(role="user", content=each) for each in texts[start : start + _BATCH])
        await service.messages.add(f"t{start // _BATCH % 50}", *said, user_id=user)
    service.close()


async def _workspace(folder: Path, blocks: int) -> None:
    store, dice = BlockStore.open(folder), random.Random(15)

    def pages() -> Iterator[Block]:
        for page in range(blocks // (_IN_A_PAGE + 1)):
            title, text = dice.choices(_SENTENCES, k=2)
            yield Block(id=f"p{page}", type="page", title=title[:60], content=text)
            for number in range(_IN_A_PAGE):
                content = " ".join(dice.choices(_SENTENCES, k=2))
                yield Block(
                    id=f"p{page}b{number}", type="paragraph", parent_id=f"p{page}",
                    position=number, content=content,
                )  # fmt: skip

    await store.put_block(*pages(), workspace=_WORKSPACE)
    store.close()


def full_designs() -> Iterator[Target]:
    """A hundred thousand blocks in each system, as the designs have it, with four times to spare."""
    yield from designs(100_000, 100, spare=4.0, slower=1.0)


def quick_designs() -> Iterator[Target]:
    """So few blocks that what every request costs weighs most; with room for noise."""
    yield from designs(2_000, 20, spare=1.0, slower=5.0)
