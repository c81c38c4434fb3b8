"""Postgres next to SQLite, in one run: `python -m benchmarks.server_stores_speed --blocks 10000`.

The same blocks, embeddings and queries; each query runs on one store and then on the other. Time on the clock,
and of the processor in this program and in the server.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import numpy as np

from benchmarks.sentences import sentences
from biblicus_context import Corpus
from biblicus_context.embedders import FunctionEmbedder
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest
from biblicus_context.stores import (
    Batch,
    Block,
    Document,
    Entry,
    Principal,
    SearchRequest,
    Store,
    Vectors,
    limit_memory,
)
from biblicus_context.stores.postgres import open_store
from biblicus_context.stores.postgres.embedded import EmbeddedPostgres
from biblicus_context.stores.sqlite import open_store as open_folder

WHO = Principal("benchmark")
DIMENSIONS, BLOCKS_OF_A_DOCUMENT, BLOCKS_OF_A_BATCH = 256, 10, 1000


def batches(count: int, *, embedded: bool) -> list[Batch]:
    """The corpus; without embeddings for the rate of an ingest."""
    mixed, numbers = random.Random(1), np.random.default_rng(1)
    words = [each for each in sentences() if each]
    entries = []
    for n in range(count // BLOCKS_OF_A_DOCUMENT):
        blocks = tuple(
            Block(
                id=f"d{n}#{k}",
                document_id=f"d{n}",
                position=k,
                text=" ".join(mixed.choices(words, k=8)),
                tokens=150,
            )
            for k in range(BLOCKS_OF_A_DOCUMENT)
        )
        rows = numbers.standard_normal((len(blocks), DIMENSIONS)).astype("<f4")
        vectors = (Vectors("random", DIMENSIONS, rows.tobytes()),) if embedded else ()
        entries.append(Entry(Document(id=f"d{n}", title=mixed.choice(words)), blocks, vectors))
    size = BLOCKS_OF_A_BATCH // BLOCKS_OF_A_DOCUMENT
    return [Batch(put=tuple(entries[n : n + size])) for n in range(0, len(entries), size)]


def requests(count: int) -> dict[str, list[SearchRequest]]:
    """Queries of each kind."""
    mixed, numbers = random.Random(2), np.random.default_rng(2)
    words = [word for each in sentences() for word in each.split() if len(word) > 4]

    def vector() -> Vectors:
        row = numbers.standard_normal(DIMENSIONS).astype("<f4")
        return Vectors("random", DIMENSIONS, row.tobytes())

    def terms() -> tuple[str, ...]:
        return tuple(mixed.choices(words, k=4))

    return {
        "keyword": [SearchRequest(terms=terms()) for _ in range(count)],
        "vector": [SearchRequest(vector=vector()) for _ in range(count)],
        "hybrid": [SearchRequest(terms=terms(), vector=vector()) for _ in range(count)],
    }


def search(store: Store, request: SearchRequest) -> None:
    """As a retriever does: what is newest, the search, the texts of the first 20."""
    with store.view(WHO) as view:
        assert view.state.version
        found = view.search(request)
        rows = (found.by_text if request.terms else found.by_vector)[:20]
        view.evidence([each.block_id for each in view.places(found, rows)])


def embedded(texts: Sequence[str]) -> np.ndarray:
    """A direction for each text, which is computed in no time: the stores are measured, not a model."""
    rows = [
        np.random.default_rng(zlib.crc32(each.encode())).standard_normal(DIMENSIONS)
        for each in texts
    ]
    found = np.stack(rows).astype("<f4")
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def retrieved(store: Store, kind: str) -> Callable[[str], object]:
    """A page of 20 blocks as a plan gets it, for a query."""
    embedder = FunctionEmbedder(embedded, model="random", dimensions=DIMENSIONS)
    corpus = Corpus.open_records(store, principal=WHO, embedder=embedder)
    retriever = corpus.retriever({"retriever_id": kind, "limit": 20})
    return lambda query: retriever(ContextRetrieverRequest(query=query, limit=20))


def cpu_of(server: EmbeddedPostgres) -> float:
    """Seconds that all processes of a server have used."""
    assert server.data.exists()
    ticks, parent = 0, (server.data / "postmaster.pid").read_text().split()[0]
    for process in Path("/proc").iterdir():
        try:
            fields = (process / "stat").read_text().rpartition(")")[2].split()
        except (OSError, ValueError):
            continue
        if fields[1] == parent:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def taken(call: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds on the clock, and of the processor."""
    clock, cpu = time.perf_counter(), time.process_time()
    call()
    return 1e3 * (time.perf_counter() - clock), 1e3 * (time.process_time() - cpu)


