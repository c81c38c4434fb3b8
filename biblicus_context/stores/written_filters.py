"""Filters as an author wrote them, in the form that stores take."""

from __future__ import annotations

from collections.abc import Mapping

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
from biblicus_context.stores.filters import Filters


def parsed(settings: Mapping[str, object], place: str) -> Filters:
    """Filters from settings; a mistake raises InputError."""
    try:
        return filters_of(FilterSpec.model_validate(settings))
    except ValidationError as error:
        raise input_error(error, FilterSpec, place=place) from None


def filters_of(spec: FilterSpec) -> Filters:
    """The filters that an author wrote."""
    return Filters(
        kinds=frozenset(spec.kind),
        tags_any=frozenset(spec.tags.any),
        tags_all=frozenset(spec.tags.all),
        paths=spec.path,
        created=_times(spec.created),
        updated=_times(spec.updated),
        accessed=_times(spec.accessed),
        min_confidence=spec.min_confidence,
        min_importance=spec.min_importance,
        conversations=frozenset(spec.conversation),
        documents=frozenset(spec.document),
        excluded=frozenset(spec.exclude_documents),
        parents=frozenset(spec.parent),
        current=not spec.superseded,
        metadata=_conditions(spec.metadata),
        block_metadata=_conditions(spec.block_metadata),
    )


def _times(spec: TimeRangeSpec | None) -> TimeRange | None:
    return None if spec is None else TimeRange(spec.since, spec.end, spec.within)


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
