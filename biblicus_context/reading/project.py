"""A folder of plan files, its names resolved."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, Self, TypeVar

from biblicus_context.base.doors import door
from biblicus_context.base.paths import path_of
from biblicus_context.errors import LoadError, ProjectError, UnknownNameError
from biblicus_context.reading.cycles import name_cycles
from biblicus_context.reading.declared_folders import declared_root, with_root_resolved
from biblicus_context.reading.files import plan_files, read_plan
from biblicus_context.reading.kinds import Declaration, Kind
from biblicus_context.reading.load import PlanDocument, claimed_names, read_documents
from biblicus_context.reading.names import (
    declared_names,
    repeated_names,
    unknown_names,
    usable_places,
)
from biblicus_context.reading.outline import outline
from biblicus_context.spec.compactor import CompactorDeclaration
from biblicus_context.spec.context import ContextDeclaration
from biblicus_context.spec.corpus import CorpusDeclaration
from biblicus_context.spec.format import FormatDeclaration
from biblicus_context.spec.policy import PolicyDeclaration
from biblicus_context.spec.retriever import RetrieverDeclaration

D = TypeVar("D", bound=Declaration)


class SourceLocation(NamedTuple):
    """Where a declaration is."""

    file: str
    line: int


@door
@dataclass(frozen=True)
class Project:
    """Every declaration of some files, by name.

    `corpora` have their `root` resolved against the file that declares them; `declared_roots`
    keeps what the author wrote.
    """

    contexts: Mapping[str, ContextDeclaration]
    retrievers: Mapping[str, RetrieverDeclaration]
    corpora: Mapping[str, CorpusDeclaration]
    compactors: Mapping[str, CompactorDeclaration]
    policies: Mapping[str, PolicyDeclaration]
    formats: Mapping[str, FormatDeclaration]
    sources: Mapping[tuple[Kind, str], SourceLocation]
    declared_roots: Mapping[str, str]

    @property
    def digest(self) -> str:
        """The same for the same declarations, wherever they are, and else another one."""
        kinds = [
            self.contexts,
            self.retrievers,
            self.corpora,
            self.compactors,
            self.policies,
            self.formats,
        ]
        known = [
            {name: one.model_dump(mode="json") for name, one in kind.items()} for kind in kinds
        ]
        text = json.dumps(known, sort_keys=True)
        return blake2b(text.encode(errors="replace"), digest_size=16).hexdigest()

    def expecting(self, context: str, *retrievers: str) -> Self:
        """The project itself; an UnknownNameError if it lacks a context or a retriever that a program names."""
        if context not in self.contexts:
            raise UnknownNameError("Context", context, self.contexts)
        for name in retrievers:
            if name not in self.retrievers:
                raise UnknownNameError("Retriever", name, self.retrievers)
        return self


@door
def load_project(
    path: str | os.PathLike[str],
    *paths: str | os.PathLike[str],
    also: Collection[str] = frozenset(),
) -> Project:
    """The project in these files and folders; `also` are names that Python declares.

    Raises `LoadError` for the one thing that is wrong, or a `ProjectError` that lists them all.
    """
    found = read_project(path, *paths, also=also)
    if found.problems:
        raise found.error()
    return found.project


class ProjectReading(NamedTuple):
    """What can be used of a project, and what is wrong with the rest."""

    project: Project
    problems: Sequence[LoadError]
    unusable: Collection[str]
    """Names of declarations that have a problem, or use one that does."""

    def error(self) -> LoadError:
        """The one problem, or a `ProjectError` that lists them all."""
        return self.problems[0] if len(self.problems) == 1 else ProjectError(self.problems)


@door
def read_project(
    path: str | os.PathLike[str],
    *paths: str | os.PathLike[str],
    also: Collection[str] = frozenset(),
) -> ProjectReading:
    """The project in these files and folders, without what is wrong in it."""
    given = [path_of(each, "project") for each in (path, *paths)]
    roots = [each for each in given if os.path.isdir(each)]
    files = [_read(found, roots) for found in plan_files(given)]
    documents = [document for file in files for document in file.documents]
    outlines = [outline(document) for document in documents]
    claimed = {name for file in files for name in file.claims}
    known = {noun: names.union(also) for noun, names in declared_names(outlines).items()}
    problems = [
        *(problem for file in files for problem in file.problems),
        *repeated_names(outlines),
        *unknown_names(outlines, known, claimed),
        *name_cycles(outlines),
    ]
    if not problems:
        return ProjectReading(_project(documents), (), ())
    # What uses a name with a mistake is left out as well, or it would be reported as unknown; the
    # names stay claimed, for the same reason.
    usable = usable_places(outlines, also)
    names = {each.name for place, each in enumerate(outlines) if place not in usable}
    kept = [each for place, each in enumerate(documents) if place in usable]
    return ProjectReading(_project(kept), _in_order(problems, files), claimed | names)


class _File(NamedTuple):
    """What one plan file declares, what is wrong in it, and then the names it seems to declare."""

    name: str
    documents: Sequence[PlanDocument] = ()
    problems: Sequence[LoadError] = ()
    claims: Collection[str] = ()


def _read(found: Path | LoadError, roots: Collection[Path]) -> _File:
    if isinstance(found, LoadError):
        return _File(found.file, problems=[found])
    try:
        data = read_plan(found)
    except LoadError as error:
        return _File(error.file, problems=[error])
    results = read_documents(data, str(found), roots)
    problems = [result for result in results if isinstance(result, LoadError)]
    documents = [result for result in results if isinstance(result, PlanDocument)]
    return _File(str(found), documents, problems, claimed_names(data) if problems else ())


def _in_order(problems: Iterable[LoadError], files: Sequence[_File]) -> list[LoadError]:
    rank = {file.name: index for index, file in enumerate(files)}
    return sorted(problems, key=lambda each: (rank[each.file], each.line or 0, each.column or 0))


def _project(documents: Sequence[PlanDocument]) -> Project:
    corpora = _by_name(documents, CorpusDeclaration)
    roots = {name: declared_root(corpus) for name, corpus in corpora.items()}
    sources = {
        (each.kind, each.declaration.name): SourceLocation(each.file, each.line)
        for each in documents
    }
    return Project(
        contexts=_by_name(documents, ContextDeclaration),
        retrievers=_by_name(documents, RetrieverDeclaration),
        corpora={
            name: with_root_resolved(corpus, sources["corpus", name].file)
            for name, corpus in corpora.items()
        },
        compactors=_by_name(documents, CompactorDeclaration),
        policies=_by_name(documents, PolicyDeclaration),
        formats=_by_name(documents, FormatDeclaration),
        sources=sources,
        declared_roots={name: root for name, root in roots.items() if root is not None},
    )


def _by_name(documents: Iterable[PlanDocument], model: type[D]) -> dict[str, D]:
    return {
        each.declaration.name: each.declaration
        for each in documents
        if isinstance(each.declaration, model)
    }
