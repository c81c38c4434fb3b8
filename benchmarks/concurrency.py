"""Many callers of one corpus at once: an event loop, threads, and the first query of a process.

    python -m benchmarks.concurrency                # 100,000 blocks; some minutes
    python -m benchmarks.concurrency --blocks 10000
    python -m benchmarks.concurrency --store DIR    # keeps what was indexed for the next run

Everything is done with the fast static embedder, so that what is measured is this engine.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from benchmarks.shelf import SHAPES, Shelf, filled
from biblicus_context import ContextAssembler
from biblicus_context.corpora import Corpus
from biblicus_context.embedders import build_embedder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_CALLS: Final = 64
_THREADS: Final = 32
_ROUNDS: Final = 3
_QUESTIONS: Final = 1_800
"""Each is asked once: what was asked before is remembered."""
_TICK: Final = 0.001
_PLAN: Final = {
    "policy": {"input_budget": {"max_tokens": 2_000}},
    "messages": [
        {"type": "context", "name": "kb"},
        {"type": "user", "content": "{input.question}"},
    ],
}
_FIRST: Final = """
from biblicus_context.corpora import Corpus
from biblicus_context.embedders import build_embedder
corpus = Corpus.open({place!r}, store={place!r}, embedder=build_embedder("wordllama"))
corpus.search({question!r}, limit=10)
"""


def figures(shelf: Shelf) -> Iterator[tuple[str, float, str]]:
    """Each figure with its unit."""
    questions = iter(shelf.questions)
    yield "first query of a process, its imports included", _first_query(shelf), "ms of CPU"
    place = shelf.place
    with Corpus.open(place, store=place, embedder=build_embedder("wordllama")) as corpus:
        assembler = ContextAssembler({"ask": _PLAN}, {"kb": corpus.retriever()})
        assembler.assemble("ask", inputs={"question": next(questions)})
        gc.collect()
        gc.freeze()
        searches = [_processor(lambda: corpus.search(next(questions), limit=10)) for _ in range(80)]
        yield "search, p50", median(searches), "ms of CPU"
        yield "search, p95", quantiles(searches, n=20)[-1], "ms of CPU"
        stalls = [_stall(assembler, [next(questions) for _ in range(_CALLS)]) for _ in range(2)]
        yield f"longest stall of an event loop, {_CALLS} calls at once", min(stalls), "ms"
        for count in (8, _THREADS):
            rounds = [_throughput(assembler, count, questions) for _ in range(_ROUNDS)]
            clock, processor = ([each[at] for each in rounds] for at in (0, 1))
            yield f"throughput of {count} threads / of one", median(clock), "x"
            yield "processor time of a call of them / of one", median(processor), "x"


def _first_query(shelf: Shelf) -> float:
    code = _FIRST.format(place=str(shelf.place), question=shelf.questions[0])
    taken = []
    for _ in range(_ROUNDS + 1):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return 1000 * min(taken)


def _processor(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return 1000 * (time.process_time() - began)


def _stall(assembler: ContextAssembler, questions: Sequence[str]) -> float:
    """The longest time in which a loop does nothing else while all questions are asked at once."""
    return asyncio.run(_asked_at_once(assembler, questions))


async def _asked_at_once(assembler: ContextAssembler, questions: Sequence[str]) -> float:
    longest, done = 0.0, False

    async def beat() -> None:
        nonlocal longest
        while not done:
            began = time.perf_counter()
            await asyncio.sleep(_TICK)
            longest = max(longest, time.perf_counter() - began - _TICK)

    beating = asyncio.create_task(beat())
    await asyncio.gather(
        *(assembler.aassemble("ask", inputs={"question": each}) for each in questions)
    )
    done = True
    await beating
    return 1000 * longest


def _throughput(
    assembler: ContextAssembler, threads: int, questions: Iterator[str]
) -> tuple[float, float]:
    """Calls a second of these threads, and their processor time, by those of one before and after."""
    before, some, after = ([*islice(questions, 4 * threads)] for _ in range(3))

    def ask(question: str) -> None:
        assembler.assemble("ask", inputs={"question": question})

    first = _seconds(lambda: [*map(ask, before)])
    with ThreadPoolExecutor(threads) as pool:
        together = _seconds(lambda: [*pool.map(ask, some)])
    last = _seconds(lambda: [*map(ask, after)])
    clock, processor = (sum(pair) / 2 for pair in zip(first, last, strict=True))
    return clock / together[0], together[1] / processor


def _seconds(work: Callable[[], object]) -> tuple[float, float]:
    """On the clock, and of the processor."""
    began, used = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - began, time.process_time() - used


def main() -> None:
    """Print each figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, default=100_000)
    parser.add_argument("--store", type=Path)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        place = options.store or Path(folder)
        # A store that is there is not written again; the questions are the same.
        known = place.exists() and any(place.iterdir())
        shelf = filled(place, SHAPES[0], options.blocks, _QUESTIONS, write=not known)
        for name, figure, unit in figures(shelf):
            print(f"{name:60}{figure:10.2f} {unit}", flush=True)


if __name__ == "__main__":
    main()
