"""The two sides of `diff`: found, assembled under the same limits, ready to be compared."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, TypeVar

from biblicus_context.assembly.inputs import ALWAYS_ACCEPTED
from biblicus_context.assembly.result.saved import SavedResult, saved_from, saved_in
from biblicus_context.cli.input.call_files import CallFiles, read_call_files
from biblicus_context.cli.input.data_files import read_value
from biblicus_context.cli.input.prepared_call import prepare_in, refuse_unknown, retrievers_of
from biblicus_context.cli.input.projects import context_in, project_at
from biblicus_context.cli.options.shared import CallOptions, ProjectOptions
from biblicus_context.errors import ContextError, InputError
from biblicus_context.reading import Project, read_project
from biblicus_context.reading.files import read_plan
from biblicus_context.reading.revisions import Revision, revision
from biblicus_context.spec.context import ContextDeclaration


def compared(
    written: Sequence[str],
    place: ProjectOptions,
    call: CallOptions,
    limits: tuple[int | None, str | None],
    context: str | None,
) -> list[SavedResult]:
    """Each side as it comes out under the same budget and model, with the same inputs and history.

    An input or an answer that only one side knows is for that side alone.
    """
    given = read_call_files(call)
    sides = list(map(SideFinder(place, context, given.answers).side, written))
    planned = [each for each in sides if isinstance(each, PlannedSide)]
    if planned:
        refuse_unknown(given.answers, retrievers_of(*(each.project for each in planned)))
        _refuse_inputs([each.context for each in planned], given)
    return [
        _assembled(each, given, limits) if isinstance(each, PlannedSide) else each for each in sides
    ]


def _assembled(
    one: PlannedSide, given: CallFiles, limits: tuple[int | None, str | None]
) -> SavedResult:
    inputs = given.inputs_of(one.context)
    accepted = {name: value for name, value in inputs.items() if _accepts(one.context, name)}
    return saved_from(prepare_in(one.project, one.context, given, accepted).assembled(*limits))


def _refuse_inputs(contexts: Sequence[ContextDeclaration], given: CallFiles) -> None:
    for name in given.inputs_of(contexts[0]):
        if not any(_accepts(context, name) for context in contexts):
            valid = sorted({known for context in contexts for known in context.inputs or {}})
            raise InputError("unknown input", found=name, valid=valid)


def _accepts(context: ContextDeclaration, name: str) -> bool:
    return context.inputs is None or name in context.inputs or name in ALWAYS_ACCEPTED


_PLANS = (".yaml", ".yml")
_FOLDER = "contexts"
P = TypeVar("P", bound=PurePath)


@dataclass(frozen=True, slots=True)
class PlannedSide:
    """A context that still must be assembled, and the project it is in."""

    project: Project
    context: ContextDeclaration


@dataclass(frozen=True, slots=True)
class SideFinder:
    """Finds what arguments name."""

    place: ProjectOptions
    context: str | None
    """Which one of a file that has several."""
    also: Collection[str]
    """Packs that are answered from elsewhere."""

    def side(self, written: str) -> PlannedSide | SavedResult:
        """What one argument names."""
        if written.endswith(".json"):
            return saved_in(read_value(Path(written)), written)
        if not written.endswith(_PLANS):
            project = project_at(self.place, self.also, needs=written)
            return PlannedSide(project, context_in(project, written))
        name, sign, path = written.partition(":")
        if sign and not os.path.exists(written):
            return self._at_revision(revision(name), path)
        file = Path(written)
        read_plan(file)  # an error about this file says more than one about its project
        return self._in_file(file, self.place.path or [_around(file)], written)

    def _at_revision(self, at: Revision, written: str) -> PlannedSide:
        path = PurePosixPath(at.path(written))
        folders = [at.path(str(each)) for each in self.place.path or ()] or [str(_around(path))]
        shown = f"{at.name}:{path}"
        with at.checked_out([*folders, str(path)]) as home:
            if not (home / path).is_file():
                raise InputError("the plan does not exist at this revision", place=shown)
            try:
                side = self._in_file(home / path, [home / each for each in folders], shown)
                return PlannedSide(_over_indexes_here(side.project, home, at.top), side.context)
            except ContextError as error:
                # Nobody knows the temporary folder that the files were in.
                said = str(error).replace(f"{home}{os.sep}", f"{at.name}:")
                raise ContextError(said) from None

    def _in_file(self, file: Path, folders: Sequence[Path], shown: str) -> PlannedSide:
        found = read_project(*folders, file, also=self.also)
        project = found.project
        names = _declared_in(project, file)
        usable = [each for each in names if self.context in (None, each)]
        own = any(os.path.realpath(each.file) == os.path.realpath(file) for each in found.problems)
        if own or (found.problems and not usable):
            raise found.error()
        if not names:
            raise InputError("this file declares no context", place=shown)
        if self.context is None and len(names) > 1:
            fix = "Pass --context NAME."
            raise InputError(
                "this file declares several contexts", place=shown, valid=names, fix=fix
            )
        name = self.context or names[0]
        if name not in names:
            problem = "this file does not declare this context"
            raise InputError(problem, place=shown, found=name, valid=names)
        return PlannedSide(project, project.contexts[name])


def _over_indexes_here(project: Project, home: Path, top: Path) -> Project:
    """The project with its corpora where they are now: a commit has plans, but no indexes."""
    corpora = {
        name: corpus.model_copy(update={"config": _moved(corpus.config, home, top)})
        for name, corpus in project.corpora.items()
    }
    return replace(project, corpora=corpora)


def _moved(config: Mapping[str, Any], home: Path, top: Path) -> dict[str, Any]:
    moved = {
        setting: str(top / Path(path).relative_to(home))
        for setting in ("root", "store")
        if isinstance(path := config.get(setting), str) and Path(path).is_relative_to(home)
    }
    return {**config, **moved}


def _around(file: P) -> P:
    """The project around a file: the nearest folder of contexts, else the folder it is in."""
    around = (folder for folder in file.parents if folder.name == _FOLDER)
    return next(around, file.parent)


def _declared_in(project: Project, file: Path) -> list[str]:
    real = os.path.realpath(file)
    return [
        name
        for (kind, name), source in project.sources.items()
        if kind == "context" and os.path.realpath(source.file) == real
    ]
