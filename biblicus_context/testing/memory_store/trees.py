"""The tree of documents in memory."""

from __future__ import annotations

from collections.abc import Sequence

from biblicus_context.stores import Document, Principal, Sibling, checks
from biblicus_context.stores.trees import MOST_LEVELS
from biblicus_context.testing.memory_store.searching import MemorySearches
from biblicus_context.testing.memory_store.workspace import VisibleVersion


class MemoryTrees(MemorySearches):
    """Each method's contract is that of the Protocol `Trees`."""

    def lineage(
        self,
        principal: Principal,
        ids: Sequence[str],
        *,
        levels: int = MOST_LEVELS,
        at: int | None = None,
    ) -> tuple[Document, ...]:
        """Documents and what they are inside."""
        known = self._view(principal, at).documents
        level = {each for each in checks.ids(ids, "ids") if each in known}
        found = {*level}
        for _ in range(checks.whole(levels, "levels")):
            parents = {known[each].document.parent for each in level}
            level = {each for each in parents if each is not None and each in known}
            found |= level
        return tuple(known[each].document for each in sorted(found))

    def children(
        self,
        principal: Principal,
        parents: Sequence[str],
        *,
        limit: int = 100,
        at: int | None = None,
    ) -> tuple[Document, ...]:
        """The first children of many documents."""
        most, view = checks.whole(limit, "limit"), self._view(principal, at)
        wanted = checks.ids(parents, "parents")
        return tuple(each for parent in wanted for each in _row(view, parent)[:most])

    def siblings(
        self, principal: Principal, ids: Sequence[str], *, reach: int, at: int | None = None
    ) -> tuple[Sibling, ...]:
        """The nearest siblings of many documents."""
        most, view = checks.whole(reach, "reach"), self._view(principal, at)
        found: list[Sibling] = []
        for name in checks.ids(ids, "ids"):
            stored = view.documents.get(name)
            if stored is None or stored.document.parent is None:
                continue
            row = [each.id for each in _row(view, stored.document.parent)]
            here = row.index(name)
            near = ((each, place - here) for place, each in enumerate(row))
            found += [Sibling(name, each, step) for each, step in near if 0 < abs(step) <= most]
        return tuple(found)


def _row(view: VisibleVersion, parent: str) -> list[Document]:
    found = [each.document for each in view.documents.values() if each.document.parent == parent]
    return sorted(found, key=lambda each: (each.position is None, each.position or 0, each.id))
