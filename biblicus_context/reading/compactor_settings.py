"""Every compactor that a declaration has with its settings, nested ones included."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from biblicus_context.reading.kinds import Declaration
from biblicus_context.reading.yaml.tree import Step
from biblicus_context.spec.compactor import CompactorDeclaration
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import HistoryInsertSpec
from biblicus_context.spec.policy import ContextPolicySpec, PolicyDeclaration
from biblicus_context.spec.retriever import RetrieverDeclaration

Settings = Mapping[str, Any]
Written = tuple[tuple[Step, ...], Settings]
"""The path and the settings of a compactor."""


def compactors_of(declaration: Declaration) -> Iterator[Written]:
    """The compactors of a declaration, with their paths."""
    match declaration:
        case CompactorDeclaration():
            yield from _within(declaration.config, ("config",))
        case PolicyDeclaration():
            yield from _within(declaration.policy.compactor, ("compactor",))
        case RetrieverDeclaration():
            compactor = compactor_of_cap(declaration)
            if isinstance(compactor, str | Mapping):
                yield from _within(compactor, ("config", "item_cap", "compactor"))
        case ContextDeclaration():
            yield from _of_context(declaration)


def compactor_of_cap(retriever: RetrieverDeclaration) -> object:
    """What a retriever names as the compactor of its `item_cap`."""
    cap = retriever.config.get("item_cap")
    return cap.get("compactor") if isinstance(cap, Mapping) else None


def functions_used(declarations: Sequence[Declaration]) -> frozenset[str]:
    """The names under `using`, which are names of compactors as well."""
    return frozenset(
        str(settings["using"])
        for declaration in declarations
        for _, settings in compactors_of(declaration)
        if "using" in settings
    )


def _of_context(context: ContextDeclaration) -> Iterator[Written]:
    if isinstance(context.policy, ContextPolicySpec):
        yield from _within(context.policy.compactor, ("policy", "compactor"))
    for index, directive in enumerate(context.messages or ()):
        if isinstance(directive, HistoryInsertSpec):
            yield from _within(directive.compactor, ("messages", index, "compactor"))


def _within(compactor: str | Settings | None, path: tuple[Step, ...]) -> Iterator[Written]:
    if isinstance(compactor, Mapping):
        yield path, compactor
        for part in ("fallback", "compactor"):
            yield from _within(compactor.get(part), (*path, part))
        for index, step in enumerate(compactor.get("steps", ())):
            yield from _within(step, (*path, "steps", index))
