"""How fast files become searchable: reading, cutting, embedding and writing them, in one run.

The files are Markdown made of the documentation strings of installed packages, from a fixed seed.
On the clock the fastest of several first ingests counts, each of other files, as a machine that
others use only ever adds to it. Seconds of the processor are reported too,
and their ratio to what no ingest can do without: one pass of the tokenizer and of the embedder
over the same bytes, and a plain full-text index of them.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.sentences import sentences
from benchmarks.stores_speed import written_plainly
from benchmarks.targets import Target
from biblicus_context.embedders import WordLlamaEmbedder
from biblicus_context.ingest import ingest
from biblicus_context.stores import Principal
from biblicus_context.stores.sqlite import open_store
from biblicus_context.text.counters import default_counter

WHO = Principal("benchmark")
CORES = 2
SECTION = 900
"""Characters below one heading."""


def ingesting(
    megabytes: int,
    *,
    rounds: int,
    on_the_clock: float | None,
    megabytes_per_second: float,
    ratio_at_most: float,
) -> Iterator[Target]:
    """First ingests, and one of the same files unchanged."""
    counter, embedder = default_counter(), WordLlamaEmbedder()
    counter.count("ready")
    embedder.embed(["ready"])
    with TemporaryDirectory() as folder:
        taken = [
            measured(Path(folder) / f"{number}", megabytes, number) for number in range(rounds)
        ]
        root, store_path = Path(folder) / "0" / "files", Path(folder) / "0" / "store"
        with open_store(store_path) as store:
            again = ingest(store, WHO, [root], counter=counter, embedder=embedder)
        plain = plainly(root, embedder, Path(folder) / "plain.db")
    yield Target(
        f"ingest of Markdown, on the clock (fastest of {rounds})",
        max(each.size / each.wall for each in taken),
        "MB/s",
        at_least=on_the_clock,
    )
    yield Target(
        f"ingest of Markdown, by {CORES} cores kept busy",
        CORES * taken[0].size / taken[0].cpu,
        "MB/s",
        at_least=megabytes_per_second,
    )
    yield Target(
        "ingest / tokenising, embedding and FTS5 alone",
        taken[0].cpu / plain,
        "x",
        at_most=ratio_at_most,
    )
    yield Target("ingest of unchanged files", taken[0].size / again.seconds, "MB/s")


class Taken(NamedTuple):
    """Megabytes, and seconds on the clock and of the processor."""

    size: float
    wall: float
    cpu: float


def measured(folder: Path, megabytes: int, seed: int) -> Taken:
    """A first ingest of files of their own, in `folder / "files"`, into `folder / "store"`."""
    folder.mkdir()
    root = written(folder / "files", megabytes, seed)
    with open_store(folder / "store") as store:
        wall, cpu = time.perf_counter(), processor_seconds()
        first = ingest(store, WHO, [root], counter=default_counter(), embedder=WordLlamaEmbedder())
        return Taken(first.bytes / 1e6, time.perf_counter() - wall, processor_seconds() - cpu)


def processor_seconds() -> float:
    """Of this process and of those it started that have ended, as a helper has after an ingest."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def written(root: Path, megabytes: int, seed: int = 1) -> Path:
    """A folder of Markdown files of some ten kilobytes."""
    pool, dice = sentences(), random.Random(seed)
    root.mkdir()
    for number in range(100 * megabytes):
        parts = [f"# Document {number}\n"]
        size = 0
        while size < 10_000:
            parts.append(section(pool, dice))
            size += len(parts[-1])
        (root / f"{number}.md").write_text("\n".join(parts), encoding="utf-8")
    return root


def section(pool: list[str], dice: random.Random) -> str:
    """A heading and a few paragraphs."""
    parts = [f"## {dice.choice(pool)[:40]}"]
    while sum(map(len, parts)) < SECTION:
        parts.append(" ".join(dice.choices(pool, k=3)))
    return "\n\n".join(parts) + "\n"


def plainly(root: Path, embedder: WordLlamaEmbedder, database: Path) -> float:
    """Seconds of the processor for one pass of each over the texts, cut at every heading."""
    texts = [
        part
        for file in sorted(root.iterdir())
        for part in file.read_text(encoding="utf-8").split("\n## ")
    ]
    counter = default_counter()
    began = time.process_time()
    counter.count_many(texts)
    embedder.embed(texts)
    written_plainly(database, texts)
    return time.process_time() - began
