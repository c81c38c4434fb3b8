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
) -> list[str]:
    """The retrievers that this context and those inside it insert; raise if it can never be assembled."""
    inserted = _inserted_packs(name, contexts, retrievers)
    if len(inserted) == 1 and name not in inserted[name]:
        # Most contexts insert no other one, and the first call waits for this.
        packs, depth = len(inserted[name]), 0
    else:
        nested = {key: [each for each in inserted[key] if each in contexts] for key in inserted}
        for cycle in find_cycles(nested):
            raise CycleError([*cycle, cycle[0]])
        packs, depth = _extent(name, inserted, nested)
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
    return [each for names in inserted.values() for each in names if each not in contexts]


def _inserted_packs(
    name: str, contexts: Mapping[str, ContextDeclaration], retrievers: Collection[str]
) -> dict[str, list[str]]:
    """The packs that this context inserts, and those of each context that it needs."""
    inserted: dict[str, list[str]] = {}
    waiting = [name]
    while waiting:
        key = waiting.pop()
        if key in inserted:
            continue
        inserted[key] = [insert.name for insert in contexts[key].inserts]
        nested: list[str] = []
        for each in inserted[key]:
            if each in contexts:
                nested.append(each)
            elif each not in retrievers:
                raise UnknownPackError(each, [*contexts, *retrievers], place=f"context '{key}'")
        for each in nested:
            _refuse_history(each, contexts[each])
        waiting += reversed(nested)
    return inserted


def _extent(
    name: str, inserted: Mapping[str, list[str]], nested: Mapping[str, list[str]]
) -> tuple[int, int]:
    """How many packs a context inserts, nested ones included, and how deep contexts are nested."""
    packs: dict[str, int] = {}
    depth: dict[str, int] = {}
    # Inner contexts come first. Sums are numbers of their own size: a plan of 60 levels with ten
    # inserts each has 10 ** 60 packs, which is refused without walking them.
    for key in TopologicalSorter(nested).static_order():
        inner = nested[key]
        packs[key] = len(inserted[key]) + sum(packs[each] for each in inner)
        depth[key] = max((1 + depth[each] for each in inner), default=0)
    return packs[name], depth[name]


def _refuse_history(name: str, nested: ContextDeclaration) -> None:
    if any(isinstance(directive, HistoryInsertSpec) for directive in nested.messages or ()):
        raise PlanError(
            "Nested context packs cannot include history()",
            place=f"context '{name}'",
            fix="Place the history in the context that callers assemble.",
        )
