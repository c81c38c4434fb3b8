"""Which versions have ended, and for whom: a version ends for those who could see what is gone from it.

If it ended for everybody, readers would learn from it that something hidden was removed or replaced.
There is a row for each name that could read something gone, and none for what is gone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from biblicus_context.stores.sql import Sql

_EVERYBODY: Final = b""
_DIGEST: Final = "sha256(convert_to('{}:' || {}, 'UTF8'))"
# Of a document that is not restricted it is everybody; of one that names nobody, there is no reader.
_READERS: Final = (
    "(SELECT ''::bytea AS reader, false AS is_user WHERE NOT {0}.restricted"
    f" UNION ALL SELECT {_DIGEST.format(0, 'n')}, true FROM unnest({{0}}.users) n WHERE {{0}}.restricted"
    f" UNION ALL SELECT {_DIGEST.format(1, 'n')}, false FROM unnest({{0}}.groups) n WHERE {{0}}.restricted)"
)
_KEEP: Final = "ON CONFLICT (ws, reader, other) DO UPDATE SET version = greatest(ended.version, excluded.version)"
_BY_DOCUMENTS: Final = (
    "INSERT INTO ended (ws, reader, other, version) SELECT d.ws, r.reader, r.reader, max(d.removed)"
    f" FROM document d CROSS JOIN LATERAL {_READERS.format('d')} r"
    f" WHERE d.ws = %s AND d.removed <= %s GROUP BY d.ws, r.reader {_KEEP}"
)
# With its ends as they were just before. Who saw the relation earlier, and did not see both ends any
# more by then, is among those for whom an older state of an end is gone. Nobody is two users.
_BY_RELATIONS: Final = (
    "INSERT INTO ended (ws, reader, other, version)"
    " SELECT r.ws, a.reader, b.reader, max(r.removed) FROM relation r"
    " JOIN document s ON s.ws = r.ws AND s.id_key = r.source_key AND s.added < r.removed"
    " AND s.removed > r.removed"
    " JOIN document t ON t.ws = r.ws AND t.id_key = r.target_key AND t.added < r.removed"
    " AND t.removed > r.removed"
    f" CROSS JOIN LATERAL {_READERS.format('s')} a CROSS JOIN LATERAL {_READERS.format('t')} b"
    " WHERE r.ws = %s AND r.removed <= %s AND (a.reader = b.reader OR (NOT (a.is_user AND b.is_user)"
    f" AND a.reader NOT IN (SELECT reader FROM {_READERS.format('t')} x)"
    f" AND b.reader NOT IN (SELECT reader FROM {_READERS.format('s')} y)))"
    f" GROUP BY r.ws, a.reader, b.reader {_KEEP}"
)


def note_ended(ws: int, version: int) -> Iterator[Sql]:
    """Note for whom versions end when all goes that was removed up to this version."""
    yield Sql(_BY_DOCUMENTS, (ws, version))
    yield Sql(_BY_RELATIONS, (ws, version))


def end_all(ws: int, version: int) -> Iterator[Sql]:
    """Note that versions before this one have ended for everybody."""
    yield Sql("DELETE FROM ended WHERE ws = %s", (ws,))
    yield Sql("INSERT INTO ended VALUES (%s, %s, %s, %s)", (ws, _EVERYBODY, _EVERYBODY, version))
