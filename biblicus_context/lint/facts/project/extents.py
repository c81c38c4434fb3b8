"""How much is inside each context and combined retriever of a project, as the engine counts it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from biblicus_context.assembly.graph import DEEPEST, MOST_PACKS, Extent, extents
from biblicus_context.base.cycles import find_cycles
from biblicus_context.lint.facts.project.combined_retrievers import source_name, sources_in
from biblicus_context.reading.kinds import Declaration
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.retriever import RetrieverDeclaration


def too_large(declarations: Iterable[Declaration]) -> Mapping[str, Extent]:
    """What the engine refuses to ask for; not what only contains something of that kind.

    Names in a cycle have findings of their own, and no extent.
    """
    inside: dict[str, list[str]] = {}
    for declaration in declarations:
        for name, names in _inside(declaration):
            inside.setdefault(name, names)
    while cycle := next(find_cycles(inside), None):
        for name in cycle:
            inside[name] = []
    # Contexts count their own levels, and combined retrievers theirs.
    found = extents(inside)
    large = {name for name, extent in found.items() if _is_too_large(extent)}
    return {name: found[name] for name in large if not large & {*inside[name]}}


def _is_too_large(extent: Extent) -> bool:
    return extent.packs > MOST_PACKS or extent.depth > DEEPEST


def _inside(declaration: Declaration) -> Iterator[tuple[str, list[str]]]:
    """The names inside a declaration, and inside sources that it declares in place."""
    if isinstance(declaration, ContextDeclaration):
        yield declaration.name, [insert.name for insert in declaration.inserts]
    elif isinstance(declaration, RetrieverDeclaration):
        yield from _sources(declaration.name, declaration.config)


def _sources(name: str, config: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    names: list[str] = []
    waiting = []
    for index, source in sources_in(config):
        named = source_name(source)
        names.append(named[1] if named else f"{name}\0{index}")
        if named is None and isinstance(source, Mapping):
            waiting.append((names[-1], source))
    if names:
        yield name, names
    for own, settings in waiting:
        yield from _sources(own, settings)
