"""Settings of declared retrievers that a program changes: a plan is not copied for one number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard, TypeVar

from biblicus_context.errors import InputError
from biblicus_context.spec.retriever import RetrieverDeclaration

D = TypeVar("D")

_SOURCES = "of"


def with_settings(
    retrievers: Mapping[str, D], changes: Mapping[str, Mapping[str, Any]] | None
) -> dict[str, D | RetrieverDeclaration]:
    """The retrievers with these settings, by name; mappings are merged key by key.

    Settings of another `type` replace those that are declared: they have other keys.

    Under `of`, settings are by the name of a source of a combined retriever.
    """
    changed: dict[str, D | RetrieverDeclaration] = {**retrievers}
    for name, settings in (changes or {}).items():
        declared = retrievers.get(name)
        place = "retriever_settings"
        if not isinstance(declared, RetrieverDeclaration):
            problem = "no retriever of this name is declared"
            raise InputError(problem, place=place, found=name, valid=[*retrievers])
        if not isinstance(settings, Mapping):
            problem = "settings are a mapping"
            raise InputError(problem, place=f"{place}['{name}']", found=type(settings).__name__)
        config = _merged(declared.config, settings, f"{place}['{name}']")
        changed[name] = declared.model_copy(update={"config": config})
    return changed


def _merged(settings: Mapping[str, Any], changes: Mapping[str, Any], place: str) -> dict[str, Any]:
    merged = dict(settings)
    for key, change in changes.items():
        before = settings.get(key)
        if key == _SOURCES and isinstance(before, list | tuple) and isinstance(change, Mapping):
            merged[key] = _sources(before, change, f"{place}.{key}")
        elif isinstance(before, Mapping) and _is_of_its_type(change, before):
            merged[key] = _merged(before, change, f"{place}.{key}")
        else:
            merged[key] = change
    return merged


def _is_of_its_type(change: object, before: Mapping[str, Any]) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(change, Mapping) and change.get("type") in (None, before.get("type"))


def _sources(declared: Iterable[Any], changes: Mapping[str, Any], place: str) -> list[Any]:
    """The sources of a combined retriever; one that is a name becomes a mapping to hold settings."""
    sources = {_name_of(each): each for each in declared}
    for name, change in changes.items():
        if name not in sources:
            raise InputError("no source has this name", place=place, found=name, valid=[*sources])
        source = sources[name]
        known = source if isinstance(source, Mapping) else {"name": name}
        sources[name] = _merged(known, change, f"{place}.{name}")
    return [*sources.values()]


def _name_of(source: Any) -> str:
    known = source if isinstance(source, Mapping) else {"name": source}
    return str(known.get("name", known.get("retriever_id")))
