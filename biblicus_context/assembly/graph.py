"""The graph of contexts, checked before anything runs: no circle, no unknown pack, no explosion."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from biblicus_context.errors import CycleError, PlanError, UnknownPackError
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import HistoryInsertSpec

MOST_PACKS = 20_000
DEEPEST = 64


class _Extent(NamedTuple):
    """How much one context brings with it."""

    packs: int
    depth: int


def check_graph(
    name: str, contexts: Mapping[str, ContextDeclaration], retrievers: Collection[str]
) -> None:
    """Raise when the context of this name, or one it inserts, can never be assembled."""
    measured: dict[str, _Extent] = {}
    path: list[str] = []

    def extent(key: str) -> _Extent:
        if key in measured:
            return measured[key]
        if key in path:
            raise CycleError([*path[path.index(key) :], key])
        if len(path) > DEEPEST:
            raise PlanError(
                f"contexts are nested more than {DEEPEST} deep",
                place=f"context '{name}'",
                fix="Insert fewer contexts inside each other.",
            )
        path.append(key)
        packs, depth = 0, 0
        for insert in contexts[key].inserts:
            inner = _Extent(0, 0)
            if insert.name in contexts:
                inner = extent(insert.name)
                _refuse_history(insert.name, contexts[insert.name])
            elif insert.name not in retrievers:
                raise UnknownPackError(
                    insert.name, [*contexts, *retrievers], place=f"context '{key}'"
                )
            packs += 1 + inner.packs
            depth = max(depth, 1 + inner.depth)
        path.pop()
        measured[key] = _Extent(packs, depth)
        return measured[key]

    total = extent(name).packs
    if total > MOST_PACKS:
        raise PlanError(
            f"context '{name}' inserts {total} packs, counting those inside each other",
            fix=f"At most {MOST_PACKS} are assembled in one call.",
        )


def _refuse_history(name: str, nested: ContextDeclaration) -> None:
    if any(isinstance(directive, HistoryInsertSpec) for directive in nested.messages or ()):
        raise PlanError(
            "Nested context packs cannot include history()",
            place=f"context '{name}'",
            fix="Place the history in the context that callers ask for.",
        )
