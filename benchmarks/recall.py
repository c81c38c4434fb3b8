"""How much of the gold evidence is in the contexts of a system, next to a plain hybrid retriever.

All keep the same records, each as one memory, and answer the same questions in the same budgets, with
the defaults of their documentation. A record is named if it is placed, whole or cut; it is whole if the
context has all of its words too.
"""

from __future__ import annotations

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
from benchmarks.memories.learned import LIGHTER, Learned
from benchmarks.memories.ours import Ours
from benchmarks.memories.plain import Plain
from benchmarks.memories.words import words
from benchmarks.memories.work import Context, Question, Work, work_of
from benchmarks.report import table
from benchmarks.targets import Target
from biblicus_context.evaluation import BUDGETS

PLAIN: Final = "plain hybrid"
WRITTEN: Final = "plain, cap and format"
CHANGED: Final = "learning, changed plan"
_LIMIT: Final[dict[str, Any]] = {"limit": 20}
_CAP: Final[dict[str, Any]] = {
    "item_cap": {"share": 0.25, "compactor": "truncate", "cut_note": "...\n\n*(truncated)*"}
}
_FORMAT: Final[dict[str, Any]] = {
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
    "plain, limit of 20": lambda folder: Plain(folder, **_LIMIT),
    "plain, cap of a quarter": lambda folder: Plain(folder, **_CAP),
    "plain, format": lambda folder: Plain(folder, **_FORMAT),
    WRITTEN: lambda folder: Plain(folder, **_CAP, **_FORMAT),
    "learning": Learned,
    "learning, limit of 20": lambda folder: Learned(folder, **_LIMIT),
    CHANGED: lambda folder: Learned(folder, plan=LIGHTER),
}
"""The learning system, and each part of its design that takes tokens, alone and together."""
BESIDE: Final = (
    ("memory", PLAIN),
    ("learning", WRITTEN),
    ("learning", PLAIN),
    (CHANGED, PLAIN),
)
POINTS: Final = 1.0
COLUMNS: Final = (
    "",
    "questions",
    *map(str, BUDGETS),
    "mean",
    "named",
    "filled",
    "store s",
    "median ms",
)


@dataclass(frozen=True, slots=True)
class Recalled:
    """One system on one collection; shares are means over all questions, by budget."""

    collection: str
    system: str
    questions: int
    recall: Mapping[int, float]
    """Of whole records."""
    named: Mapping[int, float]
    """Of records that are placed, whole or cut."""
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
    """How far the mean recall of a system is behind that of a hybrid: the plain one, and one that writes the same."""
    means = {(row.collection, row.system): row.mean for row in rows}
    for collection in dict.fromkeys(row.collection for row in rows):
        for system, plain in BESIDE:
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
    records = {memory.id: words(memory.text) for memory in work.memories}
    library.context(work.questions[0], work.budget)  # what is loaded once
    found: dict[int, list[tuple[float, float]]] = {budget: [] for budget in BUDGETS}
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
            found[budget].append(_found(question, context, records))
    whole, named = (
        {budget: fmean(pair[at] for pair in pairs) for budget, pairs in found.items()}
        for at in (0, 1)
    )
    questions, building = len(work.questions), median(seconds)
    return Recalled(collection, name, questions, whole, named, fmean(filled), storing, building)


def _found(question: Question, context: Context, records: Mapping[str, str]) -> tuple[float, float]:
    """The shares of the gold records that are whole, and that are named."""
    text, placed = words(context.text), {*context.placed}
    named = [gold for gold in question.gold if gold in placed]
    whole = [gold for gold in named if records[gold] in text]
    return len(whole) / len(question.gold), len(named) / len(question.gold)


def _cells(row: Recalled) -> tuple[str, ...]:
    shares = (*row.recall.values(), row.mean, fmean(row.named.values()), row.filled)
    return (
        row.system,
        str(row.questions),
        *(f"{100 * share:.1f}" for share in shares),
        f"{row.storing:,.1f}",
        f"{1000 * row.building:,.1f}",
    )
