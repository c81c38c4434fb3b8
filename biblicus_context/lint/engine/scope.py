"""Which files are checked, and in which other files their names are looked up."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from biblicus_context.base.gitignore import covers
from biblicus_context.errors import LoadError
from biblicus_context.lint.engine.settings import LintSettings
from biblicus_context.reading.files import belongs_to_tests, plan_files, plans_beside

_PROJECT = "contexts"


@dataclass(frozen=True, slots=True)
class ProjectFiles:
    """The files of one project."""

    checked: Sequence[Path]
    """Findings are reported for these."""
    others: Sequence[Path]
    """Read only for the names they declare."""
    namespaces: Sequence[Sequence[Path]]
    """Files in which a name may be declared once."""

    @property
    def all(self) -> Sequence[Path]:
        """Every file; the checked ones last, so that a repeated name is reported in them."""
        return [*self.others, *self.checked]


@dataclass(frozen=True, slots=True)
class LintScope:
    """The files of one run."""

    projects: Sequence[ProjectFiles]
    errors: Sequence[LoadError]
    """What is wrong with the paths themselves."""


def lint_scope(paths: Iterable[Path], settings: LintSettings) -> LintScope:
    """The files under these paths, each in the project that it belongs to.

    The project is the one the settings name. Without one it is the nearest folder named `contexts`
    at or above the path. Without that it is all such paths together, and the files next to those
    given by name. So an editor or pre-commit can pass a single file.
    """
    _require_paths(settings)
    seen: set[str] = set()
    errors: list[LoadError] = []
    by_project: dict[Path | None, list[Path]] = {}
    single: dict[Path, list[Path]] = {}
    for path in paths:
        project = None if settings.paths else _contexts_at_or_above(path)
        for file in plan_files([path]):
            if isinstance(file, LoadError):
                errors.append(file)
            elif _is_new(file, seen) and not _is_excluded(file, settings):
                by_project.setdefault(project, []).append(file)
                if project is None and file == path and not settings.paths:
                    single.setdefault(path.parent, []).append(file)
    projects = [
        _without_project(checked, single, settings)
        if project is None and not settings.paths
        else _in_project(checked, [project] if project else settings.paths, settings)
        for project, checked in by_project.items()
    ]
    return LintScope(projects, errors)


def _in_project(
    checked: Sequence[Path], folders: Sequence[Path], settings: LintSettings
) -> ProjectFiles:
    files = plan_files(map(_relative, folders))
    others = _others((file for file in files if isinstance(file, Path)), checked, settings)
    return ProjectFiles(checked, others, [[*others, *checked]])


def _without_project(
    checked: Sequence[Path], single: Mapping[Path, Sequence[Path]], settings: LintSettings
) -> ProjectFiles:
    """Paths without a common project: neighbours of one file may repeat names of another's."""
    neighbours = {
        folder: _others(plans_beside(files[0]), checked, settings)
        for folder, files in single.items()
    }
    others = [file for files in neighbours.values() for file in files]
    namespaces = [[*files, *single[folder]] for folder, files in neighbours.items() if files]
    return ProjectFiles(checked, others, [checked, *namespaces])


def _others(files: Iterable[Path], checked: Iterable[Path], settings: LintSettings) -> list[Path]:
    seen = {os.path.realpath(file) for file in checked}
    return [file for file in files if _is_new(file, seen) and not _is_excluded(file, settings)]


def _is_new(file: Path, seen: set[str]) -> bool:
    real_path = os.path.realpath(file)
    is_new = real_path not in seen
    seen.add(real_path)
    return is_new


def _require_paths(settings: LintSettings) -> None:
    for path in settings.paths:
        if not path.exists():
            raise LoadError(f"paths: there is no {_relative(path)}", file=settings.source)


def _contexts_at_or_above(path: Path) -> Path | None:
    """The nearest folder named `contexts`; the search ends at the root of a repository."""
    for folder in _upwards(path.absolute()):
        if folder.name == _PROJECT and folder.is_dir():
            return folder
        if (folder / ".git").exists():
            break
    return None


def _upwards(path: Path) -> Iterator[Path]:
    yield path
    yield from path.parents


def _is_excluded(file: Path, settings: LintSettings) -> bool:
    if belongs_to_tests(file):  # pre-commit passes golden tests by name as well
        return True
    return any(covers(pattern, str(file), settings.folder) for pattern in settings.exclude)


def _relative(path: Path) -> Path:
    """The path as a user would write it in the working directory."""
    try:
        return path.absolute().relative_to(Path.cwd())
    except ValueError:
        return path
