"""What ranking asks of a store: distances in the tree of documents, and what the user did."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Protocol, TypeVar, cast

from biblicus_context.base.lazy import lazy
from biblicus_context.corpora.search.query import SearchQuery
from biblicus_context.corpora.search.rankers.named import documents_named
from biblicus_context.stores import Action
from biblicus_context.stores.view import MOST_LEVELS

T = TypeVar("T")


class Asking(Protocol):
    """Calls a function with a query whose view is open."""

    def __call__(self, ask: Callable[[SearchQuery], T], /) -> T: ...


class RankedSurroundings:
    """Answers for some documents; each kind of question is asked of the store once, when it comes up."""

    def __init__(self, asking: Asking, documents: Collection[str]) -> None:
        """`asking` calls with a query whose view is open."""
        self._asking = asking
        self._documents = documents
        self._starts: dict[tuple[str, ...], list[str]] = {}
        self._parents: dict[str, str | None] = {}
        """The parents of all documents and of their ancestors, once they are known."""

    def actions(self, document: str) -> Collection[Action]:
        """What the asking user did with a document."""
        return self._actions.get(document, ())

    def distance(self, document: str, starts: Sequence[str]) -> int | None:
        """Steps in the tree to the nearest of these documents; None if none is in the same tree."""
        named = self._named(tuple(starts))
        known = (self._steps(document, start) for start in named)
        return min((steps for steps in known if steps is not None), default=None)

    def _named(self, starts: tuple[str, ...]) -> list[str]:
        if starts not in self._starts:
            self._starts[starts] = self._asking(partial(self._looked_up, starts))
        return self._starts[starts]

    def _looked_up(self, starts: tuple[str, ...], query: SearchQuery) -> list[str]:
        """The documents by these names; the parents are read in the same trip, if they are not known."""
        if self._parents:
            return documents_named(query, starts)
        every = sorted({*self._documents, *starts})
        found, parents = query.view.together(
            lambda: documents_named(query, starts), lambda: self._parents_above(every)
        )
        self._parents.update(parents)
        return cast("list[str]", found)

    def _steps(self, one: str, other: str) -> int | None:
        up = {name: steps for steps, name in enumerate(self._ancestry(one))}
        both = ((up[name], steps) for steps, name in enumerate(self._ancestry(other)) if name in up)
        return next((sum(steps) for steps in both), None)

    def _ancestry(self, document: str) -> list[str]:
        """The document and its ancestors upwards; a cycle of parents ends where it begins again."""
        found: list[str] = []
        name: str | None = document
        while name is not None and name not in found and len(found) < MOST_LEVELS:
            found.append(name)
            if name not in self._parents:
                self._parents.update(self._parents_above([name]))
            name = self._parents[name]
        return found

    def _parents_above(self, documents: Sequence[str]) -> dict[str, str | None]:
        seen = self._asking(lambda query: query.view.tree(documents, up=MOST_LEVELS).above)
        parents = {each.id: each.parent for each in seen}
        hidden = {each for each in parents.values() if each is not None} - parents.keys()
        return {**dict.fromkeys((*documents, *hidden)), **parents}

    @lazy
    def _actions(self) -> Mapping[str, Collection[Action]]:
        found: dict[str, set[Action]] = {}
        documents = [*self._documents]
        done = self._asking(
            lambda query: query.view.activity(documents=documents, limit=2 * len(documents))
        )
        for each in done:
            found.setdefault(each.document_id, set()).add(each.action)
        return found
