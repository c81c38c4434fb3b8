"""Single conditions on a document, typed; each store compiles them to a query."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple, TypeAlias

from biblicus_context.base.doors import door
from biblicus_context.base.metadata_values import Bound, Scalar


@door
@dataclass(frozen=True, slots=True)
class TimeRange:
    """From `since` on and before `before`; either may be None."""

    since: datetime | None = None
    before: datetime | None = None
    within: timedelta | None = None
    """Since so long before the time of the search; `Filters.resolved` makes it a `since`."""

    def resolved(self, now: datetime) -> TimeRange:
        """The same range with fixed ends."""
        return self if self.within is None else TimeRange(now - self.within, self.before)


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

How: TypeAlias = Literal[
    "one_of",
    "none_of",
    "tags_any",
    "tags_all",
    "globs",
    "absent",
    "valid_at",
    "times",
    "at_least",
]
"""How a filter compares a field of a document; every store knows each."""


class Comparison(NamedTuple):
    """What a filter asks of a document."""

    how: How
    field: str
    """Of the document."""
    value: Any
