"""What an author may write under `filters`: conditions on documents that must all hold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sized
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Final, Self, TypeAlias

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from biblicus_context.base.checked_names import name_problem
from biblicus_context.base.durations import HOW, duration
from biblicus_context.base.metadata_values import Bound, Scalar, metadata_key, scalar
from biblicus_context.errors import InputError
from biblicus_context.spec.base import StrictSpec, table

MOST_VALUES: Final = 1000
"""Values that one filter may list."""

_SMALLEST: Final = timedelta(microseconds=1)
_ISO: Final = "Write it as 2024-12-31 or 2024-12-31T23:59:00+01:00."


def _few(values: Sized) -> None:
    if not 0 < len(values) <= MOST_VALUES:
        raise InputError(f"1 to {MOST_VALUES:,} values are expected", found=len(values))


def _names(value: object) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list | tuple | set | frozenset):
        raise InputError("a name or a list of names is expected", found=value)
    _few(listed)
    for each in listed:
        if problem := name_problem(each):
            raise InputError(problem, found=each)
    return tuple(listed)


FilterNames = Annotated[tuple[str, ...], BeforeValidator(_names)]
"""One name, or a list of names."""


def _switch(value: object) -> object:
    if not isinstance(value, bool):
        raise InputError("true or false is expected", found=value)
    return value


def _least(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError("a finite number is expected", found=value)
    if not 0 <= value <= 1:
        raise InputError("a number from 0 to 1 is expected", found=value)
    return value


_Least = Annotated[Annotated[float, Field(ge=0, le=1)] | None, BeforeValidator(_least)]


def _mapping(value: object) -> object:
    """A filter without a value restricts nothing, and its author does not mean that."""
    if value is None:
        raise InputError("a mapping is expected", found=value)
    return value


def _moment(value: object) -> datetime | None:
    """A time; without a zone it is in UTC, and a day starts at midnight."""
    found = value
    if isinstance(found, str):
        with suppress(ValueError):
            found = datetime.fromisoformat(found)
    if isinstance(found, date) and not isinstance(found, datetime):
        found = datetime.combine(found, time())
    if found is None or (isinstance(found, datetime) and found.utcoffset() is not None):
        return found
    if not isinstance(found, datetime):
        raise InputError("not a time", found=value, fix=_ISO)
    return found.replace(tzinfo=UTC)


_Moment = Annotated[datetime | None, BeforeValidator(_moment)]


def _span(value: object) -> object:
    found = duration(value) if isinstance(value, str) else None
    if found is None:
        raise InputError("not a duration", found=value, fix=HOW)
    return found


class TimeRangeSpec(StrictSpec):
    """A range of time: since when and until when, or how long ago at most."""

    since: _Moment = Field(
        default=None,
        alias="from",
        description="From this time on: a day, or a time with a zone; without a zone it is UTC.",
        examples=["2024-12-31", "2024-12-31T23:59:00+01:00"],
    )
    before: _Moment = Field(default=None, description="Before this time.", examples=["2025-01-01"])
    to: _Moment = Field(
        default=None, description="Up to this time, which is inside.", examples=["2024-12-31"]
    )
    within: Annotated[timedelta | None, BeforeValidator(_span)] = Field(
        default=None,
        description="Since so long before the call: a number and m, h, d or w; in place of the "
        "others.",
        examples=["72h", "30d"],
    )

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        ends = {
            key: end
            for key, end in (("from", self.since), ("before", self.before), ("to", self.to))
            if end is not None
        }
        if self.within is not None and ends:
            fix = "`within` counts back from the call: it stands alone."
            raise InputError(
                "`within` and another end of the range", found=next(iter(ends)), fix=fix
            )
        if self.since is not None and self.end is not None and self.since >= self.end:
            raise InputError(
                "this range of time is empty",
                found=[str(end) for end in ends.values()],
                fix="`from` and `to` are inside the range, and `before` is the first time after it.",
            )
        return self

    @property
    def end(self) -> datetime | None:
        """The first time after the range; None without an end, or if that is after all times."""
        ends = [] if self.before is None else [self.before]
        with suppress(OverflowError):
            ends += [] if self.to is None else [self.to + _SMALLEST]
        return min(ends, default=None)


_TimeRange = Annotated[TimeRangeSpec | None, BeforeValidator(_mapping)]


class TagsSpec(StrictSpec):
    """Tags that a document has: one of some, all of others."""

    any: FilterNames = Field(default=(), description="One of these tags.", examples=[["public"]])
    all: FilterNames = Field(default=(), description="All of these tags.")


def _tags(value: object) -> object:
    return value if isinstance(value, Mapping | TagsSpec) else {"any": _names(value)}


def _values(value: object) -> tuple[Scalar, ...]:
    if not isinstance(value, list | tuple):
        raise InputError("a list of values is expected", found=value)
    _few(value)
    return tuple(map(scalar, value))


class OneOfSpec(StrictSpec):
    """A value, or one of a list of values, is among these."""

    among: Annotated[tuple[Scalar, ...], BeforeValidator(_values)] = Field(
        alias="in", description="One of these values.", examples=[["draft", "final"]]
    )


def _bound(value: object) -> Scalar:
    if isinstance(value, bool):
        raise InputError("text or a number is expected", found=value)
    return scalar(value)


class BetweenSpec(StrictSpec):
    """A value is in a range of its own type, both ends included."""

    low: Annotated[Bound, BeforeValidator(_bound)] = Field(
        default=None, alias="from", description="This value or a higher one.", examples=[2024]
    )
    high: Annotated[Bound, BeforeValidator(_bound)] = Field(
        default=None, alias="to", description="This value or a lower one.", examples=[2025]
    )

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        low, high = self.low, self.high
        if low is None and high is None:
            raise InputError("at least one end is expected", valid=("from", "to"))
        if low is not None and high is not None:
            if isinstance(low, str) != isinstance(high, str):
                raise InputError("the two ends must have the same type", found=[low, high])
            if low > high:  # type: ignore[operator] # of one type
                raise InputError("the range ends before it begins", found=[low, high])
        return self


def _shape(value: object) -> str:
    if isinstance(value, OneOfSpec) or (isinstance(value, Mapping) and "in" in value):
        return "<in>"
    return "<range>" if isinstance(value, Mapping | BetweenSpec) else "<value>"


ConditionSpec: TypeAlias = Scalar | OneOfSpec | BetweenSpec
"""The value itself, one of several, or a range."""
_Condition = Annotated[
    Annotated[Annotated[Scalar, BeforeValidator(scalar)], Tag("<value>")]
    | Annotated[OneOfSpec, Tag("<in>")]
    | Annotated[BetweenSpec, Tag("<range>")],
    Discriminator(_shape),
]


def _keyed(value: object) -> object:
    if not isinstance(value, Mapping):
        raise InputError("a mapping is expected", found=value)
    for key in value:
        metadata_key(key)
    return value


_Conditions = Annotated[Mapping[str, _Condition], BeforeValidator(_keyed)]


class FilterSpec(StrictSpec):
    """Conditions on the documents to search, which must all hold."""

    kind: FilterNames = Field(
        default=(), description="One of these kinds of documents.", examples=["markdown"]
    )
    tags: Annotated[TagsSpec, BeforeValidator(_tags)] = Field(
        default_factory=TagsSpec,
        description="One of these tags, or {any: [...], all: [...]}.",
        examples=[["public"], {"all": ["public", "current"]}],
    )
    path: FilterNames = Field(
        default=(),
        description="One of these patterns of paths; `*` and `?` stay inside a folder, `**` does "
        "not.",
        examples=["guides/**"],
    )
    created: _TimeRange = Field(
        default=None,
        description="When the document was created.",
        examples=[{"from": "2024-01-01"}],
    )
    updated: _TimeRange = Field(
        default=None,
        description="When the document was last changed.",
        examples=[{"within": "30d"}],
    )
    accessed: _TimeRange = Field(
        default=None, description="When the document was last used.", examples=[{"within": "72h"}]
    )
    min_confidence: _Least = Field(
        default=None,
        description="Confidence of the document, from 0 to 1, at least.",
        examples=[0.5],
    )
    min_importance: _Least = Field(
        default=None,
        description="Importance of the document, from 0 to 1, at least.",
        examples=[0.5],
    )
    conversation: FilterNames = Field(default=(), description="One of these conversations.")
    document: FilterNames = Field(default=(), description="One of these documents, by id.")
    exclude_documents: FilterNames = Field(
        default=(), description="None of these documents, by id; placeholders may stay empty."
    )
    parent: FilterNames = Field(default=(), description="Part of one of these documents, by id.")
    superseded: Annotated[bool, BeforeValidator(_switch)] = Field(
        default=False, description="Include what a newer document replaces."
    )
    metadata: _Conditions = Field(
        default_factory=dict,
        description="Metadata of the document: a value, {in: [...]}, or {from: ..., to: ...}.",
        examples=[{"team": "hr", "year": {"from": 2024}}],
    )
    block_metadata: _Conditions = Field(
        default_factory=dict,
        description="Metadata of the block itself, such as the speaker of a turn.",
        examples=[{"speaker": "ann"}],
    )


FilterSettings = Annotated[FilterSpec, BeforeValidator(table)]
"""Filters as a setting; Lua's empty table counts as none."""
