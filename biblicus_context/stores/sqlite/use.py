"""How blocks have been used, counted beside the versions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from biblicus_context.stores.answers import Usage
from biblicus_context.stores.sqlite.moments import moment
from biblicus_context.stores.sqlite.reader import rows_of
from biblicus_context.stores.sqlite.reading import Reading, among

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


def usage(reading: Reading, ids: Sequence[str]) -> dict[str, Usage]:
    """What is known of the use of these blocks."""
    return {
        each: Usage(used, helpful, unhelpful, moment(last))
        for each, used, helpful, unhelpful, last in reading.rows(_USAGE, among("b.id", ids))
    }


def record_use(reading: Reading, ids: Sequence[str], when: int) -> None:
    """Count one more use of each of these blocks."""
    rows = rows_of(reading, ids)
    reading.connection.executemany(_USED, ((each, when) for each in rows))
    reading.connection.execute(_ACCESSED, (when, when, json.dumps([*rows.values()])))


def record_feedback(reading: Reading, helpful: Sequence[str], unhelpful: Sequence[str]) -> None:
    """Count what was said of these blocks."""
    for statement, ids in ((_HELPFUL, helpful), (_UNHELPFUL, unhelpful)):
        reading.connection.executemany(statement, ((each,) for each in rows_of(reading, ids)))
