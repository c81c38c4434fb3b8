"""Filters as an author wrote them, in the form that stores take."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from typing import Any

from pydantic import ValidationError

from biblicus_context.base.validation import input_error
from biblicus_context.spec.filters import (
    BetweenSpec,
    ConditionSpec,
    FilterSpec,
    OneOfSpec,
    TimeRangeSpec,
)
from biblicus_context.stores.filter_conditions import Between, Condition, Equals, OneOf, TimeRange
from biblicus_context.stores.filters import NO_FILTERS, WRITTEN, Filters


def parsed(settings: Mapping[str, object], place: str) -> Filters:
    """Filters from settings; a mistake raises InputError."""
    try:
        return filters_of(FilterSpec.model_validate(settings))
    except ValidationError as error:
        raise input_error(error, FilterSpec, place=place) from None


def filters_of(spec: FilterSpec) -> Filters:
    """The filters that an author wrote."""
    taken = {name: _stored(name, attrgetter(key)(spec)) for name, key in WRITTEN.items()}
    return Filters(
        current=not spec.superseded,
        metadata=_conditions(spec.metadata),
        block_metadata=_conditions(spec.block_metadata),
        **taken,
    )


def _stored(name: str, written: Any) -> Any:
    """A value in the type that its filter has."""
    if isinstance(written, TimeRangeSpec):
        return TimeRange(written.since, written.end, written.within)
    usual = getattr(NO_FILTERS, name)
    return type(usual)(written) if isinstance(written, tuple) else written


def _conditions(written: Mapping[str, ConditionSpec]) -> tuple[Condition, ...]:
    return tuple(_condition(key, each) for key, each in written.items())


def _condition(key: str, written: ConditionSpec) -> Condition:
    match written:
        case OneOfSpec():
            return OneOf(key, written.among)
        case BetweenSpec():
            return Between(key, written.low, written.high)
        case value:
            return Equals(key, value)
