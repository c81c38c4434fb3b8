"""The tree of documents, read for many documents at once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from biblicus_context.stores.model import Document
from biblicus_context.stores.results import Sibling
from biblicus_context.stores.sql import Sql
from biblicus_context.stores.sqlite.read.reading import WorkspaceReading, among
from biblicus_context.stores.sqlite.schema import rows

# UNION drops what was reached before with as many steps, and the steps are limited: so a cycle ends.
_UPWARDS: Final = (
    "d.id IN (WITH RECURSIVE up (id, steps) AS (SELECT value, 0 FROM json_each(?) UNION"
    " SELECT d.parent, up.steps + 1 FROM up JOIN documents d ON d.id = up.id"
    " WHERE {visible} AND d.parent IS NOT NULL AND up.steps < ?) SELECT id FROM up)"
)
_CHILDREN: Final = (
    "d.row IN (SELECT c.row FROM json_each(?) w CROSS JOIN documents c WHERE c.row IN"
    " (SELECT d.row FROM documents d WHERE {visible} AND d.parent = w.value"
    " ORDER BY d.position IS NULL, d.position, d.id LIMIT ?))"
)
_STARTS: Final = "SELECT d.id, d.row FROM documents d"
_BESIDE: Final = "SELECT d.id FROM documents s CROSS JOIN documents d"
_PLACE: Final = "(d.position IS NULL, coalesce(d.position, 0), d.id)"
_PLACE_OF_START: Final = "(s.position IS NULL, coalesce(s.position, 0), s.id)"


def lineage(reading: WorkspaceReading, ids: Sequence[str], levels: int) -> tuple[Document, ...]:
    """Documents and their ancestors."""
    visible = reading.visible
    where = Sql(
        _UPWARDS.format(visible=visible.text), (json.dumps([*ids]), *visible.values, levels)
    )
    found = reading.rows(rows.DOCUMENTS, where, order="ORDER BY d.id")
    return tuple(rows.documents(found))


def children(reading: WorkspaceReading, parents: Sequence[str], limit: int) -> tuple[Document, ...]:
    """The first children of many documents."""
    visible = reading.visible
    where = Sql(
        _CHILDREN.format(visible=visible.text), (json.dumps([*parents]), *visible.values, limit)
    )
    order = {parent: place for place, parent in enumerate(parents)}
    found = rows.documents(reading.rows(rows.DOCUMENTS, where))
    return tuple(sorted(found, key=lambda each: (order[each.parent or ""], *_place(each))))


def siblings(reading: WorkspaceReading, ids: Sequence[str], reach: int) -> tuple[Sibling, ...]:
    """The nearest siblings of many documents."""
    starts = dict(reading.rows(_STARTS, among("d.id", ids)).fetchall())
    found: list[Sibling] = []
    for start in (each for each in ids if each in starts):
        before = _beside(reading, starts[start], "<", "DESC", reach)
        after = _beside(reading, starts[start], ">", "ASC", reach)
        found += [Sibling(start, each, -place) for place, each in reversed(before)]
        found += [Sibling(start, each, place) for place, each in after]
    return tuple(found)


def _beside(
    reading: WorkspaceReading, start: int, side: str, order: str, reach: int
) -> list[tuple[int, str]]:
    """One statement a side: so it stops at the nearest ones, however many siblings there are."""
    where = Sql(
        f"s.row = ? AND d.parent = s.parent AND {_PLACE} {side} {_PLACE_OF_START}", (start,)
    )
    sorting = f"ORDER BY d.position IS NULL {order}, d.position {order}, d.id {order}"
    found = reading.rows(_BESIDE, where, order=sorting, limit=reach)
    return [(place, name) for place, (name,) in enumerate(found, 1)]


def _place(document: Document) -> tuple[bool, int, str]:
    return document.position is None, document.position or 0, document.id
