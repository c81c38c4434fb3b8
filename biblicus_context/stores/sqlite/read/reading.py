"""One read of one workspace: a transaction, a principal and a version, in one value."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii
from typing import Any, Final

from biblicus_context.stores import checks
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.source import ReadState
from biblicus_context.stores.sql import ALWAYS, Sql, all_of
from biblicus_context.stores.sqlite.schema.ended import MOST_VERSIONS, oldest_version

_encoded: Final[Callable[[Any], str]] = encode_basestring_ascii
_PIN: Final = "SELECT version, oldest, documents, blocks, repacked FROM space"
_AMONG: Final = "IN (SELECT value FROM json_each(?))"
_NAMED: Final = (
    "EXISTS (SELECT 1 FROM readers r WHERE r.document = {0}.row AND CASE"
    " WHEN r.is_group THEN r.name IN (SELECT value FROM json_each(?)) ELSE r.name = ? END)"
)
_READABLE: Final = f"(NOT d.restricted OR {_NAMED.format('d')})"
_ALIVE: Final = "{0}.added <= ? AND ({0}.removed IS NULL OR {0}.removed > ?)"
# What was restricted since is found by an index that has nothing else.
_RESTRICTED: Final = f"n.restricted AND n.added > ? AND NOT {_NAMED.format('n')}"
_HIDDEN_IDS: Final = " ".join(["SELECT n.id FROM documents n WHERE", _RESTRICTED])
_HIDDEN_SINCE: Final = " ".join(["d.id NOT IN (", _HIDDEN_IDS, ")"])
# In a tree, a document may have the title of one that it is inside, or was inside then.
_TITLES: Final = " ".join(
    ["SELECT o.title FROM documents o WHERE o.id IN (", _HIDDEN_IDS, ") AND", _ALIVE.format("o")]
)
_TITLED_SINCE: Final = " ".join(
    [
        "(d.title = '' OR d.parent IS NULL OR d.own_readers IS NULL OR d.title NOT IN (",
        _TITLES,
        "))",
    ]
)
_HID: Final = " ".join(
    [
        "SELECT max(n.added) FROM documents n CROSS JOIN documents d ON d.id = n.id WHERE",
        *(_RESTRICTED, "AND", _ALIVE.format("d"), "AND", _READABLE),
    ]
)


@dataclass(frozen=True, slots=True)
class WorkspaceReading:
    """Every statement that reads documents is built by `rows`, which adds what the principal may see.

    This is the one place that enforces who sees what. A SELECT on `connection` directly is only for
    tables that contain nothing of a document.
    """

    connection: sqlite3.Connection
    pin: ReadState
    principal: Principal
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
    newest, oldest, documents, blocks, repacked = connection.execute(_PIN).fetchone()
    version = newest
    if at is not None:
        own = max(oldest_version(connection, principal, oldest), newest - MOST_VERSIONS)
        version = checks.version(at, own, newest)
    pin = ReadState(version, newest, oldest, documents, blocks, repacked, version)
    alive = Sql(_ALIVE.format("d"), (version, version))
    if principal.sees_all:
        return WorkspaceReading(connection, pin, principal, alive)
    readable = readers_of(principal)
    visible = all_of(alive, readable)
    hidden = version if version == newest else _hidden(connection, version, readable)
    if hidden == version:
        return WorkspaceReading(connection, pin, principal, visible)
    # By the readers of then and of now. Any later state of a document counts: also one that was
    # removed since, or that another document of the same id has followed.
    since = (version, *readable.values)
    titles = Sql(_TITLED_SINCE, (*since, version, version))
    visible = all_of(visible, Sql(_HIDDEN_SINCE, since), titles)
    return WorkspaceReading(connection, pin._replace(hidden=hidden), principal, visible)


def _hidden(connection: sqlite3.Connection, at: int, readable: Sql) -> int:
    """The last version after this one that hid something that could be read."""
    values = (at, *readable.values, at, at, *readable.values)
    return int(connection.execute(_HID, values).fetchone()[0] or at)


def readers_of(principal: Principal) -> Sql:
    """The condition that a row of `documents d`, of whatever version, can be seen."""
    if principal.sees_all:
        return ALWAYS
    return Sql(_READABLE, (json.dumps(sorted(principal.groups)), principal.user))


def among(column: str, values: Iterable[object]) -> Sql:
    """A condition that a column is one of these values.

    One JSON parameter carries them all: SQLite limits the number of parameters of a statement.

    >>> among("b.id", ["a", "b"])
    Sql(text='b.id IN (SELECT value FROM json_each(?))', values=('["a","b"]',))
    """
    return Sql(f"{column} {_AMONG}", (_listed(values),))


def _listed(values: Iterable[object]) -> str:
    """The values as JSON."""
    each = [*values]
    try:  # ids, mostly: an encoder takes three calls of Python
        return f"[{','.join(map(_encoded, each))}]"
    except TypeError:
        return json.dumps(each)


def none_of(column: str, values: Iterable[object]) -> Sql:
    """A condition that a column is none of these values."""
    return Sql(f"{column} NOT {_AMONG}", (_listed(values),))
