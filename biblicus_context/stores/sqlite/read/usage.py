"""How often blocks were used; this is counted outside of the versions."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from biblicus_context.stores.arguments import RecordedUsage
from biblicus_context.stores.model import Entry
from biblicus_context.stores.moments import microseconds, moment
from biblicus_context.stores.replaced_blocks import replaced_blocks
from biblicus_context.stores.results import Usage
from biblicus_context.stores.sqlite.read.lookups import rows_of
from biblicus_context.stores.sqlite.read.reading import WorkspaceReading, among

_USAGE: Final = (
    "SELECT b.id, u.used, u.helpful, u.unhelpful, u.last_used"
    " FROM usage u JOIN blocks b ON b.id = u.block_id JOIN documents d ON d.row = b.document"
)
_USED: Final = (
    "INSERT INTO usage (block_id, used, last_used) VALUES (?, 1, ?) ON CONFLICT DO UPDATE SET"
    " used = used + 1, last_used = max(coalesce(last_used, 0), excluded.last_used)"
)
_ACCESSED: Final = (
    "UPDATE documents SET accessed = max(coalesce(accessed, ?), ?) WHERE row IN"
    " (SELECT document FROM blocks WHERE row IN (SELECT value FROM json_each(?)))"
)
_HELPFUL: Final = (
    "INSERT INTO usage (block_id, helpful) VALUES (?, 1)"
    " ON CONFLICT DO UPDATE SET helpful = helpful + 1"
)
_UNHELPFUL: Final = (
    "INSERT INTO usage (block_id, unhelpful) VALUES (?, 1)"
    " ON CONFLICT DO UPDATE SET unhelpful = unhelpful + 1"
)
_LAST_USES: Final = (
    "SELECT id, accessed FROM documents WHERE removed IS NULL AND accessed IS NOT NULL"
    " AND id IN (SELECT value FROM json_each(?))"
)
_FORGET: Final = (
    "DELETE FROM usage WHERE block_id IN"
    " (SELECT b.id FROM documents d JOIN blocks b ON b.document = d.row WHERE d.removed = ?"
    " AND (d.id IN (SELECT value FROM json_each(?)) OR NOT EXISTS"
    " (SELECT 1 FROM blocks k JOIN documents n ON n.row = k.document"
    " WHERE k.id = b.id AND n.id = d.id AND n.removed IS NULL)))"
)
_REWRITTEN: Final = (
    "SELECT DISTINCT d.row, n.row FROM documents d CROSS JOIN blocks b ON b.document = d.row"
    " CROSS JOIN usage u ON u.block_id = b.id JOIN documents n ON n.id = d.id AND n.added = ?1"
    " WHERE d.removed = ?1 AND d.id NOT IN (SELECT value FROM json_each(?2))"
)
_BLOCKS: Final = "SELECT id FROM blocks WHERE document = ? ORDER BY position"
_COUNTS: Final = "SELECT ?, used, helpful, unhelpful, last_used FROM usage WHERE block_id = ?"
_INSERT: Final = "INSERT OR IGNORE INTO usage VALUES (?, ?, ?, ?, ?)"


def usage(reading: WorkspaceReading, ids: Sequence[str]) -> dict[str, Usage]:
    """The counts of these blocks."""
    return {
        each: Usage(used, helpful, unhelpful, moment(last))
        for each, used, helpful, unhelpful, last in reading.rows(_USAGE, among("b.id", ids))
    }


def record(reading: WorkspaceReading, usage: RecordedUsage) -> None:
    """Count uses and feedback of those of these blocks that can be seen."""
    used = rows_of(reading, usage.used)
    if usage.when is not None:
        when = microseconds(usage.when)
        reading.connection.executemany(_USED, ((each, when) for each in used))
        reading.connection.execute(_ACCESSED, (when, when, json.dumps([*used.values()])))
    for statement, ids in ((_HELPFUL, usage.helpful), (_UNHELPFUL, usage.unhelpful)):
        reading.connection.executemany(statement, ((each,) for each in rows_of(reading, ids)))


def with_last_uses(
    connection: sqlite3.Connection, entries: Sequence[Entry], removed: Collection[str]
) -> list[Entry]:
    """Entries whose documents keep the last use of those that they replace."""
    kept = [each.document.id for each in entries if each.document.id not in removed]
    last: dict[str, datetime | None] = {
        id_: moment(time) for id_, time in connection.execute(_LAST_USES, (json.dumps(kept),))
    }
    return [_with_last_use(each, last.get(each.document.id)) for each in entries]


def _with_last_use(entry: Entry, last: datetime | None) -> Entry:
    if last is None:
        return entry
    accessed = max(last, entry.document.accessed or last)
    return replace(entry, document=replace(entry.document, accessed=accessed))


def move(connection: sqlite3.Connection, version: int, removed: Collection[str]) -> None:
    """Move the counts of blocks that their documents lost in this version to those in their place."""
    given = version, json.dumps([*removed])
    rewritten = connection.execute(_REWRITTEN, given).fetchall()
    moved = [each for rows in rewritten for each in _moved(connection, *rows)]
    connection.execute(_FORGET, given)
    connection.executemany(_INSERT, moved)


def _moved(connection: sqlite3.Connection, old: int, new: int) -> Iterator[tuple[Any, ...]]:
    before, after = ([id_ for (id_,) in connection.execute(_BLOCKS, (row,))] for row in (old, new))
    for lost, got in replaced_blocks(before, after):
        yield from connection.execute(_COUNTS, (got, lost))
