"""What a second process gains: lint, golden tests and ingest, with and without one, in turns.

Run on two idle cores: `python -m benchmarks.processes`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

from benchmarks.child import ROOT
from benchmarks.ingest import written
from benchmarks.lint_plans import write_plans

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 7
INGEST = """
import sys
from biblicus_context.ingest.helper import helped
from benchmarks.ingest import WHO, default_counter, WordLlamaEmbedder, ingest, open_store
from pathlib import Path
if sys.argv[3] == "1":
    helped._MANY = 10**12
with open_store(Path(sys.argv[2])) as store:
    ingest(store, WHO, [Path(sys.argv[1])], counter=default_counter(), embedder=WordLlamaEmbedder())
"""


def seconds(program: list[str]) -> float:
    start = perf_counter()
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    return perf_counter() - start


def in_turns(name: str, run: Callable[[int], float]) -> None:
    """One process and two, alternating; the ratio of the medians is what counts."""
    one, two = [], []
    for number in range(ROUNDS + 1):
        for jobs, times in ((1, one), (2, two)):
            taken = run(jobs)
            if number:  # the first round fills caches of files
                times.append(taken)
    print(
        f"{name}: one process {median(one):.2f} s, two {median(two):.2f} s, "
        f"gain {median(one) / median(two):.2f} x",
        flush=True,
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for files in (1_000, 4_000):
            plans = folder / f"plans{files}"
            plans.mkdir()
            write_plans(plans, files)
            lint = [sys.executable, "-m", "biblicus_context", "lint", str(plans), "--jobs"]
            in_turns(
                f"lint of {files:,} files", lambda jobs, lint=lint: seconds([*lint, str(jobs)])
            )
        tests = folder / "tests"
        for copy in range(20):
            shutil.copytree(ROOT / "contexts", tests / f"{copy}")
        golden = [sys.executable, "-m", "biblicus_context", "test", str(tests), "--jobs"]
        in_turns("golden tests of 20 projects", lambda jobs: seconds([*golden, str(jobs)]))
        root = written(folder / "files", 10)
        stores = iter(range(1_000))
        program = [sys.executable, "-c", INGEST, str(root)]
        in_turns(
            "ingest of 10 MB of Markdown",
            lambda jobs: seconds([*program, str(folder / f"store{next(stores)}"), str(jobs)]),
        )


if __name__ == "__main__":
    main()
