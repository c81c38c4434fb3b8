"""Why the settings of a retriever are invalid, as the engine raises it and the linter reports it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError

from biblicus_context.base.validation import (
    InvalidValue,
    invalid_values,
    is_branch,
    valid_keys,
)
from biblicus_context.errors import ContextError, PlanError, nearest
from biblicus_context.spec.base import Spec


class SettingsProblem(NamedTuple):
    """Why settings are invalid."""

    path: tuple[str | int, ...]
    """The setting it is about."""
    problem: str
    found: Any = None
    valid: tuple[str, ...] = ()
    fix: str | None = None

    def error(self, place: str, kind: type[ContextError] = PlanError) -> ContextError:
        """The same as an exception."""
        return kind(self.problem, place=place, found=self.found, valid=self.valid, fix=self.fix)

    def below(self, *path: str | int) -> SettingsProblem:
        """The same problem in settings that are at a path of others."""
        return self._replace(path=(*path, *self.path))


def refused(setting: str, value: Any, build: Callable[[Any], object]) -> Iterator[SettingsProblem]:
    """The problem that building a setting raises."""
    try:
        build(value)
    except ContextError as error:
        yield problem_of(setting, error)


def refused_entries(
    setting: str, value: Any, build: Callable[[Any], object]
) -> Iterator[SettingsProblem]:
    """The problem of each entry of a mapping whose entries do not depend on each other."""
    if not isinstance(value, Mapping) or not value:
        yield from refused(setting, value, build)
        return
    for key, entry in value.items():
        for problem in refused(setting, {key: entry}, build):
            yield problem._replace(path=(setting, key))


def problem_of(setting: str, error: ContextError) -> SettingsProblem:
    """An error about a setting as a value."""
    where = f"{error.place}: " if error.place and error.place != setting else ""
    return SettingsProblem(
        (setting,), f"{where}{error.problem}", error.found, error.valid, error.fix
    )


def all_problems(error: ValidationError, settings: type[Spec]) -> list[SettingsProblem]:
    """A misspelt setting comes first; the required one that its author meant is not reported as missing."""
    ordered = sorted(invalid_values(error), key=lambda each: not each.is_unknown_key)
    found = [(each, _problem(each, settings)) for each in ordered]
    meant = [
        (*each.path[:-1], nearest(str(each.path[-1]), each.valid))
        for invalid, each in found
        if invalid.is_unknown_key
    ]
    return [each for invalid, each in found if not (invalid.is_missing and each.path in meant)]


def _problem(invalid: InvalidValue, settings: type[Spec]) -> SettingsProblem:
    top, below = invalid.path[:1], invalid.path[1:]
    path = (*top, *(step for step in below if not is_branch(step)))
    setting = ".".join(map(str, path))
    if invalid.is_unknown_key:
        above, valid = ".".join(map(str, path[:-1])), valid_keys(settings, invalid.path[:-1])
        problem = f"unknown setting of {above}" if above else "unknown setting"
        return SettingsProblem(path, problem, str(path[-1]), valid)
    if invalid.is_missing:
        return SettingsProblem(path, f"the setting '{setting}' is missing")
    if not path:  # it is about several settings
        return SettingsProblem(path, invalid.problem)
    if cause := invalid.cause:
        problem = f"{setting}: {cause.problem}"
        return SettingsProblem(path, problem, cause.found, cause.valid, cause.fix)
    if invalid.is_no_mapping:
        valid = valid_keys(settings, invalid.path)
        return SettingsProblem(path, f"{setting}: a mapping is expected", invalid.value, valid)
    return SettingsProblem(path, f"{setting}: {invalid.problem}", invalid.value)
