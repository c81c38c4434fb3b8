"""Nested and enclosing contexts, each visited once, and those whose inserts lead into a cycle."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Final

from biblicus_context.lint.facts.memoize import once_per_project
from biblicus_context.lint.facts.project.declarations import Declarations
from biblicus_context.reading.outline import Outline
from biblicus_context.spec.context import ContextDeclaration

MOST_NESTED: Final = 50
"""Contexts inside each other that are looked at."""


@once_per_project
def nested_contexts(
    context: ContextDeclaration, declared: Declarations
) -> list[ContextDeclaration]:
    """Every context that this one inserts, directly or through others."""

    def inside(each: ContextDeclaration) -> Iterable[ContextDeclaration | None]:
        return (declared.context(insert.name) for insert in each.inserts)

    return _reached(context, inside)


@once_per_project
def enclosing_contexts(
    context: ContextDeclaration, declared: Declarations
) -> list[ContextDeclaration]:
    """Every context that inserts this one, directly or through others."""
    if ("pack", context.name) not in declared.used:
        return []
    return _reached(context, lambda each: inserting_contexts(each.name, declared))


def inserting_contexts(name: str, declared: Declarations) -> list[ContextDeclaration]:
    """The contexts that insert a pack of this name directly."""
    found = {
        entry.name: entry.declaration
        for entry in declared.inserted_by(name)
        if isinstance(entry.declaration, ContextDeclaration)
    }
    return [*found.values()]


def _reached(
    start: ContextDeclaration,
    following: Callable[[ContextDeclaration], Iterable[ContextDeclaration | None]],
) -> list[ContextDeclaration]:
    found: dict[str, ContextDeclaration] = {}
    level = [start]
    for _ in range(MOST_NESTED):
        inner: dict[str, ContextDeclaration] = {}
        for each in (each for outer in level for each in following(outer)):
            if each is not None and each.name not in found and each.name != start.name:
                inner[each.name] = each
        found |= inner
        level = [*inner.values()]
    return [*found.values()]


def cyclic_contexts(outlines: Iterable[Outline]) -> frozenset[str]:
    """The names of contexts whose inserts lead into a cycle."""
    contexts = [each for each in outlines if each.kind == "context"]
    names = {each.name for each in contexts}
    inserts: dict[str, set[str]] = {name: set() for name in names}
    inserting = defaultdict(list)
    for each in contexts:
        inserted = {use.name for use in each.uses if use.noun == "pack"} & names
        for name in inserted - inserts[each.name]:
            inserts[each.name].add(name)
            inserting[name].append(each.name)
    ending = [name for name, inserted in inserts.items() if not inserted]
    for (
        name
    ) in ending:  # the loop appends to this list: a context ends when everything it inserts ends
        for user in inserting[name]:
            inserts[user].discard(name)
            if not inserts[user]:
                ending.append(user)
    return frozenset(names.difference(ending))
