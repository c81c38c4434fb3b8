"""How fast files become searchable: reading, cutting, embedding and writing them, in one run.

The files are Markdown made of the documentation strings of installed packages, from a fixed seed.
The clock of a machine that others use says little, so seconds of the processor are reported too,
and the ratio to what no ingest can do without: one pass of the tokenizer and of the embedder over
the same bytes, and a plain full-text index of them.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.stores_speed import sentences, written_plainly
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
    megabytes: int, *, megabytes_per_second: float, ratio_at_most: float
) -> Iterator[Target]:
    """A first ingest, and one of the same files unchanged."""
    counter, embedder = default_counter(), WordLlamaEmbedder()
    counter.count("ready")
    embedder.embed(["ready"])
    with TemporaryDirectory() as folder:
        root = written(Path(folder) / "files", megabytes)
        with open_store(Path(folder) / "store") as store:
            wall, cpu = time.perf_counter(), time.process_time()
            first = ingest(store, WHO, [root], counter=counter, embedder=embedder)
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            again = ingest(store, WHO, [root], counter=counter, embedder=embedder)
        plain = plainly(root, embedder, Path(folder) / "plain.db")
    size = first.bytes / 1e6
    yield Target("ingest of Markdown, on the clock", size / wall, "MB/s")
    yield Target(
        f"ingest of Markdown, by {CORES} cores kept busy",
        CORES * size / cpu,
        "MB/s",
        at_least=megabytes_per_second,
    )
    yield Target(
        "ingest / tokenising, embedding and FTS5 alone", cpu / plain, "x", at_most=ratio_at_most
    )
    yield Target("ingest of unchanged files", size / again.seconds, "MB/s")


def written(root: Path, megabytes: int) -> Path:
    """A folder of Markdown files of some ten kilobytes."""
    pool, dice = sentences(), random.Random(1)
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
