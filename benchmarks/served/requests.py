"""What the service adds to the engine, and what it does when more ask than it can answer.

Everything is measured in one run: the processor time of the server next to that of the engine called directly,
in turns of the same questions, then many clients at once. Times on the clock need cores that are free: the load
of the machine is reported with them.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.apart import apart
from benchmarks.sentences import sentences
from benchmarks.served.clients import alone, connected
from benchmarks.served.process import ServedProcess, served
from benchmarks.targets import Target
from biblicus_context import ContextAssembler, Corpus, Record
from biblicus_context.embedders import WordLlamaEmbedder

_PLANS: Final = """
kind: context
name: plain
policy: {{input_budget: {{max_tokens: 2000}}}}
inputs: [question]
messages:
  - {{type: system, content: You are a support agent.}}
  - {{type: history}}
  - {{type: user, content: "{{input.question}}"}}
---
kind: context
name: searches
policy: {{input_budget: {{max_tokens: 4000}}}}
inputs: [question]
messages:
  - {{type: system, content: You are a support agent.}}
  - {{type: context, name: kb}}
  - {{type: user, content: "{{input.question}}"}}
---
kind: retriever
name: kb
corpus: notes
config: {{retriever_id: hybrid, query: "{{input.question}}", limit: 10}}
---
kind: corpus
name: notes
config: {{store: {store}, embedder: wordllama}}
"""
_SEARCHES: Final = "/v1/contexts/searches/assemble"
_PLAIN: Final = "/v1/contexts/plain/assemble"
_TURNS: Final = 50
_PLAIN_TIMES: Final = 4
"""Plain contexts are so short that each question is asked more than once."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is measured, and what has to hold."""

    documents: int
    questions: int
    seconds: float
    """That many clients ask for."""
    overload_seconds: float
    ratio: float
    added_ms: float
    slower: float
    """The p99 of accepted requests under ten times the load, of that of a client alone."""
    workers: float | None
    """What two workers answer, of what one does; None where cores are not idle."""


def serving(extent: Extent) -> Iterator[Target]:
    """All figures of requests."""
    yield Target("service: load of the machine at first", os.getloadavg()[0], "")
    with TemporaryDirectory() as folder:
        place = Path(folder)
        questions = apart(_filled, place, extent.documents)[: extent.questions]
        with served(place) as server:
            yield from _added(place, server, questions, extent)
            yield from _crowded(server, questions, extent)
            yield from _overloaded(server, questions, extent)
        yield from _by_workers(place, questions, extent)


