"""The memory engine of this project, as its documentation uses it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from benchmarks.memories.child import main
from benchmarks.memories.work import Context
from biblicus_context.systems.memory import ContextEngine, Memory, MemoryStore

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.memories import work


class Ours:
    """Each owner is a workspace, and each session a conversation."""

    def __init__(self, folder: Path) -> None:
        self._store = MemoryStore.open(folder / "memories")
        self._engine = ContextEngine(storage_client=self._store)

    def remember(self, memories: Sequence[work.Memory]) -> int:
        by_owner: dict[str, list[Memory]] = {}
        for each in memories:
            kept = Memory(
                id=each.id, type="fact", content=each.text, conversation_id=each.session or None
            )
            by_owner.setdefault(each.owner or "nobody", []).append(kept)
        for owner, some in by_owner.items():
            asyncio.run(self._store.remember_many(some, owner))
        return len(memories)

    def context(self, question: work.Question, budget: int) -> Context:
        owner = question.owner or "nobody"
        built = self._engine.sync.preview_context(
            question.text, owner, token_budget=budget
        ).unwrap()
        return Context(built.context, built.memory_ids)


if __name__ == "__main__":
    main(Ours, {"": Ours.context})
