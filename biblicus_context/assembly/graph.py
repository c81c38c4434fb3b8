"""The graph of contexts and combined retrievers, checked before anything runs.

No cycle, no unknown name, no explosion: what is inserted or combined twice is asked twice, so two
names a level are 2 ** n requests after n levels.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, Final, NamedTuple

from biblicus_context.base.cycles import find_cycles
from biblicus_context.errors import CycleError, PlanError, UnknownPackError
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import HistoryInsertSpec

if TYPE_CHECKING:
    from biblicus_context.assembly.combinations import Combinations

MOST_PACKS: Final = 20_000
DEEPEST: Final = 64


class Extent(NamedTuple):
    """What there is inside a context or a combined retriever."""

    packs: int = 0
    """Packs and sources, each as often as it is asked."""
    depth: int = 0
    """How deep contexts, or combined retrievers, are inside each other."""


def check_graph(
    name: str,
    contexts: Mapping[str, ContextDeclaration],
    retrievers: Collection[str],
    combinations: Combinations,
) -> None:
    """Raise if this context can never be assembled."""
    inserted = _inserted_packs(name, contexts, retrievers)
    nested = {key: [each for each in inserted[key] if each in contexts] for key in inserted}
    if (
        len(inserted) > 1 or nested[name]
    ):  # most contexts insert no other one, and none waits for this
        for cycle in find_cycles(nested):
            raise CycleError([*cycle, cycle[0]])
    sources: dict[str, tuple[str, ...]] = {}
    for each in dict.fromkeys(each for names in inserted.values() for each in names):
        if each not in contexts and each not in sources:
            sources |= combinations.check(each)
    inside = extents(sources)
    deepest = max((each.depth for each in inside.values()), default=0)
    if deepest > DEEPEST:
        raise PlanError(
            f"combined retrievers are inside each other more than {DEEPEST} deep",
            place=f"context '{name}'",
            fix="Name the sources of inner combined retrievers in the outer one.",
        )
    packs, depth = extents(inserted, inside)[name]
    if depth > DEEPEST:
        raise PlanError(
            f"contexts are nested more than {DEEPEST} deep",
            place=f"context '{name}'",
            fix="Insert fewer contexts inside each other.",
        )
    if packs > MOST_PACKS:
        what = "packs and sources" if sources else "packs"
        raise PlanError(
            f"context '{name}' asks for {packs:,} {what}, counting those inside each other",
            fix=f"At most {MOST_PACKS:,} are assembled in one call.",
        )


def extents(
    inside: Mapping[str, Collection[str]], known: Mapping[str, Extent] | None = None
) -> dict[str, Extent]:
    """How much is inside each of these names, which have no cycle; `known` says it of other names.

    Sums are numbers of their own size: a plan of 60 levels with ten names each has 10 ** 60 packs,
    which is refused without walking them.

    >>> extents({"a": ["b", "b"], "b": ["c", "d"]})["a"]
    Extent(packs=6, depth=1)
    """
    found: dict[str, Extent] = {}
    nothing = Extent()
    # One name has none before it; sorting it takes longer than the rest of most checks.
    order = inside if len(inside) < 2 else TopologicalSorter(inside).static_order()
    for name in order:
        if name not in inside:
            continue
        each = [found.get(one) or (known or {}).get(one, nothing) for one in inside[name]]
        depths = [1 + found[one].depth for one in inside[name] if one in found]
        packs = len(each) + sum(extent.packs for extent in each)
        found[name] = Extent(packs, max(depths, default=0))
    return found


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


def _refuse_history(name: str, nested: ContextDeclaration) -> None:
    if any(isinstance(directive, HistoryInsertSpec) for directive in nested.messages or ()):
        raise PlanError(
            "Nested context packs cannot include history()",
            place=f"context '{name}'",
            fix="Place the history in the context that callers assemble.",
        )
