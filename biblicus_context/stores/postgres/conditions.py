"""Filters become one SQL condition on `document d` and `block b`.

Globs are not among it: no expression of Postgres means exactly what they mean, so paths are compared here.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any, Final

from biblicus_context.base.checked_names import name_problem
from biblicus_context.base.surrogates import replaced
from biblicus_context.stores.filter_conditions import (
    Between,
    Comparison,
    Condition,
    Equals,
    OneOf,
    TimeRange,
)
from biblicus_context.stores.filters import Filters
from biblicus_context.stores.moments import microseconds
from biblicus_context.stores.postgres.sql import kept, keys_of
from biblicus_context.stores.sql import Sql, all_of

# True differs from 1, but 1 equals 1.0; of a list of values, one must be among these. A missing key is null.
_ONE_OF: Final = (
    "CASE coalesce(jsonb_typeof({0} -> %s), 'null') WHEN 'object' THEN false WHEN 'null' THEN %s"
    " WHEN 'array' THEN EXISTS (SELECT FROM jsonb_array_elements({0} -> %s) m"
    " WHERE m = ANY (%s::jsonb[])) ELSE {0} -> %s = ANY (%s::jsonb[]) END"
)
_BETWEEN: Final = (
    "CASE jsonb_typeof({0} -> %s) WHEN 'object' THEN false WHEN 'array' THEN EXISTS"
    " (SELECT FROM jsonb_array_elements({0} -> %s) m WHERE {1}) ELSE (SELECT {1} FROM"
    " (VALUES ({0} -> %s)) v (m)) END"
)
_NUMBER: Final = (
    "CASE WHEN jsonb_typeof(m) = 'number' THEN (m #>> '{}')::numeric >= coalesce(%s::numeric, '-infinity')"
    " AND (m #>> '{}')::numeric <= coalesce(%s::numeric, 'infinity') ELSE false END"
)
_TEXT: Final = (
    "CASE WHEN jsonb_typeof(m) = 'string' THEN (%s::text IS NULL OR (m #>> '{}') COLLATE \"C\" >= %s::text)"
    " AND (%s::text IS NULL OR (m #>> '{}') COLLATE \"C\" <= %s::text) ELSE false END"
)
_VALID: Final = (
    "(d.valid_from IS NULL OR d.valid_from <= %s) AND (d.valid_to IS NULL OR d.valid_to > %s)"
)

_COLUMNS: Final = {
    "conversation": "d.conversation_key",
    "id": "d.id_key",
    "parent": "d.parent_key",
    "superseded_by": "d.superseded_key",
}
"""Where a field is a key of an id; the others are columns of their own name."""


def condition(filters: Filters) -> Sql:
    """The condition on a document, but for its path."""
    return all_of(*_columns(filters), *(_metadata("d.facts", each) for each in filters.metadata))


def block_condition(filters: Filters) -> Sql:
    """The condition on a block; always true if the filters have none on blocks."""
    return all_of(*(_metadata("b.facts", each) for each in filters.block_metadata))


def listed_condition(filters: Filters) -> Sql:
    """The condition on a document that has a block which meets the filters."""
    if not filters.block_metadata:
        return condition(filters)
    own = block_condition(filters)
    some = "EXISTS (SELECT FROM block b WHERE b.ws = d.ws AND b.document = d.row AND"
    return all_of(condition(filters), Sql(f"{some} {own.text})", own.values))


def _columns(filters: Filters) -> Iterator[Sql]:
    for asked in filters.comparisons():
        yield from _column(asked)


def _column(asked: Comparison) -> Iterator[Sql]:
    column, value = _COLUMNS.get(asked.field, f"d.{asked.field}"), asked.value
    match asked.how:
        case "one_of":
            yield Sql(f"{column} = ANY (%s)", (_named(asked.field, value),))
        case "none_of":
            yield Sql(f"{column} <> ALL (%s)", (_named(asked.field, value),))
        case "tags_any":
            yield Sql(f"{column} && %s::text[]", (_names(value),))
        case "tags_all":
            yield Sql(f"{column} @> %s::text[]", (_names(value),))
        case "globs":
            yield Sql(f"{column} IS NOT NULL")
        case "absent":
            yield Sql(f"{column} IS NULL")
        case "valid_at":
            yield Sql(_VALID, (microseconds(value),) * 2)
        case "times":
            yield from _between(column, value)
        case "at_least":
            yield Sql(f"{column} >= %s", (float(value),))


def _named(field: str, values: Collection[str]) -> object:
    """Names as their column has them: ids as keys."""
    return keys_of(_names(values)) if field in _COLUMNS else _names(values)


def _names(values: Collection[str]) -> list[str]:
    return sorted(map(_storable, values))


def _storable(name: str) -> str:
    """A filter may name what no document can have: then it is an empty name, which none has either."""
    return name if name_problem(name) is None else ""


def _between(column: str, times: TimeRange) -> Iterator[Sql]:
    if times.since is not None:
        yield Sql(f"{column} >= %s", (microseconds(times.since),))
    if times.before is not None:
        yield Sql(f"{column} < %s", (microseconds(times.before),))


def _metadata(column: str, one: Condition) -> Sql:
    match one:
        case Equals():
            return _one_of(column, one.key, (one.value,))
        case OneOf():
            return _one_of(column, one.key, one.values)
    return _range(column, one)


def _one_of(column: str, key: str, values: tuple[Any, ...]) -> Sql:
    listed = [_json(each) for each in values if each is not None]
    bound = (key, None in values, key, listed, key, listed)
    return Sql(_ONE_OF.format(column), bound)


def _json(value: object) -> str:
    return json.dumps(_comparable(value), ensure_ascii=False)


def _comparable(value: object) -> object:
    """Text as `facts` has it; with half of a surrogate pair it is like none of these."""
    if not isinstance(value, str):
        return value
    return kept(value) if replaced(value) == value else f"\x10{replaced(value)}"


def _range(column: str, one: Between) -> Sql:
    low, high = (
        kept(replaced(each)) if isinstance(each, str) else each for each in (one.low, one.high)
    )
    bound: tuple[object, ...] = (low, low, high, high)
    inner = _TEXT
    if not isinstance(low, str) and not isinstance(high, str):
        inner, bound = _NUMBER, tuple(None if each is None else repr(each) for each in (low, high))
    text = _BETWEEN.replace("{0}", column).replace("{1}", inner)
    return Sql(text, (one.key, one.key, *bound, *bound, one.key))
