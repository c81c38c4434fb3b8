"""What a principal can see, in numbers, and what is known of the workspace as a whole."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from biblicus_context.stores.results import Info, VectorCount
from biblicus_context.stores.sqlite.read.reading import Reading
from biblicus_context.stores.sqlite.read.relations import count as count_relations
from biblicus_context.stores.sqlite.schema.moments import moment
from biblicus_context.stores.sqlite.schema.rows import EMBEDDINGS

_KINDS: Final = "SELECT d.kind, count(*) FROM documents d"
_BLOCKS: Final = "SELECT count(*), coalesce(sum(b.tokens), 0) FROM blocks b JOIN documents d ON d.row = b.document"
_VECTORS: Final = f"SELECT m.name, m.dimensions, count(*){EMBEDDINGS}"


def info(reading: Reading) -> Info:
    """Everything counted, but never what is hidden."""
    kinds = dict(reading.rows(_KINDS, order="GROUP BY d.kind ORDER BY d.kind").fetchall())
    blocks, tokens = reading.rows(_BLOCKS).fetchone()
    vectors = reading.rows(_VECTORS, order="GROUP BY m.number ORDER BY m.name")
    return Info(
        version=reading.at,
        documents=sum(kinds.values()),
        blocks=blocks,
        tokens=tokens,
        relations=count_relations(reading),
        kinds=kinds,
        vectors={name: VectorCount(dimensions, rows) for name, dimensions, rows in vectors},
    )


def changed(reading: Reading) -> datetime | None:
    """When the version that is read was written."""
    written = "SELECT max(written) FROM versions WHERE number <= ?"
    (microseconds,) = reading.connection.execute(written, (reading.at,)).fetchone()
    return moment(microseconds)


def source(reading: Reading) -> str | None:
    """Where the documents come from."""
    (said,) = reading.connection.execute("SELECT source FROM space").fetchone()
    return None if said is None else str(said)


def record_source(reading: Reading, said: str) -> None:
    """Say where the documents come from."""
    reading.connection.execute("UPDATE space SET source = ?", (said,))
