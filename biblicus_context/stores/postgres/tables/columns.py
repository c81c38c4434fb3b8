"""The columns of a table, as the catalogue of its database has them: nothing else gets into a statement."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final
from uuid import UUID

from biblicus_context.base.surrogates import replaced
from biblicus_context.errors import InputError, PlanError
from biblicus_context.spec.retriever_settings import SqlColumnsSpec, SqlSpec
from biblicus_context.stores.postgres.driver import PostgresServer
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.sql import ALWAYS, Sql, all_of

_SETTINGS: Final = Sql("SELECT set_config('search_path', 'pg_catalog, public', true)")
_COLUMNS: Final = (
    "SELECT a.attname::text, format_type(coalesce(nullif(t.typbasetype, 0), a.atttypid), -1),"
    " b.typname::text, a.atttypmod FROM pg_class c"
    " JOIN pg_namespace s ON s.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid"
    " JOIN pg_type t ON t.oid = a.atttypid"
    " JOIN pg_type b ON b.oid = coalesce(nullif(t.typbasetype, 0), a.atttypid)"
    " WHERE s.nspname = %s AND c.relname = %s AND c.relkind IN ('r', 'p', 'v', 'm', 'f')"
    " AND a.attnum > 0 AND NOT a.attisdropped AND has_column_privilege(c.oid, a.attnum, 'SELECT')"
)
_EXTENSION: Final = (
    "SELECT n.nspname::text, e.extversion FROM pg_extension e"
    " JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'"
)
_LANGUAGES: Final = (
    "SELECT cfgname::text FROM pg_ts_config WHERE pg_ts_config_is_visible(oid) ORDER BY 1"
)
_TEXTS: Final = frozenset({"text", "varchar", "bpchar", "name", "citext"})
_INTEGERS: Final = {"int2": 1 << 15, "int4": 1 << 31, "int8": 1 << 63}
_OF_PGVECTOR: Final = frozenset({"vector", "halfvec"})
_ARRAYS: Final = frozenset({"_float4", "_float8", "_numeric", "bytea"})
_WHOLE: Final = re.compile(r"-?[0-9]{1,19}")


@dataclass(frozen=True, slots=True)
class TableColumns:
    """What is known of a table: its name, and the name and type of each column that a plan may use."""

    spec: SqlColumnsSpec
    table: str
    """Quoted, with its schema."""
    types: Mapping[str, str]
    """The kind of each column, by its name."""
    formats: Mapping[str, str]
    """The same as a statement writes it."""
    dimensions: int | None
    """Of the column of vectors, where its type says so."""
    schemas: tuple[str, ...]
    """Where the types of the table and of pgvector are found."""
    scans_on: bool
    """Whether pgvector goes on until enough rows of the tenant are found."""
    tenant_is: str
    language: str | None
    exact: int
    place: str

    @classmethod
    def of(cls, spec: SqlSpec, server: PostgresServer, *, place: str) -> TableColumns:
        """Read from the catalogue; a PlanError for what is not there."""
        schema, _, name = spec.table.rpartition(".")
        schema = schema or "public"
        if schema.startswith("pg_") or schema == "information_schema":
            raise PlanError("a table of the system", place=f"{place}.table", found=spec.table)
        found, extension, languages = server.read(
            _SETTINGS, Sql(_COLUMNS, (schema, name)), Sql(_EXTENSION), Sql(_LANGUAGES)
        )
        if not found:
            raise PlanError(
                "the user of the connection sees no table or view of this name",
                place=f"{place}.table",
                found=spec.table,
                fix=f"Grant it SELECT on {schema}.{name}, or write the name with its schema.",
            )
        types = {column: kind for column, _, kind, _ in found}
        columns = cls(
            spec.columns,
            table=f"{quoted(schema)}.{quoted(name)}",
            types=types,
            formats={column: format_ for column, format_, _, _ in found},
            dimensions=_dimensions(spec.columns.vector, found),
            schemas=tuple(dict.fromkeys([schema, *(each for each, _ in extension), "public"])),
            scans_on=any(_version(each) >= (0, 8) for _, each in extension),
            tenant_is=spec.tenant_is,
            language=spec.language,
            exact=spec.exact,
            place=place,
        )
        columns._require_all()
        known = [each for (each,) in languages]
        if spec.language is not None and spec.language not in known:
            raise PlanError(
                "the database has no such text search configuration",
                place=f"{place}.language",
                found=spec.language,
                valid=known,
            )
        return columns

    @property
    def has_pgvector(self) -> bool:
        """Whether the database compares vectors."""
        return self.spec.vector is not None and self.types[self.spec.vector] in _OF_PGVECTOR

    def own_rows(self, principal: Principal, filters: Mapping[str, Sequence[object]]) -> Sql | None:
        """The condition on the rows of a principal that meet filters; None if it can have none."""
        tenant = ALWAYS
        if self.spec.tenant is not None:
            own = principal.workspace if self.tenant_is == "workspace" else principal.user
            bound = None if own is None else self._as_tenant(own)
            if bound is None:
                return None
            column = self.name(self.spec.tenant)
            kind = self.formats[self.spec.tenant]
            tenant = Sql(f"{column} = %s::{kind}", (bound,))
            if self.types[self.spec.tenant] in _TEXTS:  # some collations take two names for one
                tenant = all_of(tenant, Sql(f'{column}::text = %s COLLATE "C"', (bound,)))
        return all_of(
            tenant,
            Sql(f"{self.name(self.spec.id)} IS NOT NULL"),
            Sql(f"{self.text} <> ''"),
            *(self._filter(name, values) for name, values in filters.items()),
        )

    def name(self, column: str) -> str:
        """A column of the table, quoted."""
        if column not in self.types:
            raise self._unknown(column, "columns")
        return f"t.{quoted(column)}"

    @property
    def text(self) -> str:
        return f"{self.name(self.spec.text)}::text"

    @property
    def id(self) -> str:
        return f"{self.name(self.spec.id)}::text"

    def _as_tenant(self, own: str) -> str | None:
        """A workspace or a user as a value of the column; None if it cannot be one."""
        assert self.spec.tenant is not None
        kind = self.types[self.spec.tenant]
        if kind in _INTEGERS:
            is_one = _WHOLE.fullmatch(own) and -_INTEGERS[kind] <= int(own) < _INTEGERS[kind]
            return own if is_one else None
        if kind == "uuid":
            try:
                return str(UUID(own))
            except ValueError:
                return None
        return None if "\0" in own else own

    def _filter(self, column: str, values: Sequence[object]) -> Sql:
        if column not in self.types:
            raise self._unknown(column, "filters", InputError)
        name = self.name(column)
        # As JSON, so that a number is compared with numbers and a text with texts, whatever the column is.
        listed = [json.dumps(each) for each in values if _is_comparable(each)]
        equal = Sql(f"to_jsonb({name}) = ANY (%s::jsonb[])", (listed,))
        if None not in values:
            return equal
        return Sql(f"({name} IS NULL OR {equal.text})", equal.values)

    def _require_all(self) -> None:
        spec = self.spec
        for key in ("id", "text", "tenant", "title", "time", "vector", "words"):
            column = getattr(spec, key)
            if column is not None and column not in self.types:
                raise self._unknown(column, f"columns.{key}")
        for column in spec.metadata:
            if column not in self.types:
                raise self._unknown(column, "columns.metadata")
        self._require("tenant", _TEXTS | {*_INTEGERS, "uuid"}, "a text, an integer or a uuid")
        self._require("time", frozenset({"date", "timestamp", "timestamptz"}), "a date or a time")
        self._require("words", frozenset({"tsvector"}), "a tsvector")
        of_vectors = "a vector or halfvec of pgvector, an array of numbers, or bytes of float32"
        self._require("vector", _OF_PGVECTOR | _ARRAYS, of_vectors)

    def _require(self, key: str, kinds: frozenset[str], said: str) -> None:
        column = getattr(self.spec, key)
        if column is not None and self.types[column] not in kinds:
            problem = f"the column '{column}' is of type {self.formats[column]}; {key} is {said}"
            raise PlanError(problem, place=f"{self.place}.columns.{key}")

    def _unknown(
        self, column: str, where: str, kind: type[PlanError | InputError] = PlanError
    ) -> PlanError | InputError:
        problem = "the table has no such column that the user of the connection may read"
        return kind(problem, place=f"{self.place}.{where}", found=column, valid=sorted(self.types))


def _is_comparable(value: object) -> bool:
    """Whether JSON of Postgres can have it; else no row has."""
    if isinstance(value, str):
        return "\0" not in value and replaced(value) == value
    return value is not None and not (isinstance(value, float) and not isfinite(value))


def quoted(name: str) -> str:
    """A name that the catalogue knows, as a statement has it.

    >>> quoted('a"b')
    '"a""b"'
    """
    # psycopg takes `%` for the start of a parameter.
    return '"' + name.replace('"', '""').replace("%", "%%") + '"'


def _dimensions(column: str | None, found: Sequence[Sequence[Any]]) -> int | None:
    for name, _, kind, modifier in found:
        if name == column and kind in _OF_PGVECTOR and modifier > 0:
            return int(modifier)
    return None


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(each) for each in re.findall(r"[0-9]+", text)[:2])
