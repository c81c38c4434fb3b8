"""How fast the embedded store writes and finds: `python -m benchmarks.stores_speed`.

Texts are sentences of Python's own documentation strings, mixed anew from a fixed seed; queries are
a few words of one block. Figures are milliseconds on the clock and of the processor, and ratios to
the plainest thing that could do the job, measured in turns with it: FTS5 alone and one pass over a matrix.
"""

from __future__ import annotations

import argparse
import gc
import random
import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.sentences import sentences
from biblicus_context.stores import (
    Batch,
    Block,
    Document,
    Entry,
    Found,
    FoundAround,
    Principal,
    SearchRequest,
    Store,
    Vectors,
)
from biblicus_context.stores.sqlite import open_store
from biblicus_context.testing.store_samples import blocks, search_text, search_vectors, seen

WHO = Principal("benchmark")
MODEL, DIMENSIONS = "random", 256
BLOCKS_OF_A_DOCUMENT, BLOCKS_OF_A_BATCH = 10, 1_000
QUERIES = 150
LIMIT = 200


@dataclass
class Times:
    """The times of one thing, taken again and again."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def take(self, call: Callable[[], object]) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        call()
        self.wall.append(1e3 * (time.perf_counter() - wall))
        self.cpu.append(1e3 * (time.process_time() - cpu))

    def __str__(self) -> str:
        wall, cpu = (quantiles(each, n=20) for each in (self.wall, self.cpu))
        return f"{wall[9]:8.2f} {wall[18]:8.2f} {cpu[9]:8.2f} {cpu[18]:8.2f}"


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, default=100_000)
    parser.add_argument("--words", type=int, default=80, help="words of a block")
    options = parser.parse_args()
    texts = mixed(options.blocks, options.words)
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    print(f"{options.blocks:,} blocks, {megabytes:.1f} MB of text, {LIMIT} hits a query\n")
    with TemporaryDirectory() as folder:
        plain = written_plainly(Path(folder) / "plain.db", texts)
        written(Path(folder) / "store", texts, megabytes, plain.cpu[0])
        opening(Path(folder) / "store")
        with open_store(Path(folder) / "store") as store:
            searching(store, texts, Path(folder) / "plain.db")


def mixed(blocks: int, words: int) -> list[str]:
    """Texts of about as many words each."""
    pool, dice = sentences(), random.Random(1)
    texts = []
    for _ in range(blocks):
        text = [dice.choice(pool)]
        while sum(map(str.__len__, text)) < 6 * words:
            text.append(dice.choice(pool))
        texts.append(" ".join(text))
    return texts


def entries(texts: Sequence[str], *, embedded: bool) -> Iterator[list[Entry]]:
    """Documents of ten blocks, in batches of a thousand blocks."""
    dice = np.random.default_rng(0)
    for start in range(0, len(texts), BLOCKS_OF_A_BATCH):
        batch = []
        for first in range(start, min(start + BLOCKS_OF_A_BATCH, len(texts)), BLOCKS_OF_A_DOCUMENT):
            id_ = f"folder/{first}.md"
            part = texts[first : first + BLOCKS_OF_A_DOCUMENT]
            blocks = tuple(
                Block(
                    id=f"{id_}#{n}", document_id=id_, position=n, text=text,
                    tokens=len(text) // 4, heading=("Guide", f"Part {n % 7}"), lines=(n, n + 1),
                )
                for n, text in enumerate(part, start=1)
            )  # fmt: skip
            rows = dice.standard_normal((len(part), DIMENSIONS), dtype=np.float32)
            vectors = (Vectors(MODEL, DIMENSIONS, rows.tobytes()),) if embedded else ()
            batch.append(Entry(Document(id=id_, path=id_, title="A title"), blocks, vectors))
        yield batch


def written_plainly(path: Path, texts: Sequence[str]) -> Times:
    """FTS5 with the same words and nothing else."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE texts (row INTEGER PRIMARY KEY, text TEXT)")
    connection.execute(
        "CREATE VIRTUAL TABLE words USING fts5"
        " (text, content='texts', content_rowid='row', tokenize='porter unicode61')"
    )

    def write() -> None:
        for start in range(0, len(texts), BLOCKS_OF_A_BATCH):
            rows = [*enumerate(texts[start : start + BLOCKS_OF_A_BATCH], start=start)]
            connection.execute("BEGIN")
            connection.executemany("INSERT INTO texts VALUES (?, ?)", rows)
            connection.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", rows)
            connection.execute("COMMIT")

    times = Times()
    times.take(write)
    connection.execute("INSERT INTO words (words) VALUES ('optimize')")
    connection.close()
    return times


