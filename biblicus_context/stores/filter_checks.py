"""Filters that a caller made in Python, checked once at the door."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from biblicus_context.base.metadata_values import metadata_key, scalar
from biblicus_context.errors import InputError
from biblicus_context.stores import checks
from biblicus_context.stores.filter_conditions import Condition, Equals, OneOf, TimeRange
from biblicus_context.stores.filters import Filters

_RESOLVED: Final = "Call Filters.resolved(now) first."
_TYPED: Final = "Make them with Filters(...), or from a mapping with Filters.parse(...)."


def checked(filters: Filters) -> Filters:
    """Valid filters: every part has its type and can be bound to an SQL statement."""
    if not isinstance(filters, Filters):
        raise InputError("filters are typed", place="filters", found=filters, fix=_TYPED)
    for name, names in _names(filters).items():
        for each in names:
            checks.text(each, f"filters.{name}")
    for name, times in _times(filters).items():
        if times is not None:
            checks.optional_moment(times.since, f"filters.{name}.since")
            checks.optional_moment(times.before, f"filters.{name}.before")
            if times.within is not None:
                raise InputError("not a fixed time", place=f"filters.{name}.within", fix=_RESOLVED)
    checks.optional_moment(filters.valid_at, "filters.valid_at")
    checks.optional_number(filters.min_confidence, "filters.min_confidence")
    checks.optional_number(filters.min_importance, "filters.min_importance")
    for condition in filters.metadata:
        _condition(condition, "filters.metadata")
    for condition in filters.block_metadata:
        _condition(condition, "filters.block_metadata")
    return filters


def _names(filters: Filters) -> dict[str, Iterable[str]]:
    return {
        "kinds": filters.kinds,
        "tags_any": filters.tags_any,
        "tags_all": filters.tags_all,
        "paths": filters.paths,
        "conversations": filters.conversations,
        "documents": filters.documents,
        "excluded": filters.excluded,
        "parents": filters.parents,
        "superseded_by": filters.superseded_by,
    }


def _times(filters: Filters) -> dict[str, TimeRange | None]:
    return {
        "created": filters.created,
        "updated": filters.updated,
        "accessed": filters.accessed,
    }


def _condition(condition: Condition, place: str) -> None:
    with checks.inside(place):
        key = metadata_key(condition.key)
    with checks.inside(f"{place}.{key}"):
        for value in _values(condition):
            scalar(value)


def _values(condition: Condition) -> Iterable[object]:
    match condition:
        case Equals():
            return (condition.value,)
        case OneOf():
            return condition.values
    return condition.low, condition.high
