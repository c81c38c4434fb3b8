"""Every library on every collection, one after the other in one run."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import fmean, median, quantiles
from typing import TYPE_CHECKING, Final

from benchmarks.child import ROOT
from benchmarks.counting import count
from benchmarks.environments import python_of
from benchmarks.gold import collections
from benchmarks.memories.words import words
from benchmarks.memories.work import Built, Run, Work, work_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LIMIT_SECONDS: Final = 180.0
"""For a library on a collection: to start, to store, to answer in each way, and some more."""
OURS: Final = {"memory engine": "ours", "plain hybrid": "plain"}
PEERS: Final = ("mem0", "llama_index")


def compared(
    folder: Path | None, *, queries: int, budget: int, with_peers: bool
) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """A row for each way of each library, for each collection."""
    for collection in collections(folder, queries=queries, made=1_000):
        work = work_of(collection, budget)
        rows: list[tuple[str, ...]] = []
        for label, module in OURS.items():
            rows += _rows(label, _run(Path(sys.executable), module, work), work)
        for peer in PEERS if with_peers else ():
            rows += _rows(peer, _run(python_of(f"{peer}_memory"), peer, work), work)
        yield f"{collection.name}: {len(work.memories):,} memories", rows


def _run(python: Path, module: str, work: Work) -> Run | str:
    """What a library did, or in a few words why it did not."""
    print(f"{module} ...", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "work.json"
        work.save(file)
        command = [str(python), "-m", f"benchmarks.memories.{module}", str(file)]
        try:
            done = subprocess.run(
                command,
                cwd=ROOT,
                capture_output=True,
                text=True,
                timeout=LIMIT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"beyond {LIMIT_SECONDS:.0f} s"
    if done.returncode:
        return f"fails: {done.stderr.strip().rpartition(chr(10))[2]}"
    return Run.of(json.loads(done.stdout.strip().rpartition("\n")[2]))


def _rows(label: str, run: Run | str, work: Work) -> list[tuple[str, ...]]:
    if isinstance(run, str):
        return [(label, run)]
    return [
        (f"{label}, {way}" if way else label, *_cells(run, built, work))
        for way, built in run.built.items()
    ]


def _cells(run: Run, built: Built, work: Work) -> Iterator[str]:
    tokens = [count(context) for context in built.contexts]
    text = {memory.id: words(memory.text) for memory in work.memories}
    asked = work.questions[: len(built.contexts)]
    recall = fmean(
        fmean(text[gold] in words(context) for gold in question.gold)
        for question, context in zip(asked, built.contexts, strict=True)
    )
    over = sum(each > work.budget for each in tokens)
    missing = len(work.questions) - len(asked)
    yield f"{1000 * median(built.seconds):,.2f}"
    yield f"{1000 * _p95(built.seconds):,.2f}"
    yield f"{fmean(tokens):,.0f}"
    yield f"{max(tokens):,}"
    yield f"{over} of {len(tokens)}" + (f", stopped {missing} early" if missing else "")
    yield f"{100 * recall:.1f} %"
    yield f"{run.storing:,.1f}"
    yield f"{run.own:,}" if run.own < len(work.memories) else "all"
    yield f"{run.peak_megabytes:,.0f}"


def _p95(seconds: Sequence[float]) -> float:
    """Of one question its own: a slow library is stopped after it."""
    return quantiles(seconds, n=20)[-1] if len(seconds) > 1 else seconds[0]
