"""What is asked of a table: the ids that match, best first, and then the rows that are shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from biblicus_context.stores.postgres.tables.columns import TableColumns, quoted
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.sql import Sql

WINDOW: Final = 1000
"""Rows that each search ranks: a page further down continues the same ranking."""
_NEAREST: Final = 200
"""Rows that vectors find: those far down a ranking by similarity are about something else."""
_MOST_TERMS: Final = 16
_SESSION: Final = (
    "SELECT set_config('search_path', %s, true), set_config('statement_timeout', %s, true),"
    " set_config('lock_timeout', %s, true), set_config('biblicus_context.workspace', %s, true),"
    " set_config('biblicus_context.user', %s, true), set_config('biblicus_context.groups', %s::text[]::text, true)"
)
# Any word of the query: a question has many that no answer has. Quoted, as a lexeme may have any character.
_ANY_WORD: Final = (
    "(SELECT string_agg('''' || replace(replace(w, '\\', '\\\\'), '''', '''''') || '''', ' | ')::tsquery"
    " FROM unnest(tsvector_to_array(to_tsvector(%s::regconfig, %s))) w)"
)


def session(columns: TableColumns, principal: Principal, seconds: float) -> Sql:
    """The settings of one transaction; policies of the table may read who asks."""
    limit = f"{max(1, round(1000 * seconds))}ms"
    path = ", ".join(["pg_catalog", *(quoted(each).replace("%%", "%") for each in columns.schemas)])
    scans = ", set_config('hnsw.iterative_scan', 'relaxed_order', true)" if columns.scans_on else ""
    who = (principal.workspace, principal.user or "", sorted(principal.groups))
    return Sql(_SESSION + scans, (path, limit, limit, *who))


def words_found(columns: TableColumns, mine: Sql, query: str, terms: Sequence[str]) -> Sql | None:
    """The rows with words of a query; None if it has none."""
    query = query.replace("\0", " ")
    title = columns.spec.title
    said = f"coalesce({columns.name(title)}::text, '') || ' ' || " if title else ""
    said = f"{said}{columns.text}"
    if columns.language is None:
        return _parts_found(columns, mine, said, terms)
    words = columns.spec.words
    vector = columns.name(words) if words else "to_tsvector(%s::regconfig, " + said + ")"
    bound = () if words else (columns.language,)
    return Sql(
        f"SELECT {columns.id}, ts_rank_cd({vector}, q.q)::float8 FROM {columns.table} t,"
        f" (SELECT {_ANY_WORD} AS q) q WHERE {mine.text} AND {vector} @@ q.q"
        f" ORDER BY 2 DESC, 1 LIMIT {WINDOW}",
        (*bound, columns.language, query, *mine.values, *bound),
    )


def _parts_found(columns: TableColumns, mine: Sql, said: str, terms: Sequence[str]) -> Sql | None:
    """The rows that contain the most terms, also as parts of words."""
    patterns = [f"%{_literally(each)}%" for each in dict.fromkeys(terms)][:_MOST_TERMS]
    if not patterns:
        return None
    held = " + ".join([f"({said} ILIKE %s)::integer"] * len(patterns))
    return Sql(
        f"SELECT f.id, f.score::float8 FROM (SELECT {columns.id} AS id, {held} AS score"
        f" FROM {columns.table} t WHERE {mine.text}) f WHERE f.score > 0 ORDER BY 2 DESC, 1 LIMIT {WINDOW}",
        (*patterns, *mine.values),
    )


def _literally(term: str) -> str:
    for each in ("\\", "%", "_"):
        term = term.replace(each, f"\\{each}")
    return term.replace("\0", " ")


def nearest(columns: TableColumns, mine: Sql, vector: NDArray[np.float32]) -> Sql:
    """The rows whose vectors are most similar, by pgvector."""
    assert columns.spec.vector is not None
    name = columns.name(columns.spec.vector)
    given = "[" + ",".join(f"{each:.9g}" for each in vector.tolist()) + "]"
    kind = columns.formats[columns.spec.vector]
    distance = f"{name} <=> %s::{kind}"
    return Sql(
        f"SELECT f.id, f.score FROM (SELECT {columns.id} AS id, 1 - ({distance}) AS score FROM {columns.table} t"
        f" WHERE {mine.text} AND {name} IS NOT NULL ORDER BY {distance} LIMIT {_NEAREST}) f"
        " WHERE f.score > '-infinity' AND f.score <> 'NaN' ORDER BY 2 DESC, 1",
        (given, *mine.values, given),
    )


def exact_vectors(columns: TableColumns, mine: Sql) -> Sql:
    """The vectors of the newest rows, to be compared here."""
    assert columns.spec.vector is not None
    name = columns.name(columns.spec.vector)
    data = name if columns.types[columns.spec.vector] == "bytea" else f"{name}::real[]"
    newest = f"{columns.name(columns.spec.time)} DESC NULLS LAST, " if columns.spec.time else ""
    return Sql(
        f"SELECT {columns.id}, {data} FROM {columns.table} t WHERE {mine.text} AND {name} IS NOT NULL"
        f" ORDER BY {newest}1 LIMIT %s",
        (*mine.values, columns.exact),
    )


def vectors_compared(
    found: Sequence[tuple[str, Any]], vector: NDArray[np.float32]
) -> dict[str, float]:
    """The cosine of each row; those of another length, or with a number that is not finite, are left out."""
    size = len(vector)
    read = ((id_, _as_row(data)) for id_, data in found)
    kept = [(id_, row) for id_, row in read if row is not None and len(row) == size]
    if not kept:
        return {}
    rows = np.stack([row for _, row in kept])
    lengths = np.linalg.norm(rows, axis=1) * float(np.linalg.norm(vector))
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = (rows @ vector) / lengths
    sound = np.flatnonzero(np.isfinite(scores))
    best = sound[np.argsort(-scores[sound], kind="stable")][:_NEAREST]
    return {kept[row][0]: float(scores[row]) for row in best.tolist()}


def _as_row(data: Any) -> NDArray[np.float32] | None:
    if isinstance(data, bytes):
        return np.frombuffer(data, dtype="<f4") if len(data) % 4 == 0 else None
    try:
        return np.asarray(data, dtype="<f4")
    except (TypeError, ValueError):  # an array of arrays, or with nulls
        return None


def rows_shown(columns: TableColumns, mine: Sql, ids: Sequence[str]) -> Sql:
    """The rows of these ids."""
    spec = columns.spec
    title = f"coalesce({columns.name(spec.title)}::text, '')" if spec.title else "''"
    further = ", ".join(f"to_jsonb({columns.name(each)})" for each in spec.metadata)
    return Sql(
        f"SELECT {columns.id}, {columns.text}, {title}, {_seconds(columns)},"
        f" jsonb_build_array({further}) FROM {columns.table} t WHERE {mine.text}"
        f" AND {columns.name(spec.id)} = ANY (%s::text[]::{columns.formats[spec.id]}[])",
        (*mine.values, [*ids]),
    )


def _seconds(columns: TableColumns) -> str:
    """When a row changed last, in seconds since 1970; a time without a zone is taken for UTC."""
    if columns.spec.time is None:
        return "NULL::float8"
    name = columns.name(columns.spec.time)
    kind = columns.types[columns.spec.time]
    moment = name if kind == "timestamptz" else f"({name}::timestamp AT TIME ZONE 'UTC')"
    return f"CASE WHEN isfinite({name}) THEN extract(epoch FROM {moment})::float8 END"
