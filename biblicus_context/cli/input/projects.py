"""The project that a command works on."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from biblicus_context.cli.options.shared import ProjectOptions
from biblicus_context.errors import InputError, UnknownNameError
from biblicus_context.reading import Project, load_project
from biblicus_context.reading.shipped import shipped
from biblicus_context.spec.context import ContextDeclaration

HERE = Path("contexts")
"""Where contexts are looked for."""
_INSTEAD = "the contexts shipped with the package (there is no contexts/ folder here)"


def paths_of(place: ProjectOptions) -> Sequence[Path]:
    """The files and folders that are meant."""
    if place.path and place.shipped:
        raise InputError("--path and --shipped cannot be used together", fix="Keep one of them.")
    if place.path:
        return place.path
    return [shipped("contexts") if place.shipped or not HERE.is_dir() else HERE]


def project_at(place: ProjectOptions, also: Collection[str] = ()) -> Project:
    """The project there; `also` are packs that are answered from elsewhere."""
    return load_project(*paths_of(place), also=also)


def context_in(project: Project, name: str, place: ProjectOptions) -> ContextDeclaration:
    """A context of a project."""
    if name in project.contexts:
        return project.contexts[name]
    error = UnknownNameError("Context", name, project.contexts)
    if not place.path and not place.shipped and not HERE.is_dir():
        error = error.at(_INSTEAD)
    raise error