def written(folder: Path, texts: Sequence[str], megabytes: float, plain_cpu: float) -> None:
    """Write speed, with and without embeddings; the store with embeddings stays."""
    print("writing                      MB/s on the clock   MB/s of processor   x plain FTS5 (CPU)")
    print(f"{'  FTS5 alone':28} {'':17} {1e3 * megabytes / plain_cpu:19.1f}")
    for embedded in (False, True):
        times = Times()
        place = folder if embedded else folder.with_name("without")
        with open_store(place) as store:
            for batch in entries(texts, embedded=embedded):
                times.take(lambda batch=batch: store.write(WHO, Batch(put=tuple(batch))))
            prepare = Times()
            prepare.take(lambda: store.prepare(WHO))
        wall, cpu = sum(times.wall) / 1e3, sum(times.cpu) / 1e3
        name = "  store, embeddings" if embedded else "  store"
        ratio = 1e3 * cpu / plain_cpu
        print(f"{name:28} {megabytes / wall:17.1f} {megabytes / cpu:19.1f} {ratio:20.2f}")
        print(f"{'    preparing it, ms':28} {prepare.wall[0]:17.0f} {prepare.cpu[0]:19.0f}")
    print()


def opening(folder: Path) -> None:
    """Open and ask for the version, again and again."""
    times = Times()
    for _ in range(20):
        times.take(lambda: opened(folder))
    print("milliseconds                 median      p95  CPU med  CPU p95")
    print(f"{'open':24} {times}")


def opened(folder: Path) -> int:
    """The version, by a store that is opened for it."""
    with open_store(folder) as store:
        return seen(store, WHO).state.version


def columns(store: Store, **request: Any) -> Found:
    """One search as columns."""
    with store.view(WHO) as view:
        return view.search(SearchRequest(limit=LIMIT, **request))


def around(found: Found) -> FoundAround:
    """The blocks around the first hundred."""
    return found.around([(np.arange(min(100, len(found))), 2)])


def searching(store: Store, texts: Sequence[str], plain: Path) -> None:
    """Every search, in turns with what is plainest."""
    dice, numbers = random.Random(2), np.random.default_rng(3)
    questions = [asked(dice, texts) for _ in range(QUERIES)]
    rows = numbers.standard_normal((QUERIES, DIMENSIONS), dtype=np.float32)
    queries = [Vectors(MODEL, DIMENSIONS, row.tobytes()) for row in rows]
    connection = sqlite3.connect(plain)
    matrix = numbers.standard_normal((len(texts), DIMENSIONS), dtype=np.float32)
    found = [hit.block_id for hit in search_text(store, WHO, questions[0], limit=LIMIT)]
    search_vectors(store, WHO, queries[0])
    jobs: dict[str, Callable[[int], object]] = {
        "FTS5 alone": lambda n: native(connection, questions[n]),
        "text": lambda n: search_text(store, WHO, questions[n], limit=LIMIT),
        "text, next page": lambda n: search_text(
            store, WHO, questions[n], limit=LIMIT, offset=LIMIT
        ),
        "fuzzy": lambda n: search_text(store, WHO, questions[n], similarity=0.75, limit=LIMIT),
        "vecdot alone": lambda n: np.vecdot(matrix, rows[n]),
        "vectors": lambda n: search_vectors(store, WHO, queries[n], limit=LIMIT),
        "text, as columns": lambda n: columns(store, terms=tuple(questions[n])),
        "vectors, as columns": lambda n: columns(store, vector=queries[n]),
        "both, as columns": lambda n: columns(store, words=tuple(questions[n]), vector=queries[n]),
        "both, and 100 with blocks around": lambda n: around(
            columns(store, words=tuple(questions[n]), vector=queries[n])
        ),
        "places around 200": lambda n: seen(store, WHO).nearby(found, reach=2),
        "20 blocks by id": lambda n: blocks(store, WHO, found[:20]),
    }
    times = {name: Times() for name in jobs}
    gc.collect()
    gc.freeze()
    for n in range(1, QUERIES):
        for name, job in jobs.items():
            times[name].take(lambda job=job, n=n: job(n))
    for name, each in times.items():
        print(f"{name:24} {each}")
    for mine, plainest in (("text", "FTS5 alone"), ("vectors", "vecdot alone")):
        ratio = sum(times[mine].cpu) / sum(times[plainest].cpu)
        print(f"{mine} / {plainest}: {ratio:.2f}")


def asked(dice: random.Random, texts: Sequence[str]) -> list[str]:
    """Six words of a text, none of them very short."""
    words = [word for word in re.findall(r"\w+", dice.choice(texts)) if len(word) > 3]
    return dice.sample(words, min(6, len(words)))


def native(connection: sqlite3.Connection, terms: Sequence[str]) -> list[tuple[int, float]]:
    """The same question to FTS5 itself."""
    query = " OR ".join(f'"{term}"' for term in terms)
    return connection.execute(
        "SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?", (query, LIMIT)
    ).fetchall()


if __name__ == "__main__":
    main()
