"""`python -m benchmarks.memories`: the memory engine next to other memory libraries."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.memories.comparison import compared
from benchmarks.report import table

COLUMNS = (
    "",
    "p50 ms",
    "p95 ms",
    "tokens",
    "most",
    "over",
    "recall",
    "store s",
    "one by one",
    "peak MB",
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memories", description=__doc__)
    parser.add_argument("--collections", type=Path, metavar="FOLDER")
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--budget", type=int, default=1_500)
    parser.add_argument("--no-peers", action="store_true")
    options = parser.parse_args()
    for name, rows in compared(
        options.collections,
        queries=options.queries,
        budget=options.budget,
        with_peers=not options.no_peers,
    ):
        print(f"{name}, {options.budget:,} tokens\n{table([COLUMNS, *rows])}\n", flush=True)


if __name__ == "__main__":
    main()
