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
    """From a time on, and up to but without another; either may be left open."""

    since: datetime | None = None
    before: datetime | None = None


@dataclass(frozen=True, slots=True)
class Equals:
    """A metadata value, or one of a list of values, is this one; None: it is null or missing."""

    key: str
    value: Scalar


@dataclass(frozen=True, slots=True)
class OneOf:
    """A metadata value, or one of a list of values, is among these."""

    key: str
    values: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Between:
    """A metadata value lies between two of its own type, both included; either may be left open."""

    key: str
    low: Bound = None
    high: Bound = None


Condition: TypeAlias = Equals | OneOf | Between


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions that all have to hold; with none, every document meets them.

    A document without a time, a confidence or an importance meets no condition on it.
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
        """What an author wrote, typed; an InputError names what is invalid.

        >>> Filters.parse({"kind": "note", "metadata": {"year": {"from": 2024}}}).metadata
        (Between(key='year', low=2024, high=None),)
        """
        from biblicus_context.stores.filter_settings import parsed  # noqa: PLC0415 - it builds these

        return parsed(settings, place)


NO_FILTERS = Filters()
