"""The same memories as records of a corpus, and a plan of one hybrid pack."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from benchmarks.memories.child import main
from benchmarks.memories.work import Context
from biblicus_context import ContextAssembler, Corpus, Principal, Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from benchmarks.memories import work

_POLICY: Final = {"pack_budget": {"default_ratio": 1.0}}


class Plain:
    """Each owner is a workspace."""

    def __init__(
        self, folder: Path, written: Mapping[str, Any] = MappingProxyType({}), **settings: Any
    ) -> None:
        """`written` are options of the pack, and `settings` those of the retriever."""
        self._corpus = Corpus.open_records(folder / "memories", name="memories")
        pack = {"type": "context", "name": "recall", **written}
        config = {"retriever_id": "hybrid", **settings}
        self._assembler = ContextAssembler(
            {"memory": {"policy": _POLICY, "messages": [pack]}},
            retriever_registry={"recall": {"corpus": "memories", "config": config}},
            corpora={"memories": self._corpus},
        )

    def remember(self, memories: Sequence[work.Memory]) -> int:
        by_owner: dict[str, list[Record]] = {}
        for each in memories:
            by_owner.setdefault(each.owner or "nobody", []).append(
                Record(id=each.id, text=each.text)
            )
        for owner, some in by_owner.items():
            self._corpus.for_principal(Principal(owner)).put(some)
        return len(memories)

    def context(self, question: work.Question, budget: int) -> Context:
        assembler = self._assembler.for_principal(Principal(question.owner or "nobody"))
        built = assembler.assemble("memory", inputs={"query": question.text}, budget=budget)
        return Context(built.system_prompt, tuple(each.document for each in built.citations))


if __name__ == "__main__":
    main(Plain, {"": Plain.context})
