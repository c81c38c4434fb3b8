"""The outline of a document: its name and the names it uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from biblicus_context.reading.compactor_settings import compactor_of_cap
from biblicus_context.reading.kinds import Declaration, Kind
from biblicus_context.reading.load import PlanDocument
from biblicus_context.reading.yaml.tree import Place, Step
from biblicus_context.spec.compactor import CompactorDeclaration
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.directive import ContextInsertSpec, FirstSpec, HistoryInsertSpec
from biblicus_context.spec.pack import PackOptions
from biblicus_context.spec.policy import ContextPolicySpec, PolicyDeclaration
from biblicus_context.spec.retriever import COMBINED, RetrieverDeclaration

Noun: TypeAlias = Literal["policy", "format", "pack", "corpus", "compactor"]
_Path: TypeAlias = tuple[Step, ...]


class NameReference(NamedTuple):
    """A name that a declaration uses, what kind of thing it names, and its path."""

    noun: Noun
    name: str
    path: _Path


def uses(declaration: Declaration) -> Iterator[NameReference]:
    """Every name that another document has to declare."""
    match declaration:
        case ContextDeclaration():
            yield from _of_context(declaration)
        case PolicyDeclaration():
            yield from _of_compactor(declaration.policy.compactor, ("compactor",))
        case CompactorDeclaration():
            yield from _of_compactor(declaration.config, ("config",))
        case RetrieverDeclaration():
            yield from _named("corpus", declaration.corpus, ("corpus",))
            yield from _of_settings(declaration.config, ("config",))
            cap = compactor_of_cap(declaration)
            if isinstance(cap, str | Mapping):
                yield from _of_compactor(cap, ("config", "item_cap", "compactor"))


def _of_settings(config: Mapping[str, Any], path: _Path) -> Iterator[NameReference]:
    """The corpus of a retriever, and the retrievers that a combined one names."""
    yield from _named("corpus", config.get("corpus"), (*path, "corpus"))
    sources = config.get("of")
    if config.get("retriever_id") != COMBINED or not isinstance(sources, list | tuple):
        return
    for index, source in enumerate(sources):
        at = (*path, "of", index)
        if not isinstance(source, Mapping):
            yield from _named("pack", source, at)
        elif "retriever_id" in source:
            yield from _of_settings(source, at)
        elif "like" not in source:  # one with a mistake, which is reported
            yield from _named("pack", source.get("name"), (*at, "name"))


def _of_context(context: ContextDeclaration) -> Iterator[NameReference]:
    yield from _named("policy", context.policy, ("policy",))
    if isinstance(context.policy, ContextPolicySpec):
        yield from _of_compactor(context.policy.compactor, ("policy", "compactor"))
    for index, pack in enumerate(context.packs or ()):
        yield from _of_pack(pack, ("packs", index))
    for index, directive in enumerate(context.messages or ()):
        path = ("messages", index)
        match directive:
            case ContextInsertSpec():
                yield from _of_pack(directive, path)
            case HistoryInsertSpec():
                yield from _of_compactor(directive.compactor, (*path, "compactor"))
            case FirstSpec():
                yield from _of_alternatives(directive, path)


def _of_alternatives(directive: FirstSpec, path: _Path) -> Iterator[NameReference]:
    for index, alternative in enumerate(directive.first):
        if isinstance(alternative, ContextInsertSpec):
            yield from _of_pack(alternative, (*path, "first", index))


def _of_pack(pack: PackOptions, path: _Path) -> Iterator[NameReference]:
    yield NameReference("pack", pack.name, (*path, "name"))
    yield from _named("format", pack.format, (*path, "format"))


def _of_compactor(
    compactor: str | Mapping[str, Any] | None, path: _Path
) -> Iterator[NameReference]:
    yield from _named("compactor", compactor, path)
    if isinstance(compactor, Mapping):
        for part in ("fallback", "compactor"):
            yield from _of_compactor(compactor.get(part), (*path, part))
        for index, step in enumerate(compactor.get("steps", ())):
            yield from _of_compactor(step, (*path, "steps", index))


def _named(noun: Noun, value: object, path: _Path) -> Iterator[NameReference]:
    if isinstance(value, str):
        yield NameReference(noun, value, path)


class LocatedName(NamedTuple):
    """A name that a document uses, what kind of thing it names, and its place."""

    noun: Noun
    name: str
    place: Place


class Outline(NamedTuple):
    """One document in brief; small, so that lint can keep one for every file."""

    kind: Kind
    name: str
    file: str
    line: int
    place: Place
    """Where the name stands."""
    uses: tuple[LocatedName, ...]
    bases: tuple[str, ...] = ()
    """The retrievers that settings were taken over from."""


def outline(document: PlanDocument) -> Outline:
    """The outline of a document."""
    tree = document.tree
    return Outline(
        document.kind,
        document.declaration.name,
        document.file,
        document.line,
        tree.at(["name"]).place,
        tuple(
            LocatedName(use.noun, use.name, tree.at(use.path).place)
            for use in uses(document.declaration)
        ),
        tree.bases,
    )
