"""What users did with documents; this is kept outside of the versions."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection
from datetime import datetime
from typing import Final

from biblicus_context.stores.arguments import MOST_ACTIVITY, ActivityQuery
from biblicus_context.stores.moments import microseconds, moment
from biblicus_context.stores.results import Action, Activity
from biblicus_context.stores.sql import Sql, all_of
from biblicus_context.stores.sqlite.read.reading import WorkspaceReading, among

_ACTIVITY: Final = (
    "SELECT a.document_id, a.action, a.last, a.times"
    " FROM activity a JOIN documents d ON d.id = a.document_id"
)
_NEWEST: Final = "ORDER BY a.last DESC, a.document_id, a.action"
_RECORD: Final = (
    "INSERT INTO activity (user, document_id, action, last, times) VALUES (?, ?, ?, ?, 1)"
    " ON CONFLICT DO UPDATE SET last = max(last, excluded.last), times = times + 1"
)
_BOUND: Final = (
    "DELETE FROM activity WHERE user = ? AND (document_id, action) IN"
    " (SELECT document_id, action FROM activity WHERE user = ?"
    " ORDER BY last DESC, document_id, action LIMIT -1 OFFSET ?)"
)
# Who removes a document may not see it, and then it stays.
_FORGET: Final = (
    "DELETE FROM activity WHERE document_id IN (SELECT value FROM json_each(?))"
    " AND EXISTS (SELECT 1 FROM documents d WHERE d.id = document_id AND d.removed = ?)"
)


def activity(
    reading: WorkspaceReading, user: str | None, query: ActivityQuery
) -> tuple[Activity, ...]:
    """What this user did, last first."""
    where = all_of(Sql("a.user = ?", (user or "",)), among("a.action", query.actions))
    if query.since is not None:
        where = all_of(where, Sql("a.last >= ?", (microseconds(query.since),)))
    if query.documents is not None:
        where = all_of(where, among("a.document_id", query.documents))
    found = reading.rows(_ACTIVITY, where, order=_NEWEST, limit=query.limit)
    return tuple(
        Activity(document, action, last, times)
        for document, action, when, times in found
        if (last := moment(when)) is not None
    )


def record(
    reading: WorkspaceReading, user: str | None, document: str, action: Action, when: datetime
) -> None:
    """Record it if the document can be seen, and keep no more than a user may have."""
    seen = reading.rows("SELECT 1 FROM documents d", Sql("d.id = ?", (document,)), limit=1)
    if seen.fetchone() is None:
        return
    name = user or ""
    reading.connection.execute(_RECORD, (name, document, action, microseconds(when)))
    reading.connection.execute(_BOUND, (name, name, MOST_ACTIVITY))


def forget(connection: sqlite3.Connection, version: int, removed: Collection[str]) -> None:
    """Forget what was done with those of these documents that this version removed."""
    if removed:
        connection.execute(_FORGET, (json.dumps([*removed]), version))
