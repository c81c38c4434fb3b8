"""The store on a Qdrant server next to the embedded one: python -m benchmarks.qdrant_store [BLOCKS ...]

The server is the one of the tests, on this machine. Times are medians; processor time is of this process.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from biblicus_context.stores import (
    Batch,
    Block,
    Document,
    Entry,
    Principal,
    Store,
    Vectors,
    search_text,
    search_vectors,
)
from biblicus_context.stores.qdrant import open_qdrant
from biblicus_context.stores.qdrant.points import Points
from biblicus_context.stores.qdrant.source import QdrantSource
from biblicus_context.stores.qdrant.space import Spaces
from biblicus_context.stores.sqlite import open_store
from tests.qdrant_fixture import running_qdrant

WHO = Principal("acme", sees_all=True)
AT_ONCE, DIMENSIONS, WORDS = 500, 256, 120


def batches(blocks: int) -> list[Batch]:
    chance = random.Random(7)
    words = [f"w{int(chance.paretovariate(0.7)) % 20_000}" for _ in range(100_000)]
    made = []
    for first in range(0, blocks, AT_ONCE):
        entries = []
        for number in range(first, min(first + AT_ONCE, blocks)):
            text = " ".join(chance.choices(words, k=WORDS))
            block = Block(
                id=f"d{number}#0", document_id=f"d{number}", position=0, text=text, tokens=WORDS
            )
            row = [chance.gauss(0, 1) for _ in range(DIMENSIONS)]
            entries.append(Entry(Document(id=f"d{number}"), (block,), (Vectors.of("m", [row]),)))
        made.append(Batch(put=tuple(entries)))
    return made


def timed(do: Callable[[], object]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    do()
    return time.perf_counter() - wall, time.process_time() - cpu


@contextmanager
def counted_calls(calls: Counter[str]) -> Iterator[None]:
    """Count what is asked of the server."""
    answer = Points.answer

    def counted(points: Points, questions: Sequence[Any]) -> Any:
        calls["calls"] += 1
        calls["points"] += sum(len(each.ids) for each in questions)
        return answer(points, questions)

    with patch.object(Points, "answer", counted):
        yield


def search(store: Store, number: int) -> object:
    chance = random.Random(number)
    with store.view(WHO) as view:
        text = search_text(view, [f"w{chance.randrange(200)}" for _ in range(4)], limit=20)
        query = Vectors.of("m", [[chance.gauss(0, 1) for _ in range(DIMENSIONS)]])
        found = search_vectors(view, query, limit=20)
        view.evidence([each.block_id for each in text[:10]])
        return text, found


def main(blocks: int) -> None:
    print(f"{blocks:,} blocks")
    made = batches(blocks)
    with (
        TemporaryDirectory() as folder,
        running_qdrant() as server,
        open_store(Path(folder) / "store") as ours,
        open_qdrant(server.url) as theirs,
    ):
        for name, store in (("sqlite", ours), ("qdrant", theirs)):
            wall, cpu = timed(lambda store=store: [store.write(WHO, each) for each in made])
            print(
                f"{name} ingest: {blocks / wall:,.0f} blocks/s, {1e3 * cpu / blocks:.2f} ms CPU a block"
            )
        theirs.prepare(WHO)
        ours.prepare(WHO)
        times: dict[str, list[tuple[float, float]]] = {"sqlite": [], "qdrant": []}
        for number in range(100):
            assert search(ours, number) == search(theirs, number)
            for name, store in (("sqlite", ours), ("qdrant", theirs)):
                times[name].append(timed(lambda store=store, n=number: search(store, n)))
        for name, each in times.items():
            walls = sorted(wall for wall, _ in each)
            print(
                f"{name} search: p50 {1e3 * median(walls):.1f} ms, p95 {1e3 * walls[94]:.1f} ms, "
                f"{1e3 * median(cpu for _, cpu in each):.1f} ms CPU"
            )
        calls = Counter[str]()
        with counted_calls(calls):
            search(theirs, 1)
        print(f"qdrant trips of two searches and their evidence: {dict(calls)}")
        with closing(
            Store(QdrantSource(Spaces(Points(server.url, "biblicus_context"), ""), 0.0))
        ) as cold:
            wall, cpu = timed(lambda: search(cold, 1))
            print(f"qdrant first search of a new process: {wall:.2f} s, {cpu:.2f} s CPU")
        for name, store in (("sqlite", ours), ("qdrant", theirs)):
            wall, _ = timed(lambda store=store: store.write(WHO, Batch(remove=("d1",))))
            rest, cpu = timed(lambda store=store: store.purge(WHO))
            print(
                f"{name} removal of one document: {wall:.3f} s, and {rest:.3f} s ({cpu:.3f} s CPU)"
                " until no byte is left"
            )


if __name__ == "__main__":
    for size in map(int, sys.argv[1:] or ("1000", "10000")):
        main(size)
