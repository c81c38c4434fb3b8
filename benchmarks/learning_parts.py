"""What a context of what was learned costs without the searches: a hundred items are given."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, Final

from benchmarks.sentences import sentences
from benchmarks.targets import Target
from biblicus_context.reading import shipped_plan
from biblicus_context.systems.learning import (
    CONTEXT_TYPES,
    CodeUnit,
    Commit,
    ContextAssembler,
    Experience,
    Memory,
    RelevantItem,
    Value,
)

OF_EACH: Final = 20
"""Items of each of the five sources, so that there are a hundred."""
_DEDUPE: Final = re.compile(r"^  dedupe:\n(?:    .*\n)+", re.MULTILINE)
_NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
_SENTENCES: Final = sentences()


def parts_of_learning(
    calls: int, *, dedupe_ms: float | None, formatting_ms: float | None
) -> Iterator[Target]:
    """The shipped plan, and a copy of it without deduplication, in turns with new texts."""
    with TemporaryDirectory() as folder:
        copy = Path(folder, "learning.yaml")
        plan = shipped_plan("learning").read_text("utf-8")
        assert _DEDUPE.search(plan)
        copy.write_text(_DEDUPE.sub("  dedupe: false\n", plan, count=1), "utf-8")
        plans = {"with": shipped_plan("learning"), "without": copy}
        times: dict[str, list[float]] = {name: [] for name in plans}
        for number in range(-5, calls):
            for at, (name, each) in enumerate(plans.items()):
                taken = asyncio.run(_seconds(each, random.Random(2 * number + at)))
                if number >= 0:
                    times[name].append(1e3 * taken)
    dedupe = median(times["with"]) - median(times["without"])
    yield Target(
        "learning: deduplication of 100 items", dedupe, "ms", at_most=dedupe_ms, design="< 50 ms"
    )
    yield Target(
        "learning: all but searching and deduplication, 100 items",
        median(times["without"]),
        "ms",
        at_most=formatting_ms,
        design="< 110 ms",
    )


async def _seconds(plan: Path, dice: random.Random) -> float:
    assembler = ContextAssembler(_Given(dice), plan=plan)
    began = process_time()
    context = await assembler.assemble_context("What is known?", CONTEXT_TYPES)
    taken = process_time() - began
    assert len(context.sources_used) == len(CONTEXT_TYPES)
    return taken


class _Given:
    """A searcher that knows what it returns before it is asked."""

    def __init__(self, dice: random.Random) -> None:
        def text() -> str:
            return " ".join(dice.choices(_SENTENCES, k=3))[:400]

        self._hits: dict[str, list[RelevantItem]] = {name: [] for name in CONTEXT_TYPES}
        for n in range(OF_EACH):
            items = (
                Memory(id=f"m{n}", content=text(), created_at=_NOW),
                CodeUnit(
                    unit_type="function", qualified_name=f"unit{n}", file_path=f"code/unit{n}.py",
                    start_line=1, end_line=9, language="python", signature=f"def unit{n}(value):",
                    docstring=text(),
                ),
                Experience(
                    id=f"g{n}", domain="testing", strategy="research-first", goal=text(),
                    hypothesis=text(), action=text(), prediction=text(),
                    outcome_status="falsified", outcome_result=text(), created_at=_NOW,
                ),
                Value(id=f"v{n}", text=text(), created_at=_NOW),
                Commit(
                    sha=f"{n:040x}", author="Ann", message=text(), files_changed=(f"unit{n}.py",),
                    created_at=_NOW,
                ),
            )  # fmt: skip
            for name, item in zip(CONTEXT_TYPES, items, strict=True):
                self._hits[name].append(RelevantItem(item, 1 - n / OF_EACH))

    async def search_memories(self, query: str, limit: int) -> Sequence[RelevantItem]:
        return self._hits["memories"][:limit]

    async def search_code(self, query: str, limit: int) -> Sequence[RelevantItem]:
        return self._hits["code"][:limit]

    async def search_experiences(self, query: str, limit: int, **_: Any) -> Sequence[RelevantItem]:
        return self._hits["experiences"][:limit]

    async def search_values(self, query: str, limit: int) -> Sequence[RelevantItem]:
        return self._hits["values"][:limit]

    async def search_commits(self, query: str, limit: int) -> Sequence[RelevantItem]:
        return self._hits["commits"][:limit]
