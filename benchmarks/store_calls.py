"""How often a search and the contexts of the four systems call a store: `python -m benchmarks.store_calls`.

A call of a view is what a room above asks, and a read is what SQLite is asked. A trip is what a server is asked
over a network: what several searches want at once travels together. Each trace is the fourth of its kind, so that
what stays in memory is there.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, Final

from benchmarks import learning, memory_system, prime, workspace_system
from benchmarks.sentences import sentences
from benchmarks.shelf import SHAPES, filled
from biblicus_context.corpora import index_store
from biblicus_context.stores import Store, View
from biblicus_context.stores.places import open_place
from biblicus_context.stores.sqlite.source import SqliteReading
from biblicus_context.systems.learning import CONTEXT_TYPES, ContextAssembler, LearningStore
from biblicus_context.systems.memory import ContextEngine, MemoryStore
from biblicus_context.systems.prime import ContextAssemblyService
from biblicus_context.systems.workspace import BlockStore, ContextBuilder, ContextRequest, Focus
from biblicus_context.testing.memory_store import MemorySource
from biblicus_context.testing.remote_source import CountedTrips

_NOT_READS: Final = {"view": {"begin", "close", "prepare", "together"}, "read": {"damaged"}}
_SENTENCES: Final = sentences()
_WARM: Final = 3
_READABLE: Final = ("p1", "p2", "p3", "p4", "p6")
"""Pages that the user of the workspace may read."""


def main() -> None:
    """Print the calls of each trace, then its trips where its store is on another machine."""
    with TemporaryDirectory() as folder:
        for name, trace in traces(Path(folder)):
            calls, python = counted(trace)
            views = sum(n for (kind, _), n in calls.items() if kind == "view")
            reads = sum(n for (kind, _), n in calls.items() if kind != "view")
            print(f"{name:12} {views:4} view calls {reads:4} reads {python:7,} Python calls")
            listed = sorted(calls.items(), key=lambda each: (each[0][0], -each[1]))
            print("             ", ", ".join(f"{kind}.{what} x{n}" for (kind, what), n in listed))
    with TemporaryDirectory() as folder, from_afar() as server:
        for name, trace in traces(Path(folder)):
            made = trips(trace, server)
            print(f"{name:12} {len(made):4} trips")
            for each in made:
                print("             ", ", ".join(each))


@contextmanager
def from_afar() -> Iterator[CountedTrips]:
    """Stores in folders that are opened meanwhile are used as those of one server, which is yielded."""
    server = CountedTrips(MemorySource())
    kept, index_store.open_place = index_store.open_place, partial(_opened, server)  # type: ignore[assignment]
    try:
        yield server
    finally:
        index_store.open_place = kept


def _opened(server: CountedTrips, *args: Any, **options: Any) -> Store:
    return Store(CountedTrips(open_place(*args, **options).source, server))


def trips(trace: Callable[[int], object], server: CountedTrips) -> list[tuple[str, ...]]:
    """What each trip of the last of several traces asks for."""
    for number in range(_WARM):
        trace(number)
    server.trips.clear()
    trace(_WARM)
    return [*server.trips]


def counted(trace: Callable[[int], object]) -> tuple[Counter[tuple[str, str]], int]:
    """The calls of a store in the last of several traces, and those of Python functions in one more."""
    for number in range(_WARM):
        trace(number)
    with counting() as calls:
        trace(_WARM)
    return calls, python_calls(lambda: trace(_WARM + 1))


@contextmanager
def counting() -> Iterator[Counter[tuple[str, str]]]:
    """Counts the public methods of views, and the reads of SQLite, in all threads."""
    calls: Counter[tuple[str, str]] = Counter()
    kept: list[tuple[type, str, Any]] = []
    for kind, owner in (("view", View), ("read", SqliteReading), ("begin", Store)):
        for name, method in [*vars(owner).items()]:
            is_read = callable(method) and not name.startswith("_")
            if (
                not is_read
                or name in _NOT_READS.get(kind, ())
                or (kind == "begin" and name != "view")
            ):
                continue
            kept.append((owner, name, method))
            setattr(owner, name, _counted(calls, (kind, name), method))
    try:
        yield calls
    finally:
        for owner, name, method in kept:
            setattr(owner, name, method)


def _counted(
    calls: Counter[tuple[str, str]], key: tuple[str, str], method: Callable[..., Any]
) -> Callable[..., Any]:
    @wraps(method)
    def called(*args: Any, **options: Any) -> Any:
        calls[key] += 1
        return method(*args, **options)

    return called


def python_calls(work: Callable[[], object]) -> int:
    """How many Python functions all threads call."""
    calls = 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal calls
        calls += event == "call"

    threading.setprofile(count)
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type] # as documented
    return calls


def question(number: int, words: int = 6) -> str:
    """A few words of a known sentence."""
    return " ".join(_SENTENCES[17 * number % len(_SENTENCES)].split()[:words])


def traces(folder: Path, documents: int = 2_000) -> Iterator[tuple[str, Callable[[int], object]]]:
    """Each kind of context with a call that builds it for a question."""
    shelf = filled(folder / "shelf", SHAPES[0], documents, 8)
    with shelf.opened() as corpus:
        retriever = corpus.retriever({"retriever_id": "hybrid"})
        yield "search", lambda n: retriever.evidence(shelf.questions[n], offset=0, limit=5)
    yield from _systems(folder, documents)


def _systems(folder: Path, documents: int) -> Iterator[tuple[str, Callable[[int], object]]]:
    def told(build: Callable[[int], Awaitable[object]]) -> Callable[[int], object]:
        async def awaited(number: int) -> object:
            return await build(number)

        return lambda number: asyncio.run(awaited(number))

    memory_system._written(folder / "memories", documents)
    memories = MemoryStore.open(folder / "memories")
    engine = ContextEngine(memories)
    options: dict[str, Any] = {"include_relationships": True, "token_budget": 500}
    yield (
        "memory",
        told(lambda n: engine.build_context(question(n), memory_system.WORKSPACE, **options)),
    )
    memories.close()
    asked = prime._written(folder / "prime", documents, 8)
    service = ContextAssemblyService.open(folder / "prime")
    yield "prime", told(lambda n: service.build_prime_context("t1", asked[n], prime.USER))
    blocks = BlockStore.open(folder / "blocks")
    asyncio.run(workspace_system._fill(blocks, documents))
    builder = ContextBuilder(blocks)
    yield (
        "workspace",
        told(
            lambda n: builder.build(
                ContextRequest(
                    query=question(n), user=workspace_system.ANN, focus=Focus(page_id=_READABLE[n])
                )
            )
        ),
    )
    blocks.close()
    (folder / "learned").mkdir()
    store = LearningStore.open(folder / "learned" / "learning")
    learning.filled(store, folder / "learned", documents // 4)
    assembler = ContextAssembler(store.searcher())
    yield "learning", told(lambda n: assembler.assemble_context(question(n), CONTEXT_TYPES))
    store.close()


__all__: Sequence[str] = ["counted", "from_afar", "main", "python_calls", "traces", "trips"]

if __name__ == "__main__":
    main()
