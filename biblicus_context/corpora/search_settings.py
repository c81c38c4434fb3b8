"""The settings of a retriever, typed at the door."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from biblicus_context.base.validation import InvalidValue, invalid_values
from biblicus_context.corpora.parts import Parts, RetrieverKind
from biblicus_context.errors import ContextError, PlanError
from biblicus_context.retrieval.rank import Ranks
from biblicus_context.retrieval.requests.templates import has_placeholders
from biblicus_context.spec.retriever_settings import SearchSpec
from biblicus_context.stores import Filters

_ELSEWHERE = (
    "A retriever of another library is handed in from Python under this name; on the command line "
    "its answers are recorded with --packs."
)
_TAGS: Final = {"switch", "settings", "name"}
"""Steps of pydantic's paths that tell shapes apart and that no author writes."""


class Problem(NamedTuple):
    """Why settings cannot be meant."""

    path: tuple[str, ...]
    """The setting it is about."""
    problem: str
    found: Any = None
    valid: tuple[str, ...] = ()
    fix: str | None = None

    def error(self, place: str) -> PlanError:
        """The error that says so."""
        return PlanError(
            self.problem, place=place, found=self.found, valid=self.valid, fix=self.fix
        )


def retriever_spec(
    config: Mapping[str, Any], parts: Parts, *, place: str
) -> tuple[SearchSpec, RetrieverKind]:
    """The typed settings of a retriever, and what ranks by them."""
    name = config.get("retriever_id", parts.retrievers.default)
    kind = parts.kind(name)
    if kind is None:
        raise _unknown_retriever(name, parts).error(place)
    try:
        return kind.settings.model_validate({**config, "retriever_id": name}), kind
    except ValidationError as error:
        raise _told(error, kind.settings)[0].error(place) from None


def problems(config: Mapping[str, Any], parts: Parts) -> Iterator[Problem]:
    """Everything that is wrong with the settings of a retriever, as far as one can see unasked."""
    name = config.get("retriever_id", parts.retrievers.default)
    try:
        kind = parts.kind(name)
    except ContextError as error:
        yield _told_elsewhere("retriever_id", error)
        return
    if kind is None:
        yield _unknown_retriever(name, parts)
        return
    try:
        kind.settings.model_validate({**config, "retriever_id": name})
    except ValidationError as error:
        yield from _told(error, kind.settings)
    for setting, build in _builders(parts).items():
        if setting in config and not has_placeholders(config[setting]):
            yield from _refused(setting, config[setting], build)


def _builders(parts: Parts) -> Mapping[str, Callable[[Any], object]]:
    """What else is made of settings that the models leave open."""
    return {
        "rank": Ranks(parts.rank).build,
        "fusion": parts.fusion.build,
        "select": parts.select.build,
        "filters": Filters.parse,
    }


def _refused(setting: str, value: Any, build: Callable[[Any], object]) -> Iterator[Problem]:
    try:
        build(value)
    except ContextError as error:
        yield _told_elsewhere(setting, error)


def _told_elsewhere(setting: str, error: ContextError) -> Problem:
    where = f"{error.place}: " if error.place and error.place != setting else ""
    return Problem((setting,), f"{where}{error.problem}", error.found, error.valid, error.fix)


def _unknown_retriever(name: Any, parts: Parts) -> Problem:
    valid = parts.retrievers.names
    return Problem(("retriever_id",), "unknown retriever_id", name, valid, _ELSEWHERE)


def _told(error: ValidationError, settings: type[SearchSpec]) -> list[Problem]:
    """A setting that is misspelt stands first: it explains why another one is missing."""
    ordered = sorted(invalid_values(error), key=lambda each: not each.is_unknown_key)
    return [_problem(each, settings) for each in ordered]


def _problem(invalid: InvalidValue, settings: type[SearchSpec]) -> Problem:
    top, below = invalid.path[:1], invalid.path[1:]
    path = tuple(map(str, (*top, *(step for step in below if step not in _TAGS))))
    setting = ".".join(path)
    match invalid.reason:
        case "extra_forbidden":
            valid = settings.setting_names() if len(path) == 1 else ()
            return Problem(path, "unknown setting", setting, tuple(valid))
        case "missing":
            return Problem(path, f"the setting '{setting}' is missing")
        case _:
            if not path:  # it is about several settings
                return Problem(path, invalid.problem)
            return Problem(path, f"{setting}: {invalid.problem}", invalid.value)