def _filled(place: Path, documents: int) -> list[str]:
    """A corpus, and questions about it."""
    (place / "contexts").mkdir()
    store = place / "store"
    (place / "contexts" / "plans.yaml").write_text(_PLANS.format(store=store), "utf-8")
    known = sentences()
    texts = [f"{known[at % len(known)]} (note {at})" for at in range(documents)]
    with Corpus.open_records(store, name="notes", embedder=WordLlamaEmbedder()) as notes:
        records = (Record(id=f"d{at}", text=each) for at, each in enumerate(texts))
        notes.put_many(records, at_once=None)
    step = max(1, len(texts) // 400)
    return [" ".join(each.split()[:8]) for each in texts[::step]]


def _bodies(questions: list[str]) -> list[dict[str, Any]]:
    return [{"inputs": {"question": each}} for each in questions]


def _added(
    place: Path, server: ServedProcess, questions: list[str], extent: Extent
) -> Iterator[Target]:
    own, theirs = _compared(place, server, "searches", questions, 1)
    name = f"service: a search of {extent.documents:,} documents"
    yield Target(f"{name}, engine called directly", own, "ms")
    yield Target(f"{name}, over HTTP", theirs, "ms")
    yield Target(f"{name}, over HTTP / directly", theirs / own, "x", at_most=extent.ratio)
    own, theirs = _compared(place, server, "plain", questions, _PLAIN_TIMES)
    yield Target("service: a plain context, engine called directly", own, "ms")
    added = theirs - own
    yield Target("service: a plain context, added by HTTP", added, "ms", at_most=extent.added_ms)


def _compared(
    place: Path, server: ServedProcess, name: str, questions: list[str], times: int
) -> tuple[float, float]:
    """Milliseconds of processor a request: direct and over HTTP, in turns of the same questions."""
    assembler = ContextAssembler.from_path(place / "contexts")
    path = f"/v1/contexts/{name}/assemble"

    def directly(part: list[str]) -> None:
        for each in part:
            result = assembler.assemble(name, inputs={"question": each})
            _ = (result.messages, result.receipt)

    def over_http(part: list[str]) -> None:
        asyncio.run(alone(server, path, _bodies(part)))

    directly(questions[:_TURNS])
    over_http(questions[:_TURNS])
    own = theirs = 0.0
    asked = questions[_TURNS:]
    for start in range(0, len(asked), _TURNS):
        part = asked[start : start + _TURNS] * times
        own += _took(time.process_time, lambda part=part: directly(part))
        theirs += _took(lambda: server.processor, lambda part=part: over_http(part))
    count = len(asked) * times
    return 1e3 * own / count, 1e3 * theirs / count


def _took(clock: Callable[[], float], work: Callable[[], object]) -> float:
    began = clock()
    work()
    return clock() - began


@dataclass(slots=True)
class _Crowd:
    """What many clients got."""

    statuses: Counter[int] = field(default_factory=Counter)
    accepted: list[float] = field(default_factory=list)
    """Milliseconds."""


async def _ask(
    server: ServedProcess,
    path: str,
    bodies: list[dict[str, Any]],
    *,
    clients: int,
    seconds: float,
    pause: float,
) -> _Crowd:
    """So many clients for so many seconds; one that is refused waits, and so does one that got its answer."""
    crowd, until = _Crowd(), time.monotonic() + seconds

    async def one(number: int) -> None:
        async with connected(server) as send:
            at = number
            await asyncio.sleep(pause * number / clients)
            while time.monotonic() < until:
                at += 1
                began = time.perf_counter()
                status = await send(path, bodies[at % len(bodies)])
                took = time.perf_counter() - began
                crowd.statuses[status] += 1
                if status == 200:
                    crowd.accepted.append(1e3 * took)
                await asyncio.sleep(max(0.0, pause - took))

    await asyncio.gather(*map(one, range(clients)))
    return crowd


def _crowded(server: ServedProcess, questions: list[str], extent: Extent) -> Iterator[Target]:
    """64 clients that ask again as soon as they may."""
    bodies = _bodies(questions)
    warm = asyncio.run(
        _ask(server, _SEARCHES, bodies, clients=64, seconds=extent.seconds / 6, pause=0.05)
    )
    before = server.memory
    crowd = asyncio.run(
        _ask(server, _SEARCHES, bodies, clients=64, seconds=extent.seconds, pause=0.05)
    )
    both = warm.statuses + crowd.statuses
    failed = sum(count for status, count in both.items() if status not in (200, 429))
    name = f"service: 64 clients, {extent.seconds:g} s"
    yield Target(f"{name}, answered", crowd.statuses[200] / extent.seconds, "/s")
    yield Target(f"{name}, refused with 429", crowd.statuses[429] / extent.seconds, "/s")
    yield Target(f"{name}, errors but 429", failed, "", at_most=0)
    grown = server.memory / before
    yield Target(f"{name}, memory after / before", grown, "x", at_most=1.1)


def _overloaded(server: ServedProcess, questions: list[str], extent: Extent) -> Iterator[Target]:
    """Ten times as many requests as one client gets answered, one by one."""
    bodies = _bodies(questions)
    before = asyncio.run(alone(server, _SEARCHES, bodies))
    pause = 64 * median(before) / 1e3 / 10
    crowd = asyncio.run(
        _ask(server, _SEARCHES, bodies, clients=64, seconds=extent.overload_seconds, pause=pause)
    )
    time.sleep(1)
    after = asyncio.run(alone(server, _SEARCHES, bodies))
    slower = _p99(crowd.accepted) / _p99(before)
    name = "service: at ten times its capacity"
    yield Target(f"{name}, alone before, p50", median(before), "ms")
    yield Target(f"{name}, alone before, p99", _p99(before), "ms")
    yield Target(f"{name}, answered", crowd.statuses[200] / extent.overload_seconds, "/s")
    yield Target(f"{name}, answered, p50", median(crowd.accepted), "ms")
    yield Target(f"{name}, answered, p99", _p99(crowd.accepted), "ms")
    yield Target(f"{name}, p99 of answered / of one alone", slower, "x", at_most=extent.slower)
    recovered = median(after) / median(before)
    yield Target(f"{name}, a second later, p50 / before", recovered, "x", at_most=extent.slower)


def _by_workers(place: Path, questions: list[str], extent: Extent) -> Iterator[Target]:
    """What two workers answer next to one, as far as there are cores for them and for the clients."""
    bodies, rates = _bodies(questions), []
    for workers in (1, 2):
        with served(place, "--workers", str(workers)) as server:
            own: dict[str, Any] = {"clients": 8, "pause": 0.0}
            asyncio.run(_ask(server, _SEARCHES, bodies, seconds=2, **own))
            seconds = extent.overload_seconds
            crowd = asyncio.run(_ask(server, _SEARCHES, bodies, seconds=seconds, **own))
            rates.append(crowd.statuses[200] / seconds)
    yield Target("service: load of the machine at last", os.getloadavg()[0], "")
    ratio = rates[1] / rates[0]
    yield Target("service: two workers / one, answered", ratio, "x", at_least=extent.workers)


def _p99(times: list[float]) -> float:
    return quantiles(times, n=100)[-1]


def full_requests() -> Iterator[Target]:
    """As the project states it. What two workers answer is reported: it needs cores that nobody else uses."""
    yield from serving(
        Extent(10_000, 400, 60.0, 20.0, ratio=1.2, added_ms=0.2, slower=3.0, workers=None)
    )


def quick_requests() -> Iterator[Target]:
    """So little that only a wrong order of cost misses the bounds."""
    yield from serving(
        Extent(500, 150, 3.0, 3.0, ratio=5.0, added_ms=3.0, slower=100.0, workers=None)
    )
