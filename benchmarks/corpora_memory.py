"""The peak memory of searches above that of a process that has opened the corpus, by text size."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.child import ROOT
from benchmarks.shelf import Shape, Shelf, filled
from benchmarks.targets.memory import CLEAR, MEGABYTE, resident_peak, traced_peak

WORDS: Final = 40
TIMES: Final = (1, 8)
"""How many times as long the same number of blocks is."""
QUESTIONS: Final = 40


def peaks(blocks: int) -> dict[int, float]:
    """Megabytes by text size, each measured in a process of its own."""
    found = {}
    for times in TIMES:
        with TemporaryDirectory() as folder:
            shape = Shape("memory", 10, WORDS * times)
            shelf = filled(Path(folder), shape, blocks, QUESTIONS)
            command = [sys.executable, "-m", __name__, folder, *shelf.questions]
            done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
            found[times] = float(done.stdout)
    return found


def main(folder: str, *questions: str) -> None:
    """Print the megabytes of asking all questions but the first, which loads what stays loaded."""
    with Shelf(Path(folder), questions).opened() as corpus:
        first, *rest = questions
        corpus.search(first)
        measure = resident_peak if CLEAR.exists() else traced_peak
        print(measure(lambda: [corpus.search(each) for each in rest]) / MEGABYTE)


if __name__ == "__main__":
    main(*sys.argv[1:])
