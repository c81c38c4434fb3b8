"""The same memories as records of a corpus, and a plan of one hybrid pack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from benchmarks.memories.child import main
from biblicus_context import ContextAssembler, Corpus, Principal, Record

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.memories import work

_PLAN: Final[dict[str, Any]] = {
    "policy": {"pack_budget": {"default_ratio": 1.0}},
    "messages": [{"type": "context", "name": "recall"}],
}
_RETRIEVER: Final = {"corpus": "memories", "config": {"retriever_id": "hybrid"}}


class Plain:
    """Each owner is a workspace."""

    def __init__(self, folder: Path) -> None:
        self._corpus = Corpus.open_records(folder / "memories", name="memories")
        self._assembler = ContextAssembler(
            {"memory": _PLAN},
            retriever_registry={"recall": _RETRIEVER},
            corpora={"memories": self._corpus},
        )

    def remember(self, memories: Sequence[work.Memory]) -> None:
        by_owner: dict[str, list[Record]] = {}
        for each in memories:
            by_owner.setdefault(each.owner or "nobody", []).append(
                Record(id=each.id, text=each.text)
            )
        for owner, some in by_owner.items():
            self._corpus.for_principal(Principal(owner)).put(some)

    def context(self, question: work.Question, budget: int) -> str:
        assembler = self._assembler.for_principal(Principal(question.owner or "nobody"))
        built = assembler.assemble("memory", inputs={"query": question.text}, budget=budget)
        return built.system_prompt


if __name__ == "__main__":
    main({"": Plain})
