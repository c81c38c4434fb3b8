"""How much of the gold evidence is in the contexts of a system, next to a plain hybrid retriever.

All keep the same records, each as one memory, and answer the same questions in the same budgets, with
the defaults of their documentation. A record counts if the context names it and has all of its words.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, Final

from benchmarks.counting import count
from benchmarks.gold import collections
from benchmarks.memories.child import Library
from benchmarks.memories.learned import Learned
from benchmarks.memories.ours import Ours
from benchmarks.memories.plain import Plain
from benchmarks.memories.work import Context, Question, Work, work_of
from benchmarks.report import table
from benchmarks.targets import Target
from biblicus_context.evaluation import BUDGETS

PLAIN: Final = "plain hybrid"
CAPPED: Final = "plain, written as learning"
"""An item takes a quarter of the budget at most, so in a small one no longer record is whole."""
_AS_LEARNING: Final[dict[str, Any]] = {
    "limit": 20,
    "item_cap": {"share": 0.25, "cut_note": "...\n\n*(truncated)*"},
    "written": {
        "title": "# Context\n\n## Memories",
        "format": {
            "item": "**Memory**: {content}\n*Category: fact, Importance: 0.5*",
            "footer": "\n\n---\n*20 items from 1 sources*",
        },
    },
}
SYSTEMS: Final[Mapping[str, Callable[[Path], Library]]] = {
    PLAIN: Plain,
    "memory": Ours,
    CAPPED: lambda folder: Plain(folder, **_AS_LEARNING),
    "learning": Learned,
}
BESIDE: Final = {"memory": PLAIN, "learning": CAPPED}
POINTS: Final = 1.0
COLUMNS: Final = ("", "questions", *map(str, BUDGETS), "mean", "filled", "store s", "median ms")
_WORD: Final = re.compile(r"\w+")
"""Signs are not compared: a system may indent lines, and escape headings."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """One system on one collection; shares are means over all questions, by budget."""

    collection: str
    system: str
    questions: int
    recall: Mapping[int, float]
    filled: float
    storing: float
    building: float
    """The median seconds of the processor for one context."""

    @property
    def mean(self) -> float:
        return fmean(self.recall.values())


def recalled(folder: Path | None, *, queries: int) -> Iterator[Recalled]:
    """A row for each system on each collection, the plain hybrid first."""
    for collection in collections(folder, queries=queries, made=1_000):
        work = work_of(collection, budget=max(BUDGETS))
        for name, system in SYSTEMS.items():
            print(f"{collection.name}: recall of {name} ...", file=sys.stderr)
            with TemporaryDirectory() as place:
                yield _measured(collection.name, name, system(Path(place)), work)


def beside_plain(rows: Sequence[Recalled]) -> Iterator[Target]:
    """How far the mean recall of a system is behind that of the hybrid which writes as it does."""
    means = {(row.collection, row.system): row.mean for row in rows}
    for collection in dict.fromkeys(row.collection for row in rows):
        for system, plain in BESIDE.items():
            behind = means[collection, plain] - means[collection, system]
            name = f"{collection}: mean recall, {system} behind {plain}"
            yield Target(name, 100 * behind, "points", at_most=POINTS)


def recall_text(rows: Sequence[Recalled]) -> str:
    """One table a collection; recall is in percent."""
    tables = []
    for collection in dict.fromkeys(row.collection for row in rows):
        lines = [_cells(row) for row in rows if row.collection == collection]
        tables.append(f"{collection}, recall\n{table([COLUMNS, *lines])}")
    return "\n\n".join(tables)


def _measured(collection: str, name: str, library: Library, work: Work) -> Recalled:
    began = process_time()
    library.remember(work.memories)
    storing = process_time() - began
    words = {memory.id: _words(memory.text) for memory in work.memories}
    library.context(work.questions[0], work.budget)  # what is loaded once
    recall: dict[int, list[float]] = {budget: [] for budget in BUDGETS}
    filled: list[float] = []
    seconds: list[float] = []
    for question in work.questions:
        for budget in BUDGETS:
            began = process_time()
            context = library.context(question, budget)
            seconds.append(process_time() - began)
            tokens = count(context.text)
            assert tokens <= budget
            filled.append(tokens / budget)
            recall[budget].append(_recall(question, context, words))
    means = {budget: fmean(shares) for budget, shares in recall.items()}
    return Recalled(
        collection, name, len(work.questions), means, fmean(filled), storing, median(seconds)
    )


def _recall(question: Question, context: Context, words: Mapping[str, str]) -> float:
    text, placed = _words(context.text), {*context.placed}
    return fmean(gold in placed and words[gold] in text for gold in question.gold)


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text))} "


def _cells(row: Recalled) -> tuple[str, ...]:
    return (
        row.system,
        str(row.questions),
        *(f"{100 * share:.1f}" for share in (*row.recall.values(), row.mean, row.filled)),
        f"{row.storing:,.1f}",
        f"{1000 * row.building:,.1f}",
    )
