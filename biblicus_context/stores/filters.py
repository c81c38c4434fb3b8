"""Conditions on the document of a block, typed; each store compiles them to a query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

Scalar: TypeAlias = str | int | float | bool | None
Bound: TypeAlias = str | int | float | None


@dataclass(frozen=True, slots=True)
class TimeRange:
    """From `since` on and before `before`; either may be None."""

    since: datetime | None = None
    before: datetime | None = None


@dataclass(frozen=True, slots=True)
class Equals:
    """A metadata value, or one of a list of values, equals this one; None matches null and missing."""

    key: str
    value: Scalar


@dataclass(frozen=True, slots=True)
class OneOf:
    """A metadata value, or one of a list of values, is among these."""

    key: str
    values: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Between:
    """A metadata value is from `low` to `high`, both of its own type; either may be None."""

    key: str
    low: Bound = None
    high: Bound = None


Condition: TypeAlias = Equals | OneOf | Between


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions that must all hold; without any, every document matches.

    A document without a time, a confidence or an importance matches no condition on it.
    """

    kinds: frozenset[str] = frozenset()
    """One of these kinds."""
    tags_any: frozenset[str] = frozenset()
    tags_all: frozenset[str] = frozenset()
    paths: tuple[str, ...] = ()
    """One of these globs: `*` and `?` stay inside a folder, `**` does not."""
    created: TimeRange | None = None
    updated: TimeRange | None = None
    accessed: TimeRange | None = None
    min_confidence: float | None = None
    min_importance: float | None = None
    conversations: frozenset[str] = frozenset()
    """One of these conversations."""
    documents: frozenset[str] = frozenset()
    """One of these documents, by id."""
    metadata: tuple[Condition, ...] = ()

    @classmethod
    def parse(cls, settings: Mapping[str, object], *, place: str = "filters") -> Filters:
        """Filters from the settings of an author; a mistake raises InputError.

        >>> Filters.parse({"kind": "note", "metadata": {"year": {"from": 2024}}}).metadata
        (Between(key='year', low=2024, high=None),)
        """
        from biblicus_context.stores.filter_settings import parsed  # noqa: PLC0415 - it builds these

        return parsed(settings, place)


NO_FILTERS = Filters()
