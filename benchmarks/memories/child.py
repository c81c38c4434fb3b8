"""The process of one library: `python -m benchmarks.memories.LIBRARY WORK`."""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from benchmarks.memories.work import Built, Run, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from benchmarks.memories.work import Context, Memory, Question

ANSWERING_SECONDS: Final = 20.0
"""On the clock, for all questions of one way to ask; then it is stopped, and says how far it came."""


class Library(Protocol):
    """A library as its documentation uses it."""

    def remember(self, memories: Sequence[Memory]) -> int:
        """Store all memories; how many of them in the way that is documented for one."""
        ...

    def context(self, question: Question, budget: int) -> Context: ...


L = TypeVar("L", bound=Library)
"""One way to ask: a library in it, a question, a budget."""


def main(
    opened: Callable[[Path], L], ways: Mapping[str, Callable[[L, Question, int], Context]]
) -> None:
    """Store all memories once, ask all questions in each way, and print what came out."""
    work = Work.load(Path(sys.argv[1]))
    with tempfile.TemporaryDirectory() as folder:
        run = _run(opened(Path(folder)), ways, work)
        sys.stdout.write(f"\n{json.dumps(asdict(run))}\n")
        sys.stdout.flush()
    os._exit(0)  # threads of a library's telemetry may go on


def _run(library: L, ways: Mapping[str, Callable[[L, Question, int], Context]], work: Work) -> Run:
    start = process_time()
    own = library.remember(work.memories)
    storing = process_time() - start
    built = {name: _built(library, way, work) for name, way in ways.items()}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Run(own, storing, peak, built)


def _built(library: L, way: Callable[[L, Question, int], Context], work: Work) -> Built:
    way(library, work.questions[0], work.budget)  # what is loaded once
    seconds: list[float] = []
    contexts: list[str] = []
    gc.collect()
    gc.freeze()  # what is stored is no work for the collector
    began = perf_counter()
    for question in work.questions:
        gc.collect()
        start = process_time()
        contexts.append(way(library, question, work.budget).text)
        seconds.append(process_time() - start)
        if perf_counter() - began > ANSWERING_SECONDS:
            break
    return Built(tuple(seconds), tuple(contexts))
