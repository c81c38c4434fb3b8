"""Filters that a caller made in Python, checked once at the door."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from biblicus_context.errors import InputError
from biblicus_context.stores import checks
from biblicus_context.stores.filters import Condition, Equals, Filters, OneOf, TimeRange

METADATA_KEY: Final = re.compile(r"[^\W\d][\w.-]{0,63}")
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
    checks.optional_number(filters.min_confidence, "filters.min_confidence")
    checks.optional_number(filters.min_importance, "filters.min_importance")
    for condition in filters.metadata:
        _condition(condition)
    return filters


def metadata_key(key: object, place: str) -> str:
    """A key that a condition may name."""
    if not isinstance(key, str) or not METADATA_KEY.fullmatch(key):
        fix = "A key starts with a letter or '_'; digits, '.' and '-' may follow."
        raise InputError("not a valid key of metadata", place=place, found=key, fix=fix)
    return key


def scalar(value: object, place: str) -> str | int | float | bool | None:
    """A value that can be compared with metadata."""
    if isinstance(value, float):
        return checks.number(value, place)
    if value is None or isinstance(value, str | int):
        return value
    raise InputError("text, a number, true, false or null is expected", place=place, found=value)


def _names(filters: Filters) -> dict[str, Iterable[str]]:
    return {
        "kinds": filters.kinds,
        "tags_any": filters.tags_any,
        "tags_all": filters.tags_all,
        "paths": filters.paths,
        "conversations": filters.conversations,
        "documents": filters.documents,
    }


def _times(filters: Filters) -> dict[str, TimeRange | None]:
    return {
        "created": filters.created,
        "updated": filters.updated,
        "accessed": filters.accessed,
    }


def _condition(condition: Condition) -> None:
    key = metadata_key(condition.key, "filters.metadata")
    for value in _values(condition):
        scalar(value, f"filters.metadata.{key}")


def _values(condition: Condition) -> Iterable[object]:
    match condition:
        case Equals():
            return (condition.value,)
        case OneOf():
            return condition.values
    return condition.low, condition.high
