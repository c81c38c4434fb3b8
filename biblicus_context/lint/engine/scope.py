"""Which files are checked, and in which others their names are looked up."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from biblicus_context.base.gitignore import covers
from biblicus_context.errors import LoadError
from biblicus_context.lint.engine.settings import Settings
from biblicus_context.reading.files import belongs_to_tests, plan_files, plans_beside

_PROJECT = "contexts"


@dataclass(frozen=True, slots=True)
class Group:
    """Files of one project."""

    given: Sequence[Path]
    """Findings are told of these."""
    around: Sequence[Path]
    """Only what they declare matters."""
    rooms: Sequence[Sequence[Path]]
    """Files among which a name may be declared once; what is around comes first."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The files of one run."""

    groups: Sequence[Group]
    problems: Sequence[LoadError]
    """What is wrong with the paths themselves."""


def scope(paths: Iterable[Path], settings: Settings) -> Scope:
    """The files under these paths, each with the project that it belongs to.

    That is the one the settings name; else the nearest folder at or above it that is called
    `contexts`; else all such paths together, with the files beside those given by name. So an
    editor or pre-commit can hand over a single file.
    """
    _require(settings)
    seen: set[str] = set()
    problems: list[LoadError] = []
    by_project: dict[Path | None, list[Path]] = {}
    loose: dict[Path, list[Path]] = {}
    for path in paths:
        project = None if settings.paths else _contexts_at_or_above(path)
        for found in plan_files([path]):
            if isinstance(found, LoadError):
                problems.append(found)
            elif _is_new(found, seen) and not _is_excluded(found, settings):
                by_project.setdefault(project, []).append(found)
                if project is None and found == path and not settings.paths:
                    loose.setdefault(path.parent, []).append(found)
    groups = [
        _loose_group(given, loose, settings)
        if project is None and not settings.paths
        else _group(given, [project] if project else settings.paths, settings)
        for project, given in by_project.items()
    ]
    return Scope(groups, problems)


def _group(given: Sequence[Path], folders: Sequence[Path], settings: Settings) -> Group:
    found = plan_files(map(_shown, folders))
    around = _others((file for file in found if isinstance(file, Path)), given, settings)
    return Group(given, around, [[*around, *given]])


def _loose_group(
    given: Sequence[Path], loose: Mapping[Path, Sequence[Path]], settings: Settings
) -> Group:
    """Paths without a common project: what lies beside one file does not concern the others."""
    beside = {
        folder: _others(plans_beside(files[0]), given, settings) for folder, files in loose.items()
    }
    around = [file for files in beside.values() for file in files]
    rooms = [[*files, *loose[folder]] for folder, files in beside.items() if files]
    return Group(given, around, [given, *rooms])


def _others(files: Iterable[Path], given: Iterable[Path], settings: Settings) -> list[Path]:
    known = {os.path.realpath(file) for file in given}
    return [file for file in files if _is_new(file, known) and not _is_excluded(file, settings)]


def _is_new(file: Path, seen: set[str]) -> bool:
    place = os.path.realpath(file)
    is_new = place not in seen
    seen.add(place)
    return is_new


def _require(settings: Settings) -> None:
    for path in settings.paths:
        if not path.exists():
            raise LoadError(f"paths: there is no {_shown(path)}", file=settings.source)


def _contexts_at_or_above(path: Path) -> Path | None:
    """The nearest folder of this name; a repository's top ends the search."""
    for folder in _upwards(path.absolute()):
        if folder.name == _PROJECT and folder.is_dir():
            return folder
        if (folder / ".git").exists():
            break
    return None


def _upwards(path: Path) -> Iterator[Path]:
    yield path
    yield from path.parents


def _is_excluded(file: Path, settings: Settings) -> bool:
    if belongs_to_tests(file):  # which pre-commit hands over as well
        return True
    return any(covers(pattern, str(file), settings.folder) for pattern in settings.exclude)


def _shown(path: Path) -> Path:
    """As one would write it here."""
    try:
        return path.absolute().relative_to(Path.cwd())
    except ValueError:
        return path
