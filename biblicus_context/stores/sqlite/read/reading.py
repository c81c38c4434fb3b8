"""One read of one workspace: a transaction, a principal and a version, in one value."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

from biblicus_context.stores import checks
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.source import Pin


class Sql(NamedTuple):
    """A condition and the values that are bound to it."""

    text: str
    values: tuple[object, ...] = ()


ALWAYS: Final = Sql("TRUE")
_AMONG: Final = "IN (SELECT value FROM json_each(?))"
_PIN: Final = "SELECT version, oldest, documents, blocks FROM space"
_READABLE: Final = (
    "(NOT d.restricted OR EXISTS (SELECT 1 FROM readers r WHERE r.document = d.row AND CASE"
    " WHEN r.is_group THEN r.name IN (SELECT value FROM json_each(?)) ELSE r.name = ? END))"
)


@dataclass(frozen=True, slots=True)
class WorkspaceReading:
    """Every statement that reads documents is built by `rows`, which adds what the principal may see.

    This is the one place that enforces who sees what. A SELECT on `connection` directly is only for
    tables that contain nothing of a document.
    """

    connection: sqlite3.Connection
    pin: Pin
    visible: Sql

    @property
    def at(self) -> int:
        """The version that is read."""
        return self.pin.version

    def rows(
        self, select: str, where: Sql = ALWAYS, *, order: str = "", limit: int = -1, offset: int = 0
    ) -> sqlite3.Cursor:
        """Rows of a SELECT whose tables include `documents d`, of documents that can be seen."""
        statement = " ".join(
            [select, "WHERE", self.visible.text, "AND", where.text, order, "LIMIT ? OFFSET ?"]
        )
        values = (*self.visible.values, *where.values, limit, offset)
        return self.connection.execute(statement, values)

    @property
    def visible_ids(self) -> Sql:
        """The ids of the documents that can be seen, as a subquery."""
        text = " ".join(["(SELECT d.id FROM documents d WHERE", self.visible.text, ")"])
        return Sql(text, self.visible.values)


def begin_reading(
    connection: sqlite3.Connection, principal: Principal, at: int | None
) -> WorkspaceReading:
    """A read of this version, else of the newest one."""
    newest, oldest, documents, blocks = connection.execute(_PIN).fetchone()
    version = newest if at is None else checks.version(at, oldest, newest)
    lifetime = Sql("d.added <= ? AND (d.removed IS NULL OR d.removed > ?)", (version, version))
    pin = Pin(version, newest, oldest, documents, blocks)
    return WorkspaceReading(connection, pin, all_of(lifetime, _readers(principal)))


def _readers(principal: Principal) -> Sql:
    if principal.sees_all:
        return ALWAYS
    return Sql(_READABLE, (json.dumps(sorted(principal.groups)), principal.user))


def among(column: str, values: Iterable[object]) -> Sql:
    """A condition that a column is one of these values.

    One JSON parameter carries them all: SQLite limits the number of parameters of a statement.

    >>> among("b.id", ["a", "b"])
    Sql(text='b.id IN (SELECT value FROM json_each(?))', values=('["a", "b"]',))
    """
    return Sql(f"{column} {_AMONG}", (json.dumps([*values]),))


def none_of(column: str, values: Iterable[object]) -> Sql:
    """A condition that a column is none of these values."""
    return Sql(f"{column} NOT {_AMONG}", (json.dumps([*values]),))


def all_of(*conditions: Sql) -> Sql:
    """A condition that all of these hold."""
    if not conditions:
        return ALWAYS
    text = " AND ".join(f"({each.text})" for each in conditions)
    return Sql(text, tuple(value for each in conditions for value in each.values))
