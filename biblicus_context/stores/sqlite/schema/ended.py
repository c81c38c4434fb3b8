"""Which versions have ended, and for whom: a version ends for those who could see what is gone from it.

If it ended for everybody, readers would learn from it that something hidden was removed or replaced.
There is a row for each name that could read something gone, and none for what is gone: nothing of
that is left, and the table is as small as the lists of readers are.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from hashlib import blake2b
from itertools import product
from typing import Final, NamedTuple

from biblicus_context.stores.principal import Principal

MOST_VERSIONS: Final = 100_000
"""Versions that can be read at most, or the table of their times would grow without end."""

_EVERYBODY: Final = ""
_PUBLIC: Final = "SELECT max(removed) FROM documents WHERE removed <= ? AND NOT restricted"
_RESTRICTED: Final = (
    "SELECT r.is_group, r.name, max(d.removed) FROM documents d JOIN readers r"
    " ON r.document = d.row WHERE d.removed <= ? GROUP BY r.is_group, r.name"
)
# With its ends as they were just before. Who saw the relation earlier, and did not see both ends any
# more by then, is among those for whom an older state of an end is gone.
_RELATIONS: Final = (
    "SELECT s.row, t.row, max(r.removed) FROM relations r"
    " JOIN documents s ON s.id = r.source AND s.added < r.removed"
    " AND (s.removed IS NULL OR s.removed > r.removed)"
    " JOIN documents t ON t.id = r.target AND t.added < r.removed"
    " AND (t.removed IS NULL OR t.removed > r.removed)"
    " WHERE r.removed <= ? GROUP BY s.row, t.row"
)
_READERS: Final = (
    "SELECT r.is_group, r.name FROM documents d LEFT JOIN readers r ON r.document = d.row"
    " WHERE d.row = ? AND (NOT d.restricted OR r.name IS NOT NULL)"
)
_KEEP: Final = (
    "INSERT INTO ended (reader, other, version) VALUES (?, ?, ?)"
    " ON CONFLICT DO UPDATE SET version = max(version, excluded.version)"
)
_LAST: Final = (
    "SELECT coalesce(max(version), 0) FROM ended WHERE reader IN (SELECT value FROM json_each(?1))"
    " AND other IN (SELECT value FROM json_each(?1))"
)


class _Ended(NamedTuple):
    """Versions before this one have ended for each principal that has both names."""

    reader: str
    other: str
    version: int


def note_ended(connection: sqlite3.Connection, version: int) -> None:
    """Note for whom versions end when all goes that was removed up to this version."""
    connection.executemany(_KEEP, [*_by_documents(connection, version)])
    connection.executemany(_KEEP, [*_by_relations(connection, version)])


def end_all(connection: sqlite3.Connection, version: int) -> None:
    """Note that versions before this one have ended for everybody."""
    connection.execute("DELETE FROM ended")
    connection.execute(_KEEP, _Ended(_EVERYBODY, _EVERYBODY, version))


def oldest_version(connection: sqlite3.Connection, principal: Principal, oldest: int) -> int:
    """The oldest version that this principal can read, if that of who sees all is the `oldest`."""
    if principal.sees_all or not oldest:
        return oldest
    names = [_EVERYBODY, *(_digest(1, each) for each in principal.groups)]
    names += [] if principal.user is None else [_digest(0, principal.user)]
    return int(connection.execute(_LAST, (json.dumps(names),)).fetchone()[0])


def _by_documents(connection: sqlite3.Connection, version: int) -> Iterator[_Ended]:
    (last,) = connection.execute(_PUBLIC, (version,)).fetchone()
    if last is not None:
        yield _Ended(_EVERYBODY, _EVERYBODY, last)
    for is_group, name, removed in connection.execute(_RESTRICTED, (version,)):
        yield _Ended(_digest(is_group, name), _digest(is_group, name), removed)


def _by_relations(connection: sqlite3.Connection, version: int) -> Iterator[_Ended]:
    for source, target, removed in connection.execute(_RELATIONS, (version,)).fetchall():
        readers, others = (_readers(connection, row) for row in (source, target))
        both = readers & others
        for one, other in (
            *((each, each) for each in both),
            *product(readers - both, others - both),
        ):
            if one == other or not (one.is_user and other.is_user):  # nobody is two users
                yield _Ended(one.digest, other.digest, removed)


class _Reader(NamedTuple):
    """Whom a row of `readers` names; of a document without any, everybody."""

    is_group: int | None
    name: str | None

    @property
    def is_user(self) -> bool:
        return self.is_group == 0

    @property
    def digest(self) -> str:
        return _EVERYBODY if self.name is None else _digest(self.is_group, self.name)


def _readers(connection: sqlite3.Connection, row: int) -> set[_Reader]:
    return {_Reader(*each) for each in connection.execute(_READERS, (row,))}


def _digest(is_group: int | None, name: str) -> str:
    """The name itself may be what is to be forgotten."""
    return blake2b(json.dumps([is_group, name]).encode(), digest_size=16).hexdigest()
