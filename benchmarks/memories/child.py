"""The process of one library: `python -m benchmarks.memories.LIBRARY VARIANT WORK`."""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

from benchmarks.memories.work import Built, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from benchmarks.memories.work import Context, Memory, Question


class Library(Protocol):
    """A library as its documentation uses it."""

    def remember(self, memories: Sequence[Memory]) -> None: ...

    def context(self, question: Question, budget: int) -> Context: ...


def main(variants: Mapping[str, Callable[[Path], Library]]) -> None:
    """Store all memories, build the context of each question, and print what came out."""
    variant, file = sys.argv[1:]
    work = Work.load(Path(file))
    with tempfile.TemporaryDirectory() as folder:
        built = _built(variants[variant](Path(folder)), work)
        sys.stdout.write(f"\n{json.dumps(asdict(built))}\n")
        sys.stdout.flush()
    os._exit(0)  # threads of a library's telemetry may go on


def _built(library: Library, work: Work) -> Built:
    start = perf_counter()
    library.remember(work.memories)
    storing = perf_counter() - start
    library.context(work.questions[0], work.budget)  # what is loaded once
    seconds: list[float] = []
    contexts: list[str] = []
    for question in work.questions:
        gc.collect()
        start = perf_counter()
        contexts.append(library.context(question, work.budget).text)
        seconds.append(perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Built(storing, tuple(seconds), tuple(contexts), peak)
