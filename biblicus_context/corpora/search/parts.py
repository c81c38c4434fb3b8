"""What the settings of a retriever over a corpus name: its ranker, and the parts of choosing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self, cast

from biblicus_context.base.registry import Registry
from biblicus_context.corpora.search.rankers.registry import RETRIEVERS, Ranker, RetrieverKind
from biblicus_context.retrieval.choosing.parts import ChoosingParts
from biblicus_context.text.compaction import Compaction


@dataclass(frozen=True, slots=True)
class Parts:
    """The rankers by `retriever_id`, and the parts that every retriever has."""

    retrievers: Registry[Ranker] = RETRIEVERS
    choosing: ChoosingParts = field(default_factory=ChoosingParts)

    @classmethod
    def of(
        cls,
        added: Mapping[str, Mapping[str, Any]] | None,
        *,
        compactors: Compaction | None = None,
    ) -> Self:
        """The built-in parts, and those that a caller adds to a family by name."""
        return cls(
            RETRIEVERS.adding((added or {}).get("retrievers", {})),
            ChoosingParts.of(added, compactors=compactors),
        )

    def kind(self, retriever_id: object) -> RetrieverKind | None:
        """The kind that a `retriever_id` names; a plain callable has the settings of every retriever."""
        entry = self.retrievers.find(retriever_id)
        if entry is None or isinstance(entry, RetrieverKind):
            return entry
        return RetrieverKind(cast("Ranker", entry))


BUILT_IN: Final = Parts()
