"""The project that a command works on."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path

from biblicus_context.cli.help_texts import PROGRAM
from biblicus_context.cli.options.shared import ProjectOptions
from biblicus_context.cli.output.terminal import detail, note
from biblicus_context.errors import InputError, UnknownNameError
from biblicus_context.reading import Project, ProjectReading, read_project
from biblicus_context.reading.shipped import shipped
from biblicus_context.spec.context import ContextDeclaration

_FOLDER = "contexts"


class NoProjectError(InputError):
    """A command needs a project, and there is none."""

    def __init__(self) -> None:
        super().__init__(
            f"there is no {_FOLDER}/ folder here",
            fix=f"Create a project with '{PROGRAM} init', or pass the path of one.",
        )


def project_folder() -> Path | None:
    """The nearest folder of contexts in the current folder or above it, up to the repository's root."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        for found in (folder / _FOLDER, folder):
            if found.name == _FOLDER and found.is_dir():
                return Path(os.path.relpath(found))
        if (folder / ".git").exists():
            break
    return None


def has_project(place: ProjectOptions) -> bool:
    """Whether a project is chosen, or there is one here."""
    return bool(place.path) or place.shipped or project_folder() is not None


def plan_paths(paths: Sequence[Path] | None) -> Sequence[Path]:
    """These paths, or the project here; NoProjectError if there is neither."""
    if paths:
        return paths
    folder = project_folder()
    if folder is None:
        raise NoProjectError
    return [folder]


def paths_of(place: ProjectOptions) -> Sequence[Path]:
    """The files and folders that are meant."""
    if place.path and place.shipped:
        raise InputError("--path and --shipped cannot be used together", fix="Keep one of them.")
    return [shipped("contexts")] if place.shipped else plan_paths(place.path)


def project_at(
    place: ProjectOptions, also: Collection[str] = (), needs: str | None = None
) -> Project:
    """The project there, without the declarations that have errors; a warning names their files.

    Raises their errors if nothing is left, or if the declaration that is needed is one of them.
    `also` are packs that are answered from elsewhere.
    """
    found = read_project(*paths_of(place), also=also)
    if found.problems:
        if needs in found.unusable or not found.project.sources:
            raise found.error()
        _warn(found)
    sources = found.project.sources.values()
    files = len({each.file for each in sources})
    detail(f"project: {len(sources)} declarations in {files} files")
    return found.project


def _warn(found: ProjectReading) -> None:
    files = ", ".join(dict.fromkeys(each.file for each in found.problems))
    count = len(found.problems)
    errors = "1 error" if count == 1 else f"{count} errors"
    note(f"warning: {errors} in {files}; '{PROGRAM} lint' shows them")


def context_in(project: Project, name: str) -> ContextDeclaration:
    """A context of a project."""
    if name in project.contexts:
        return project.contexts[name]
    raise UnknownNameError("Context", name, project.contexts)
