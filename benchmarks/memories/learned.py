"""The learning system of this project, with everything as a memory."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.memories.work import Context
from biblicus_context.systems.learning import ContextAssembler, LearningStore, Memory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.memories import work

LIGHTER: Final = Path(__file__).with_name("lighter.yaml")
"""The changed plan of docs/systems/learning.md."""


class Learned:
    """Each owner is a workspace."""

    def __init__(self, folder: Path, *, plan: Path | None = None, limit: int | None = None) -> None:
        self._folder = folder / "learning"
        self._plan, self._limit = plan, limit
        self._stores: dict[str, LearningStore] = {}

    def remember(self, memories: Sequence[work.Memory]) -> int:
        for owner in {each.owner for each in memories}:
            own = (each for each in memories if each.owner == owner)
            records = (Memory(id=each.id, content=each.text) for each in own)
            asyncio.run(self._store(owner).memories.put_many(records, owner or "nobody"))
        return len(memories)

    def context(self, question: work.Question, budget: int) -> Context:
        searcher = self._store(question.owner).searcher()
        assembler = ContextAssembler(searcher, plan=self._plan)
        asked = assembler.assemble_context(question.text, ["memories"], self._limit, budget)
        built = asyncio.run(asked)
        return Context(built.markdown, tuple(each.metadata["id"] for each in built.items))

    def _store(self, owner: str) -> LearningStore:
        if owner not in self._stores:
            self._stores[owner] = LearningStore.open(self._folder, workspace=owner or "nobody")
        return self._stores[owner]
