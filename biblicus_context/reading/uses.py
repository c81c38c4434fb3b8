"""The names a declaration uses, and where it says them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from biblicus_context.reading.kinds import Declaration
from biblicus_context.reading.yaml.tree import Step
from biblicus_context.spec.compactor import CompactorDeclaration
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import ContextInsertSpec, FirstSpec, HistoryInsertSpec
from biblicus_context.spec.policy import ContextPolicySpec, PolicyDeclaration
from biblicus_context.spec.retriever import RetrieverDeclaration

Noun: TypeAlias = Literal["policy", "pack", "corpus", "compactor"]
_Path: TypeAlias = tuple[Step, ...]


class NameUse(NamedTuple):
    """One name, what it is the name of, and the path that leads to it."""

    noun: Noun
    name: str
    path: _Path


def uses(declaration: Declaration) -> Iterator[NameUse]:
    """Every name that something else has to declare."""
    match declaration:
        case ContextDeclaration():
            yield from _of_context(declaration)
        case PolicyDeclaration():
            yield from _of_compactor(declaration.policy.compactor, ("compactor",))
        case CompactorDeclaration():
            yield from _of_compactor(declaration.config, ("config",))
        case RetrieverDeclaration():
            yield from _named("corpus", declaration.corpus, ("corpus",))
            yield from _named("corpus", declaration.config.get("corpus"), ("config", "corpus"))


def _of_context(context: ContextDeclaration) -> Iterator[NameUse]:
    yield from _named("policy", context.policy, ("policy",))
    if isinstance(context.policy, ContextPolicySpec):
        yield from _of_compactor(context.policy.compactor, ("policy", "compactor"))
    for index, pack in enumerate(context.packs or ()):
        yield NameUse("pack", pack.name, ("packs", index, "name"))
    for index, directive in enumerate(context.messages or ()):
        path = ("messages", index)
        match directive:
            case ContextInsertSpec():
                yield NameUse("pack", directive.name, (*path, "name"))
            case HistoryInsertSpec():
                yield from _of_compactor(directive.compactor, (*path, "compactor"))
            case FirstSpec():
                yield from _of_alternatives(directive, path)


def _of_alternatives(directive: FirstSpec, path: _Path) -> Iterator[NameUse]:
    for index, alternative in enumerate(directive.first):
        if isinstance(alternative, ContextInsertSpec):
            yield NameUse("pack", alternative.name, (*path, "first", index, "name"))


def _of_compactor(compactor: str | Mapping[str, Any] | None, path: _Path) -> Iterator[NameUse]:
    yield from _named("compactor", compactor, path)
    if isinstance(compactor, Mapping):
        yield from _of_compactor(compactor.get("fallback"), (*path, "fallback"))
        for index, step in enumerate(compactor.get("steps", ())):
            yield from _of_compactor(step, (*path, "steps", index))


def _named(noun: Noun, value: object, path: _Path) -> Iterator[NameUse]:
    if isinstance(value, str):
        yield NameUse(noun, value, path)
