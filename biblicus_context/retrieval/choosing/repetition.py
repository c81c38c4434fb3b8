"""Blocks that say the same as a better one, and those of documents that have enough."""

from __future__ import annotations

from collections import Counter as Counts
from collections.abc import Hashable

from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.choosing.left_out import LeftOut
from biblicus_context.retrieval.duplicates import KeptTexts, TextEntry
from biblicus_context.spec.choosing import ChoosingSpec


class KeptBlocks:
    """What is kept so far of a ranking, best first; nothing that comes later changes it."""

    def __init__(self, spec: ChoosingSpec) -> None:
        duplicates = spec.duplicates
        self._texts = KeptTexts(duplicates.near) if duplicates else None
        self._most = spec.maximum_items_per_source
        self._names: list[str] = []
        self._per_document: Counts[Hashable] = Counts()

    def is_full(self, document: Hashable) -> bool:
        """Whether no further block of a document may be kept."""
        return self._most is not None and self._per_document[document] >= self._most

    def keep(
        self, candidate: Candidate, document: Hashable, *, always: bool = False
    ) -> LeftOut | None:
        """Keep a block, or say why it is left out; `always`: its document may have any number."""
        if self._most is not None and not always and self.is_full(document):
            return LeftOut(candidate, "limit", self._most, "per-document ")
        entry = TextEntry(candidate.id, candidate.text, candidate.is_turn)
        duplicate = self._texts.add(len(self._names), entry) if self._texts else None
        if duplicate is not None:
            same = duplicate.describe(self._names[duplicate.kept])
            return LeftOut(candidate, "duplicate", detail=same)
        self._names.append(candidate.id)
        self._per_document[document] += 1
        return None
