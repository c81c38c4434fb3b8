"""What a second process gains: lint with and without one, in turns.

Run on two idle cores: `python -m benchmarks.processes`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

from benchmarks.child import ROOT
from benchmarks.lint_plans import write_plans

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 7


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


if __name__ == "__main__":
    main()
