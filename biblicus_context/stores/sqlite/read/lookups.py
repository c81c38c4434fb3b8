"""What is read as it was written: documents, blocks and embeddings, by id, by key and by time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from biblicus_context.stores.results import Hit, Place
from biblicus_context.stores.filters import Filters
from biblicus_context.stores.model import Block, Document
from biblicus_context.stores.sqlite.rank.page import Page
from biblicus_context.stores.sqlite.read.conditions import condition
from biblicus_context.stores.sqlite.read.reading import Reading, Sql, all_of, among
from biblicus_context.stores.sqlite.schema import rows

_ROWS: Final = "SELECT b.id, b.row FROM blocks b JOIN documents d ON d.row = b.document"
_RECENT: Final = (
    "SELECT b.id, d.id, b.session, b.position, b.tokens, coalesce(d.updated, d.created)"
    " FROM documents d CROSS JOIN blocks b"  # documents come out of their index in order
)
_DATED: Final = Sql("b.document = d.row AND coalesce(d.updated, d.created) IS NOT NULL")
_NEWEST_FIRST: Final = "ORDER BY coalesce(d.updated, d.created) DESC, d.id, b.position DESC, b.id"
_KNOWN: Final = f"SELECT v.key, v.data{rows.EMBEDDINGS}"
_VECTORS: Final = (
    "SELECT b.id, v.data FROM blocks b JOIN documents d ON d.row = b.document"
    " CROSS JOIN models m CROSS JOIN vectors v"
)


def rows_of(reading: Reading, ids: Iterable[str]) -> dict[str, int]:
    """The rows of those of these blocks that may be seen."""
    return dict(reading.rows(_ROWS, among("b.id", ids)).fetchall())


def documents(reading: Reading, ids: Sequence[str]) -> tuple[Document, ...]:
    """Documents in the order of these ids."""
    there = reading.rows(rows.DOCUMENTS, among("d.id", ids))
    found = {each.id: each for each in map(rows.document, there)}
    return tuple(found[each] for each in ids if each in found)


def listed(
    reading: Reading, filters: Filters, after: str | None, limit: int
) -> tuple[Document, ...]:
    """Documents in the order of their ids."""
    start = Sql("d.id > ?", (after or "",))
    where = all_of(start, condition(filters))
    found = reading.rows(rows.DOCUMENTS, where, order="ORDER BY d.id", limit=limit)
    return tuple(map(rows.document, found))


def blocks(reading: Reading, ids: Sequence[str]) -> tuple[Block, ...]:
    """Blocks in the order of these ids."""
    there = reading.rows(rows.BLOCKS, among("b.id", ids))
    found = {each.id: each for each in map(rows.block, there)}
    return tuple(found[each] for each in ids if each in found)


def blocks_of(reading: Reading, ids: Sequence[str]) -> tuple[Block, ...]:
    """All blocks of documents, each document's in their order."""
    order = "ORDER BY d.id, b.position, b.id"
    found = reading.rows(rows.BLOCKS, among("d.id", ids), order=order)
    return tuple(map(rows.block, found))


def recent(reading: Reading, filters: Filters, page: Page) -> tuple[Hit, ...]:
    """Blocks of the documents last changed."""
    where = all_of(_DATED, condition(filters))
    found = reading.rows(_RECENT, where, order=_NEWEST_FIRST, limit=page.limit, offset=page.offset)
    return tuple(Hit(Place(*place), when / 1e6, "recent") for *place, when in found)


def known_vectors(reading: Reading, model: str, keys: Sequence[str]) -> dict[str, bytes]:
    """Embeddings by the key they were written with."""
    where = all_of(Sql("m.name = ?", (model,)), among("v.key", keys))
    return dict(reading.rows(_KNOWN, where).fetchall())


def is_embedded(reading: Reading, model: str) -> bool:
    """Whether a block that may be seen has an embedding by a model."""
    return reading.rows(_KNOWN, Sql("m.name = ?", (model,)), limit=1).fetchone() is not None


def vectors(reading: Reading, model: str, ids: Sequence[str]) -> dict[str, bytes]:
    """Embeddings by the ids of their blocks."""
    own = Sql("m.name = ? AND v.row = (m.number << 40) + b.row", (model,))
    return dict(reading.rows(_VECTORS, all_of(among("b.id", ids), own)).fetchall())


def fingerprints(reading: Reading) -> dict[str, str]:
    """The text hash of every document."""
    return dict(reading.rows("SELECT d.id, d.text_hash FROM documents d").fetchall())
