"""`python -m benchmarks.two_speeds [--pages N]`: when an index can be searched, and when it is complete.

Processor time is that of all threads. `taskset -c 0 python -m benchmarks.two_speeds` is one core.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from biblicus_context import Corpus
from biblicus_context.embedders import GraniteEmbedder

_QUESTION = "which of the results were measured at the highest speed?"
_QUERIES = 50


class _Watch:
    """Seconds on the wall and of the processor since it was made."""

    def __init__(self) -> None:
        self._wall, self._processor = time.perf_counter(), time.process_time()

    def __str__(self) -> str:
        wall, processor = time.perf_counter() - self._wall, time.process_time() - self._processor
        return f"{wall:8.2f} s ({processor:.2f} s of processor)"


def measure(texts: list[str]) -> None:
    """Index one file for each text, and print a line for each stage."""
    with TemporaryDirectory() as folder:
        root = Path(folder) / "pages"
        root.mkdir()
        for number, text in enumerate(texts):
            (root / f"{number:05}.txt").write_text(text, encoding="utf-8")
        embedder = GraniteEmbedder()
        watch = _Watch()
        print(f"{'model loaded, ' + embedder.engine:28}{watch}")
        with Corpus.open(root, embedder=embedder) as corpus:
            watch = _Watch()
            summary = corpus.ingest(at_once=0)
            print(
                f"{'can be searched':28}{watch}  {summary.blocks:,} blocks, {summary.tokens:,} tokens"
            )
            asking = _Watch()
            corpus.search(_QUESTION)
            print(f"{'first query meanwhile':28}{asking}")
            asking = _Watch()
            corpus.search(_QUESTION)
            print(f"{'the same query again':28}{asking}")
            corpus.embed_waiting()
            print(f"{'complete':28}{watch}")
            began = time.process_time()
            for number in range(_QUERIES):
                embedder.embed_query(f"{_QUESTION} {number}")
            each = 1000 * (time.process_time() - began) / _QUERIES
            print(f"{'a query embedded':28}{each:8.2f} ms of processor")


def main() -> None:
    """Measure the abstracts of a collection, or so many of them again and again."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pages", type=int, default=1_000)
    options.add_argument("collection", type=Path, help="a folder with docs.jsonl")
    given = options.parse_args()
    lines = (given.collection / "docs.jsonl").read_text("utf-8").splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    # Other words in each round, or its vectors would be known.
    measure([f"{texts[n % len(texts)]} ({n // len(texts)})" for n in range(given.pages)])


if __name__ == "__main__":
    main()
