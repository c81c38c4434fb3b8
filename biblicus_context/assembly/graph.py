"""The graph of contexts, checked before anything runs: no cycle, no unknown pack, no explosion."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from graphlib import TopologicalSorter

from biblicus_context.base.cycles import find_cycles
from biblicus_context.errors import CycleError, PlanError, UnknownPackError
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import HistoryInsertSpec

MOST_PACKS = 20_000
DEEPEST = 64


def check_graph(
    name: str, contexts: Mapping[str, ContextDeclaration], retrievers: Collection[str]
) -> None:
    """Raise when the context of this name, or one it inserts, can never be assembled."""
    nested = _nested_contexts(name, contexts, retrievers)
    if len(nested) == 1 and not nested[name]:
        # Most contexts insert no other one, and the first call waits for this.
        packs, depth = len(contexts[name].inserts), 0
    else:
        for cycle in find_cycles(nested):
            raise CycleError([*cycle, cycle[0]])
        packs, depth = _extent(name, nested, contexts)
    if depth > DEEPEST:
        raise PlanError(
            f"contexts are nested more than {DEEPEST} deep",
            place=f"context '{name}'",
            fix="Insert fewer contexts inside each other.",
        )
    if packs > MOST_PACKS:
        raise PlanError(
            f"context '{name}' inserts {packs} packs, counting those inside each other",
            fix=f"At most {MOST_PACKS} are assembled in one call.",
        )


def _nested_contexts(
    name: str, contexts: Mapping[str, ContextDeclaration], retrievers: Collection[str]
) -> dict[str, list[str]]:
    """The contexts that this one needs, each with those that it inserts itself."""
    nested: dict[str, list[str]] = {}
    waiting = [name]
    while waiting:
        key = waiting.pop()
        if key in nested:
            continue
        names = [insert.name for insert in contexts[key].inserts]
        for inserted in names:
            if inserted not in contexts and inserted not in retrievers:
                raise UnknownPackError(inserted, [*contexts, *retrievers], place=f"context '{key}'")
        nested[key] = [inserted for inserted in names if inserted in contexts]
        for inserted in nested[key]:
            _refuse_history(inserted, contexts[inserted])
        waiting += reversed(nested[key])
    return nested


def _extent(
    name: str, nested: Mapping[str, list[str]], contexts: Mapping[str, ContextDeclaration]
) -> tuple[int, int]:
    """How many packs a context inserts, nested ones included, and how deep contexts are nested."""
    packs: dict[str, int] = {}
    depth: dict[str, int] = {}
    # Inner contexts come first. Sums are numbers of their own size: a plan of 60 levels with ten
    # inserts each has 10 ** 60 packs, which is refused without walking them.
    for key in TopologicalSorter(nested).static_order():
        inner = nested[key]
        packs[key] = len(contexts[key].inserts) + sum(packs[each] for each in inner)
        depth[key] = max((1 + depth[each] for each in inner), default=0)
    return packs[name], depth[name]


def _refuse_history(name: str, nested: ContextDeclaration) -> None:
    if any(isinstance(directive, HistoryInsertSpec) for directive in nested.messages or ()):
        raise PlanError(
            "Nested context packs cannot include history()",
            place=f"context '{name}'",
            fix="Place the history in the context that callers assemble.",
        )
