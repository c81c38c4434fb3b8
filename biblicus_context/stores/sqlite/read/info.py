"""What a principal can see, in numbers, and what is recorded about the workspace as a whole."""

from __future__ import annotations

from typing import Final

from biblicus_context.stores.moments import moment
from biblicus_context.stores.results import Info, VectorCount, WorkspaceState
from biblicus_context.stores.sql import Sql
from biblicus_context.stores.sqlite.read import relations
from biblicus_context.stores.sqlite.read.reading import WorkspaceReading, readers_of
from biblicus_context.stores.sqlite.schema.ended import oldest_version
from biblicus_context.stores.sqlite.schema.rows import EMBEDDINGS

_KINDS: Final = "SELECT d.kind, count(*) FROM documents d"
_BLOCKS: Final = "SELECT count(*), coalesce(sum(b.tokens), 0) FROM blocks b JOIN documents d ON d.row = b.document"
_VECTORS: Final = f"SELECT m.name, m.dimensions, count(*){EMBEDDINGS}"
_AGES: Final = Sql("(d.valid_from IS NOT NULL OR d.valid_to IS NOT NULL)")
_STATE: Final = (
    "SELECT (SELECT written FROM versions WHERE number <= ? ORDER BY number DESC LIMIT 1), source,"
    " is_partial, remains FROM space"
)

_KEPT_DOCUMENT: Final = "SELECT 1 FROM documents d WHERE d.removed IS NOT NULL AND {} LIMIT 1"
_KEPT_RELATION: Final = (
    "SELECT 1 FROM relations r WHERE r.removed IS NOT NULL"
    " AND EXISTS (SELECT 1 FROM documents d WHERE d.id = r.source AND {})"
    " AND EXISTS (SELECT 1 FROM documents d WHERE d.id = r.target AND {}) LIMIT 1"
)


def info(reading: WorkspaceReading) -> Info:
    """Counts of everything that can be seen."""
    kinds = dict(reading.rows(_KINDS, order="GROUP BY d.kind ORDER BY d.kind").fetchall())
    blocks, tokens = reading.rows(_BLOCKS).fetchone()
    vectors = reading.rows(_VECTORS, order="GROUP BY m.number ORDER BY m.name")
    return Info(
        version=reading.at,
        documents=sum(kinds.values()),
        blocks=blocks,
        tokens=tokens,
        relations=relations.count(reading),
        kinds=kinds,
        vectors={name: VectorCount(dimensions, rows) for name, dimensions, rows in vectors},
    )


def state(reading: WorkspaceReading) -> WorkspaceState:
    """The version of this read, when it was written, and where documents come from."""
    written, source, is_partial, until = reading.connection.execute(
        _STATE, (reading.at,)
    ).fetchone()
    ages = reading.rows("SELECT 1 FROM documents d", _AGES, limit=1).fetchone() is not None
    return WorkspaceState(
        reading.at,
        moment(written),
        source,
        ages,
        bool(is_partial),
        None if until is None or not sees_remains(reading) else moment(until),
    )


def remains(reading: WorkspaceReading) -> bool:
    """Whether bytes of what was removed may be in the files, whoever could see it."""
    (until,) = reading.connection.execute("SELECT remains FROM space").fetchone()
    return until is not None


def sees_remains(reading: WorkspaceReading) -> bool:
    """Whether the principal could see something that was removed and is not erased yet."""
    connection, principal = reading.connection, reading.principal
    oldest, erased = connection.execute("SELECT oldest, erased FROM space").fetchone()
    if principal.sees_all or oldest_version(connection, principal, oldest) > erased:
        return True
    readable = readers_of(principal)
    kept = (
        Sql(_KEPT_DOCUMENT.format(readable.text), readable.values),
        Sql(_KEPT_RELATION.format(readable.text, readable.text), readable.values * 2),
    )
    return any(connection.execute(each.text, each.values).fetchone() for each in kept)


def record_source(reading: WorkspaceReading, source: str) -> None:
    """Record where the documents come from."""
    reading.connection.execute("UPDATE space SET source = ?", (source,))


def record_filling(reading: WorkspaceReading, *, finished: bool) -> None:
    """Record whether all that an ingest writes is there."""
    reading.connection.execute("UPDATE space SET is_partial = ?", (not finished,))
