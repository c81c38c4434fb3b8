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
from benchmarks.memories.work import Built, Work, work_of

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT_SECONDS: Final = 600.0
OURS: Final = {"memory engine": "ours", "plain hybrid": "plain"}
PEERS: Final = {
    "mem0": ("its default of 20", "filled to the budget"),
    "llama_index": ("its default of 2", "filled to the budget"),
}


def compared(
    folder: Path | None, *, queries: int, budget: int, with_peers: bool
) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """A row for each way of each library, for each collection."""
    for collection in collections(folder, queries=queries, made=1_000):
        work = work_of(collection, budget)
        rows = [
            _row(label, _run(Path(sys.executable), module, "", work), work)
            for label, module in OURS.items()
        ]
        for peer, variants in PEERS.items() if with_peers else ():
            python = python_of(f"{peer}_memory")
            rows += [
                _row(f"{peer} ({variant})", _run(python, peer, variant, work), work)
                for variant in variants
            ]
        yield collection.name, rows


def _run(python: Path, module: str, variant: str, work: Work) -> Built | str:
    """What a library did, or in a few words why it did not."""
    print(f"{module} {variant} ...", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "work.json"
        work.save(file)
        command = [str(python), "-m", f"benchmarks.memories.{module}", variant, str(file)]
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
    told = json.loads(done.stdout.strip().rpartition("\n")[2])
    return Built(
        told["storing"], tuple(told["seconds"]), tuple(told["contexts"]), told["peak_megabytes"]
    )


def _words(text: str) -> str:
    """A text with single spaces: a template may indent its lines."""
    return " ".join(text.split())


def _row(label: str, built: Built | str, work: Work) -> tuple[str, ...]:
    if isinstance(built, str):
        return (label, built, *[""] * 7)
    tokens = [count(context) for context in built.contexts]
    text = {memory.id: _words(memory.text) for memory in work.memories}
    recall = fmean(
        fmean(text[gold] in _words(context) for gold in question.gold)
        for question, context in zip(work.questions, built.contexts, strict=True)
    )
    over = sum(each > work.budget for each in tokens)
    return (
        label,
        f"{1000 * median(built.seconds):,.2f}",
        f"{1000 * quantiles(built.seconds, n=20)[-1]:,.2f}",
        f"{fmean(tokens):,.0f}",
        f"{max(tokens):,}",
        f"{over} of {len(tokens)}",
        f"{100 * recall:.1f} %",
        f"{built.storing:,.1f}",
        f"{built.peak_megabytes:,.0f}",
    )
