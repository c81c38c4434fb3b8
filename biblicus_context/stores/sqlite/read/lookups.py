"""What is read as it was written: documents, blocks and embeddings, by id, by key and by time."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Final

from biblicus_context.stores.filters import Filters
from biblicus_context.stores.model import Block, Document
from biblicus_context.stores.results import BlockPlace, Hit, Nearby
from biblicus_context.stores.source import Message
from biblicus_context.stores.sql import Sql, all_of
from biblicus_context.stores.sqlite.read.conditions import (
    block_condition,
    condition,
    listed_condition,
)
from biblicus_context.stores.sqlite.read.reading import WorkspaceReading, among
from biblicus_context.stores.sqlite.schema import rows

_ROWS: Final = "SELECT b.id, b.row FROM blocks b JOIN documents d ON d.row = b.document"
_PLACES: Final = (
    "SELECT b.id, d.id, b.session, b.position, b.tokens"
    " FROM blocks b JOIN documents d ON d.row = b.document"
)
_EARLIER: Final = (  # no block has so many before it
    "(SELECT 1 FROM blocks e WHERE e.document = b.document"
    " AND (e.position, e.id) < (b.position, b.id) LIMIT 1 OFFSET ?) IS NULL"
)
_RECENT: Final = (
    "SELECT b.id, d.id, b.session, b.position, b.tokens, coalesce(d.updated, d.created)"
    # CROSS JOIN fixes the order of the loops: documents come out of their index by time, so
    # SQLite stops after a page instead of sorting all blocks.
    " FROM documents d CROSS JOIN blocks b"
)
_DATED: Final = Sql("b.document = d.row AND coalesce(d.updated, d.created) IS NOT NULL")
_NEWEST_FIRST: Final = "ORDER BY coalesce(d.updated, d.created) DESC, d.id, b.position DESC, b.id"
_IN_ORDER: Final = "ORDER BY d.id, b.position, b.id"
_NEARBY: Final = (
    "SELECT w.key, b.position - h.position, b.id, d.id, b.session, b.position, b.tokens"
    " FROM json_each w CROSS JOIN blocks h CROSS JOIN documents d CROSS JOIN blocks b"
)
_AROUND: Final = (
    "w.json = ? AND h.id = w.value AND d.row = h.document AND b.document = d.row"
    " AND b.position BETWEEN h.position - ? AND h.position + ?"
    " AND b.session IS h.session AND b.row <> h.row"
)
_KNOWN: Final = f"SELECT v.key, v.data{rows.EMBEDDINGS}"
_VECTORS: Final = (
    "SELECT b.id, v.data FROM blocks b JOIN documents d ON d.row = b.document"
    " CROSS JOIN models m CROSS JOIN vectors v"
)
_MESSAGES: Final = (
    "SELECT row, conversation, coalesce(created, updated, 0) FROM documents{}"
    " WHERE conversation IS NOT NULL AND row > ? ORDER BY row"
)
_ALL_MESSAGES: Final = _MESSAGES.format(" INDEXED BY documents_by_conversation")
"""Where there are hardly any, all others are not looked at."""
_NEW_MESSAGES: Final = _MESSAGES.format(" NOT INDEXED")
"""The few documents of a write are a range of rows."""


def messages(connection: sqlite3.Connection, after: int | None) -> list[Message]:
    """The documents after this row that are parts of conversations, also those that nobody can see."""
    if after is None:
        return []
    return [
        *map(Message._make, connection.execute(_NEW_MESSAGES if after else _ALL_MESSAGES, (after,)))
    ]


def rows_of(reading: WorkspaceReading, ids: Iterable[str]) -> dict[str, int]:
    """The rows of those of these blocks that can be seen."""
    return dict(reading.rows(_ROWS, among("b.id", ids)).fetchall())


def documents(reading: WorkspaceReading, ids: Sequence[str]) -> tuple[Document, ...]:
    """Documents in the order of these ids."""
    there = reading.rows(rows.DOCUMENTS, among("d.id", ids))
    by_id = {each.id: each for each in rows.documents(there)}
    return tuple(by_id[each] for each in ids if each in by_id)


def list_documents(
    reading: WorkspaceReading, filters: Filters, after: str | None, limit: int
) -> tuple[Document, ...]:
    """Documents in the order of their ids."""
    start = Sql("d.id > ?", (after or "",))
    where = all_of(start, listed_condition(filters))
    page = reading.rows(rows.DOCUMENTS, where, order="ORDER BY d.id", limit=limit)
    return tuple(rows.documents(page))


def fingerprints(reading: WorkspaceReading) -> dict[str, str]:
    """The text hash of every document."""
    return dict(reading.rows("SELECT d.id, d.text_hash FROM documents d").fetchall())


def blocks_of(
    reading: WorkspaceReading, document_ids: Sequence[str], most: int | None
) -> list[Block]:
    """The first blocks of documents, in the order of the ids."""
    there = reading.rows(rows.BLOCKS, _first(document_ids, most), order=_IN_ORDER)
    order = {name: place for place, name in enumerate(document_ids)}
    return sorted(rows.blocks(there), key=lambda each: order[each.document_id])


def places_of(
    reading: WorkspaceReading, document_ids: Sequence[str], most: int | None
) -> list[BlockPlace]:
    """Where the same blocks are."""
    there = reading.rows(_PLACES, _first(document_ids, most), order=_IN_ORDER)
    order = {name: place for place, name in enumerate(document_ids)}
    return sorted(map(BlockPlace._make, there), key=lambda each: order[each.document_id])


def _first(document_ids: Sequence[str], most: int | None) -> Sql:
    where = among("d.id", document_ids)
    if most is None:
        return where
    return all_of(where, Sql(_EARLIER, (most - 1,))) if most else Sql("FALSE")


def nearby(reading: WorkspaceReading, ids: Sequence[str], reach: int) -> tuple[Nearby, ...]:
    """Places around many blocks at once, in the order of the blocks, then of their documents."""
    where = Sql(_AROUND, (json.dumps(ids), reach, reach))
    # Rows begin with their sort key, and come out of their index nearly sorted.
    there = sorted(reading.rows(_NEARBY, where))
    return tuple(
        Nearby(ids[of], BlockPlace(block, document, session, position, tokens), distance)
        for of, distance, block, document, session, position, tokens in there
    )


def recent(reading: WorkspaceReading, filters: Filters, offset: int, limit: int) -> tuple[Hit, ...]:
    """Blocks of the documents last changed."""
    select = (
        f"{_RECENT} CROSS JOIN texts x ON x.block = b.row" if filters.block_metadata else _RECENT
    )
    where = all_of(_DATED, condition(filters), block_condition(filters))
    page = reading.rows(select, where, order=_NEWEST_FIRST, limit=limit, offset=offset)
    return tuple(Hit(BlockPlace(*place), when / 1e6, "recent") for *place, when in page)


def vectors(reading: WorkspaceReading, model: str, ids: Sequence[str]) -> dict[str, bytes]:
    """Embeddings by the ids of their blocks."""
    own = Sql("m.name = ? AND v.row = (m.number << 40) + b.row", (model,))
    return dict(reading.rows(_VECTORS, all_of(among("b.id", ids), own)).fetchall())


def known_vectors(reading: WorkspaceReading, model: str, keys: Sequence[str]) -> dict[str, bytes]:
    """Embeddings by the keys they were written with."""
    where = all_of(Sql("m.name = ?", (model,)), among("v.key", keys))
    return dict(reading.rows(_KNOWN, where).fetchall())
