"""The plans under test: their files, and the retrievers that their contexts query."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from biblicus_context.assembly.combinations import Combinations, with_inline_sources
from biblicus_context.errors import LoadError
from biblicus_context.golden.suite.suite import Suite
from biblicus_context.reading.files import plan_files
from biblicus_context.reading.project import Project, load_project

_FOLDER = "contexts"
_ROOT_MARKS = (".git", "pyproject.toml")
"""Files or folders that mark the top of a repository."""

_Key = tuple[tuple[Path, ...], frozenset[str]]


@dataclass(slots=True)
class Projects:
    """Projects by their paths, each loaded once."""

    _known: dict[_Key, Project | LoadError] = field(default_factory=dict)

    def of(self, suite: Suite) -> Project:
        """The project that a suite tests; raises LoadError if it cannot be loaded."""
        key = (tuple(contexts_of(suite)), frozenset(_handed_in(suite)))
        if key not in self._known:
            self._known[key] = _loaded(*key)
        project = self._known[key]
        if isinstance(project, LoadError):
            raise project
        return project


def contexts_of(suite: Suite) -> list[Path]:
    """The files and folders of plans that a suite tests."""
    named = suite.spec.contexts
    if named is not None:
        paths = [named] if isinstance(named, str) else named
        return [Path(os.path.normpath(suite.file.parent / path)) for path in paths]
    folder = _nearest(suite.file)
    if folder is None:
        fix = "Add 'contexts: ../plans', relative to this file."
        raise LoadError("no contexts found near this file", file=str(suite.file), fix=fix)
    return [folder]


def retrievers_of(project: Project, context: str) -> dict[str, set[float | None]]:
    """The retrievers that a context may query, however deeply nested, with their timeouts."""
    asked: dict[str, set[float | None]] = defaultdict(set)
    combined = Combinations(with_inline_sources(project.retrievers))
    waiting, seen = [context], {context}
    while waiting:
        for insert in project.contexts[waiting.pop()].inserts:
            if insert.name not in project.contexts:
                for name, limit in combined.leaves_of(insert.name, insert.timeout_seconds).items():
                    asked[name].add(limit)
            elif insert.name not in seen:
                seen.add(insert.name)
                waiting.append(insert.name)
    return dict(asked)


def _nearest(file: Path) -> Path | None:
    above = list(_above(Path(os.path.abspath(file))))
    around = next((folder for folder in above if folder.name == _FOLDER), None)
    if around is None and any(isinstance(found, Path) for found in plan_files([file.parent])):
        around = above[0]
    beside = (folder / _FOLDER for folder in above if (folder / _FOLDER).is_dir())
    found = around or next(beside, None)
    return found and _short(found)


def _above(file: Path) -> Iterator[Path]:
    """The folders a file is in, as far as the repository goes."""
    for folder in file.parents:
        yield folder
        if any((folder / mark).exists() for mark in _ROOT_MARKS):
            return


def _short(folder: Path) -> Path:
    """A folder relative to the working folder, if it is inside."""
    here = Path.cwd()
    return folder.relative_to(here) if folder.is_relative_to(here) else folder


def _handed_in(suite: Suite) -> Iterator[str]:
    """Names that Python declares in production, and that a suite replaces."""
    for call in suite.calls:
        yield from call.packs or ()
        yield from call.compactors or ()


def _loaded(paths: tuple[Path, ...], also: frozenset[str]) -> Project | LoadError:
    try:
        return load_project(*paths, also=also)
    except LoadError as error:
        return error
