"""Errors in the names of a project, which show only across its files."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from biblicus_context.errors import LoadError
from biblicus_context.lint.engine.linted_file import LintedFile
from biblicus_context.lint.engine.scope import ProjectFiles
from biblicus_context.lint.engine.settings import PythonNames
from biblicus_context.lint.facts.project.python_names import names_from_python
from biblicus_context.reading.cycles import name_cycles
from biblicus_context.reading.names import declared_names, repeated_names, unknown_names
from biblicus_context.reading.outline import Noun, Outline


def name_errors(
    project: ProjectFiles, files: Mapping[Path, LintedFile], python: PythonNames
) -> Iterator[LoadError]:
    """Repeated names, unknown names and cycles in the checked files of a project."""
    outlines = _outlines(project.all, files)
    namespaces = (_outlines(namespace, files) for namespace in project.namespaces)
    errors = chain(
        *map(repeated_names, namespaces),
        unknown_names(outlines, _usable_names(project, files, python), _claimed(project, files)),
        name_cycles(outlines),
    )
    checked = frozenset(map(str, project.checked))
    return (error for error in errors if error.file in checked)


def _usable_names(
    project: ProjectFiles, files: Mapping[Path, LintedFile], python: PythonNames
) -> Mapping[Noun, Collection[str]]:
    """Every name that may be used: declared, or from Python."""
    from_python = names_from_python(python)
    declared = declared_names(_outlines(project.all, files))
    return {noun: names | from_python[noun] for noun, names in declared.items()}


def _claimed(project: ProjectFiles, files: Mapping[Path, LintedFile]) -> Collection[str]:
    """The names in files with errors."""
    return {name for file in project.all for name in files[file].claimed_names}


def _outlines(paths: Sequence[Path], files: Mapping[Path, LintedFile]) -> list[Outline]:
    return [entry.outline for path in paths for entry in files[path].entries]
