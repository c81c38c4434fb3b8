"""One read of one workspace: a transaction, a principal and a version, in one value."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, NamedTuple

from biblicus_context.stores import checks
from biblicus_context.stores.principal import Principal


class Sql(NamedTuple):
    """A condition, with the values that are bound to it."""

    text: str
    values: tuple[object, ...] = ()


ALWAYS: Final = Sql("TRUE")
_AMONG: Final = "IN (SELECT value FROM json_each(?))"
_READABLE: Final = (
    "(NOT d.restricted OR EXISTS (SELECT 1 FROM readers r WHERE r.document = d.row AND CASE"
    " WHEN r.is_group THEN r.name IN (SELECT value FROM json_each(?)) ELSE r.name = ? END))"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """Every statement that reads documents is built by `rows`, which adds what may be seen."""

    connection: sqlite3.Connection
    at: int
    visible: Sql
    eyes: Hashable
    """What sets this principal's view apart from that of others in the workspace."""

    def rows(
        self, select: str, where: Sql = ALWAYS, *, order: str = "", limit: int = -1, offset: int = 0
    ) -> sqlite3.Cursor:
        """Rows of a SELECT whose tables include `documents d`, of documents that may be seen."""
        statement = " ".join(
            [select, "WHERE", self.visible.text, "AND", where.text, order, "LIMIT ? OFFSET ?"]
        )
        values = (*self.visible.values, *where.values, limit, offset)
        return self.connection.execute(statement, values)

    @property
    def visible_ids(self) -> Sql:
        """The ids of the documents that may be seen, as a subquery."""
        text = " ".join(["(SELECT d.id FROM documents d WHERE", self.visible.text, ")"])
        return Sql(text, self.visible.values)


def reading(connection: sqlite3.Connection, principal: Principal, at: int | None) -> Reading:
    """A read of the newest version or of the one asked for."""
    newest, oldest = connection.execute("SELECT version, oldest FROM space").fetchone()
    version = newest if at is None else checks.version(at, oldest, newest)
    readers, eyes = _readers(principal)
    lifetime = Sql("d.added <= ? AND (d.removed IS NULL OR d.removed > ?)", (version, version))
    return Reading(connection, version, all_of(lifetime, readers), eyes)


def _readers(principal: Principal) -> tuple[Sql, Hashable]:
    if principal.sees_all:
        return ALWAYS, True
    groups = json.dumps(sorted(principal.groups))
    # Short, as it is part of the key of everything that is remembered, and groups may be thousands.
    eyes = sha256(json.dumps([principal.user, groups]).encode()).digest()
    return Sql(_READABLE, (groups, principal.user)), eyes


def among(column: str, values: Iterable[object]) -> Sql:
    """That a column is one of these values, however many there are.

    >>> among("b.id", ["a", "b"])
    Sql(text='b.id IN (SELECT value FROM json_each(?))', values=('["a", "b"]',))
    """
    return Sql(f"{column} {_AMONG}", (json.dumps([*values]),))


def all_of(*conditions: Sql) -> Sql:
    """Several conditions that all have to hold."""
    if not conditions:
        return ALWAYS
    text = " AND ".join(f"({each.text})" for each in conditions)
    return Sql(text, tuple(value for each in conditions for value in each.values))