def main() -> None:
    """Print one line for each figure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--blocks", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=60)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pg", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        with (
            EmbeddedPostgres(Path(folder) / "s", durable=False) as server,
            open_folder(Path(folder) / "index") as sqlite,
            open_store(server.url) as postgres,
        ):
            for label, embedded, number in (
                ("words only", False, 2000),
                ("all", True, options.blocks),
            ):
                given = batches(number, embedded=embedded)
                for name, store in (("sqlite", sqlite), ("postgres", postgres)):
                    who = WHO if embedded else Principal("words")
                    used = cpu_of(server)
                    clock, cpu = taken(
                        lambda store=store, given=given, who=who: [
                            store.write(who, each, erase=False) for each in given
                        ]
                    )
                    print(
                        f"ingest, {label}, {name}: {number / cpu * 1e3:,.0f} blocks a second of the processor"
                        f" (+ {cpu_of(server) - used:.1f} s in the server), {number / clock * 1e3:,.0f} on the clock",
                        flush=True,
                    )
            for name, store in (("sqlite", sqlite), ("postgres", postgres)):
                store.prepare(WHO)
                limit_memory(256)
                clock, cpu = taken(lambda store=store: search(store, requests(1)["hybrid"][0]))
                print(
                    f"first search, {name}: {clock:,.0f} ms ({cpu:,.0f} of the processor)",
                    flush=True,
                )
            for label in ("that writes a file", "that maps the file"):
                with open_store(f"{server.url}&cache={folder}/cache") as cached:
                    clock, cpu = taken(lambda: search(cached, requests(1)["hybrid"][0]))
                print(
                    f"first search, postgres, {label}: {clock:,.0f} ms ({cpu:,.0f} of the processor)"
                )
            words = [each for each in sentences() if each]
            queries = [
                " ".join(random.Random(n).choices(words, k=1)) for n in range(options.queries)
            ]
            for kind in ("keyword", "vector", "hybrid"):
                calls = {
                    name: retrieved(store, kind)
                    for name, store in (("sqlite", sqlite), ("postgres", postgres))
                }
                compared(f"retriever {kind}", calls, queries, server)
            for kind, asked in requests(options.queries).items():
                compared(
                    f"search {kind}",
                    {
                        name: lambda r, s=store: search(s, r)
                        for name, store in (("sqlite", sqlite), ("postgres", postgres))
                    },
                    asked,
                    server,
                )


def compared(
    label: str,
    calls: Mapping[str, Callable[[Any], object]],
    asked: Sequence[object],
    server: EmbeddedPostgres,
) -> None:
    """Each question runs on one store and then on the other."""
    for each in calls.values():
        each(asked[0])
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    used = cpu_of(server)
    for request in asked:
        for name, call in calls.items():
            times[name].append(taken(lambda c=call, r=request: c(r)))
    in_server = 1e3 * (cpu_of(server) - used) / len(asked)
    line = []
    for name, found in times.items():
        clocks = [each for each, _ in found]
        cpu = median(each for _, each in found)
        line.append(
            f"{name} p50 {median(clocks):.1f} p95 {quantiles(clocks, n=20)[-1]:.1f} ms, {cpu:.1f} cpu"
        )
    first, second = (median(each for _, each in found) for found in times.values())
    print(
        f"{label}: {'; '.join(line)} + {in_server:.1f} in the server; {second / first:.2f} x the processor",
        flush=True,
    )


if __name__ == "__main__":
    main()
