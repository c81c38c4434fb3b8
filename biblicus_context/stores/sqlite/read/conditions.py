"""Filters become one SQL condition; values from outside are only ever bound, never part of the text."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Final

from biblicus_context.stores.filter_conditions import (
    Between,
    Comparison,
    Condition,
    Equals,
    OneOf,
    TimeRange,
)
from biblicus_context.stores.filters import NO_FILTERS, Filters
from biblicus_context.stores.moments import microseconds
from biblicus_context.stores.sql import Sql, all_of
from biblicus_context.stores.sqlite.read.reading import among, none_of

_ANY_TAG: Final = (
    "EXISTS (SELECT 1 FROM tags t WHERE t.document = d.row"
    " AND t.tag IN (SELECT value FROM json_each(?)))"
)
_ALL_TAGS: Final = (
    "NOT EXISTS (SELECT 1 FROM json_each(?) w WHERE w.value NOT IN"
    " (SELECT t.tag FROM tags t WHERE t.document = d.row))"
)
# True differs from 1, but 1 equals 1.0; of a list of values, one must be among these.
_ONE_OF: Final = (
    "coalesce(json_type({0}, ?), '') <> 'object' AND EXISTS"
    " (SELECT 1 FROM json_each({0}, ?) m WHERE (m.type IN ('true', 'false'), m.atom) IN"
    " (SELECT w.type IN ('true', 'false'), w.atom FROM json_each(?) w))"
)
_VALID: Final = (
    "(d.valid_from IS NULL OR d.valid_from <= ?) AND (d.valid_to IS NULL OR d.valid_to > ?)"
)
_NULL: Final = "coalesce(json_type({0}, ?), 'null') = 'null'"
_BETWEEN: Final = (
    "coalesce(json_type({0}, ?), '') <> 'object' AND EXISTS"
    " (SELECT 1 FROM json_each({0}, ?) m, json_each(?) low, json_each(?) high"
    " WHERE iif(m.type IN ('integer', 'real'), 'number', m.type) = ?"
    " AND m.atom >= coalesce(low.atom, m.atom) AND m.atom <= coalesce(high.atom, m.atom))"
)

_SOME_BLOCK: Final = (
    "EXISTS (SELECT 1 FROM blocks b JOIN texts x ON x.block = b.row"
    " WHERE b.document = d.row AND {0})"
)

_NONE: Final = (all_of(), all_of())


def condition(filters: Filters) -> Sql:
    """The condition on a row of `documents d`."""
    return all_of(*_columns(filters), *(_metadata("d.metadata", each) for each in filters.metadata))


def block_condition(filters: Filters) -> Sql:
    """The condition on a row of `texts x`; always true if the filters have none on blocks."""
    return all_of(*(_metadata("x.metadata", each) for each in filters.block_metadata))


def conditions(filters: Filters) -> tuple[Sql, Sql]:
    """Both conditions: equal for filters that mean the same, and for no others (True equals 1)."""
    if filters is NO_FILTERS:  # most are; asked for a dozen times by every search
        return _NONE
    return condition(filters), block_condition(filters)


def listed_condition(filters: Filters) -> Sql:
    """The condition on a document that has a block which meets the filters."""
    if not filters.block_metadata:
        return condition(filters)
    own = block_condition(filters)
    return all_of(condition(filters), Sql(_SOME_BLOCK.format(own.text), own.values))


def _columns(filters: Filters) -> Iterator[Sql]:
    for asked in filters.comparisons():
        yield from _column(asked)


def _column(asked: Comparison) -> Iterator[Sql]:
    column, value = f"d.{asked.field}", asked.value
    match asked.how:
        case "one_of":
            yield _conversation(value) if asked.field == "conversation" else _among(column, value)
        case "none_of":
            yield none_of(column, sorted(value))
        case "tags_any":
            yield _listed(_ANY_TAG, value)
        case "tags_all":
            yield _listed(_ALL_TAGS, value)
        case "globs":
            yield _listed(f"path_matches({column}, ?)", value)
        case "absent":
            yield Sql(f"{column} IS NULL")
        case "valid_at":
            yield Sql(_VALID, (microseconds(value),) * 2)
        case "times":
            yield from _between(column, value)
        case "at_least":
            yield Sql(f"{column} >= ?", (value,))


def _conversation(names: Collection[str]) -> Sql:
    """One conversation is compared directly: only then does its index give documents by time."""
    if len(names) == 1:
        # As JSON, like every list of names: half a surrogate cannot be bound as a text.
        return Sql("d.conversation = json_extract(?, '$[0]')", (json.dumps([*names]),))
    return _among("d.conversation", names)


def _among(column: str, values: Collection[str]) -> Sql:
    return among(column, sorted(values))


def _listed(text: str, values: Collection[str]) -> Sql:
    return Sql(text, (json.dumps(sorted(values)),))


def _between(column: str, times: TimeRange) -> Iterator[Sql]:
    if times.since is not None:
        yield Sql(f"{column} >= ?", (microseconds(times.since),))
    if times.before is not None:
        yield Sql(f"{column} < ?", (microseconds(times.before),))


def _metadata(column: str, one: Condition) -> Sql:
    path = f'$."{one.key}"'
    match one:
        case Equals():
            return _one_of(column, path, (one.value,))
        case OneOf():
            return _one_of(column, path, one.values)
    return _range(column, path, one)


def _one_of(column: str, path: str, values: tuple[object, ...]) -> Sql:
    listed = json.dumps([each for each in values if each is not None])
    among = Sql(_ONE_OF.format(column), (path, path, listed))
    if None not in values:
        return among
    return Sql(f"({among.text} OR {_NULL.format(column)})", (*among.values, path))


def _range(column: str, path: str, one: Between) -> Sql:
    texts = isinstance(one.low, str) or isinstance(one.high, str)
    bounds = (json.dumps([one.low]), json.dumps([one.high]))
    return Sql(_BETWEEN.format(column), (path, path, *bounds, "text" if texts else "number"))
