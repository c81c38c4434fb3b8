"""What can be wrong with the tables, and which collections there are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from biblicus_context.stores.postgres.driver import PostgresServer
from biblicus_context.stores.postgres.visibility import settings
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.source import Scope
from biblicus_context.stores.sql import Sql

_PROBLEMS: Final = {
    "blocks of documents that do not exist": (
        "SELECT count(*) FROM block b WHERE NOT EXISTS"
        " (SELECT FROM document d WHERE d.ws = b.ws AND d.row = b.document)"
    ),
    "embeddings of blocks that do not exist": (
        "SELECT count(*) FROM vector v WHERE NOT EXISTS"
        " (SELECT FROM block b WHERE b.ws = v.ws AND b.row = v.row)"
    ),
    "embeddings of another length than their model": (
        "SELECT count(*) FROM vector v LEFT JOIN model m ON m.ws = v.ws AND m.number = v.model"
        " WHERE m.dimensions IS NULL OR octet_length(v.data) <> 4 * m.dimensions"
    ),
    "blocks in more than one living document": (
        "SELECT count(*) FROM (SELECT b.id_key FROM block b JOIN document d ON d.ws = b.ws"
        " AND d.row = b.document WHERE d.removed = 9223372036854775807"
        " GROUP BY b.id_key HAVING count(*) > 1) t"
    ),
}


def scopes(server: PostgresServer) -> Iterator[Scope]:
    """All collections of a store."""
    own = settings(server.options, None)
    (found,) = server.read(own, Sql("SELECT workspace, collection FROM space ORDER BY ws"))
    for workspace, collection in found:
        yield Scope(Principal(workspace, sees_all=True), collection)


def problems(server: PostgresServer, scope: Scope) -> tuple[str, ...]:
    """One sentence for each problem of a collection; nothing is changed."""
    counts = server.read(
        settings(server.options, scope), *(Sql(each) for each in _PROBLEMS.values())
    )
    name = f"{scope.principal.workspace}/{scope.collection}".rstrip("/")
    return tuple(
        f"workspace '{name}': {number} {problem}"
        for problem, (((number,),)) in zip(_PROBLEMS, counts, strict=True)
        if number
    )
