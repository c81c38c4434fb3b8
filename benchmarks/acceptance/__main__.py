"""`python -m benchmarks.acceptance`: what a product owner expects of the four systems, as a table.

The data of each system are in the folder of its name, written for this: what it knows, what its users ask, what has to be
found, what has to come first, and where it has to be silent.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TypeAlias

from benchmarks.acceptance import learned, memories, prime_files, workspaces
from benchmarks.acceptance.figures import Figure, table
from benchmarks.everyday.__main__ import EMBEDDERS

Measure: TypeAlias = Callable[[Path, str, int | None], Awaitable[Sequence[Figure]]]
"""Measures a system in an empty folder, with an embedder, and up to so many cases of each kind."""

SYSTEMS: Final[Mapping[str, Measure]] = {
    "memory": memories.measured,
    "prime": prime_files.measured,
    "workspace": workspaces.measured,
    "learning": learned.measured,
}


def measured(system: str, embedder: str = "granite", most: int | None = None) -> Sequence[Figure]:
    """The figures of one system."""

    async def run() -> Sequence[Figure]:
        with TemporaryDirectory() as folder:
            return await SYSTEMS[system](Path(folder), embedder, most)

    return asyncio.run(run())


def main() -> None:
    """Print the table; the exit status is 1 if an aim is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.acceptance")
    parser.add_argument("--systems", default=",".join(SYSTEMS), help="some of them, with commas")
    parser.add_argument("--embedder", default="granite", choices=EMBEDDERS)
    parser.add_argument("--most", type=int, help="cases of each kind")
    parser.add_argument("--verbose", action="store_true", help="name the cases that are wrong")
    given = parser.parse_args()
    missed = False
    for system in given.systems.split(","):
        figures = measured(system, given.embedder, given.most)
        missed = missed or any(each.is_missed for each in figures)
        print(*table(system, figures, verbose=given.verbose), sep="\n")
    raise SystemExit(int(missed))


if __name__ == "__main__":
    main()
