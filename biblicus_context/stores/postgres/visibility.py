"""What a principal sees of a version, as one condition: the one place that says so in queries.

The policies of the tables say it a second time, from the settings of the transaction.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from biblicus_context.stores.postgres.options import ServerOptions
from biblicus_context.stores.postgres.sql import FOREVER, joined
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.source import Scope
from biblicus_context.stores.sql import ALWAYS, Sql, all_of

_SETTINGS: Final = (
    "SELECT set_config('role', %s, true), set_config('search_path', %s, true),"
    " set_config('biblicus_context.space', %s, true), set_config('biblicus_context.user', %s, true),"
    " set_config('biblicus_context.groups', %s::text[]::text, true),"
    " set_config('biblicus_context.sees_all', %s, true),"
    " set_config('biblicus_context.maintenance', %s, true),"
    " set_config('statement_timeout', %s, true), set_config('lock_timeout', %s, true),"
    " set_config('idle_in_transaction_session_timeout', %s, true)"
)


def space_key(scope: Scope) -> bytes:
    """By which a collection of a workspace is found."""
    return sha256(scope.name.encode()).digest()


def settings(
    options: ServerOptions,
    scope: Scope | None,
    *,
    sees_all: bool | None = None,
) -> Sql:
    """The settings of one transaction, which end with it: a pooler gives its connection to others.

    Without a scope they are those of maintenance, which lists collections and reads none.
    """
    who = Principal("") if scope is None else scope.principal
    limit = f"{round(1000 * options.patience)}ms"
    return Sql(
        _SETTINGS,
        (
            options.role,
            f'"{options.schema}", pg_catalog, pg_temp',
            "" if scope is None else space_key(scope).hex(),
            who.user or "",
            sorted(who.groups),
            "on" if (who.sees_all if sees_all is None else sees_all) else "off",
            "on" if scope is None else "off",
            limit,
            limit,
            limit,
        ),
    )


def alive(at: int | None, alias: str = "d") -> Sql:
    """The condition that a row is in a version; in the newest one of the moment, if none is named."""
    if at is None:
        return Sql(f"{alias}.removed = {FOREVER}")
    return Sql(f"{alias}.added <= %s AND {alias}.removed > %s", (at, at))


def readable(principal: Principal, alias: str = "d") -> Sql:
    """The condition that a document, of whatever version, may be read."""
    if principal.sees_all:
        return ALWAYS
    text = (
        f"NOT {alias}.restricted OR %s::text = ANY ({alias}.users) OR {alias}.groups && %s::text[]"
    )
    return Sql(text, (principal.user, sorted(principal.groups)))


def visible(ws: Sql, principal: Principal, at: int | None, *, is_hidden: bool, alias: str) -> Sql:
    """The condition that a document is seen; `is_hidden` if something of the version was hidden since."""
    own = all_of(joined(f"{alias}.ws =", ws), alive(at, alias), readable(principal, alias))
    if not is_hidden:
        return own
    # By the readers of then and of now. Any later state of a document counts: also one that was
    # removed since, or that another document of the same id has followed.
    since = joined("(", ws, Sql(", %s::bigint, %s::text, %s::text[])", (at, *_names(principal))))
    ids = joined(f"{alias}.id_key NOT IN (SELECT h.id_key FROM hidden_since", since, "h)")
    # In a tree, a document may have the title of one that it is inside, or was inside then.
    titles = joined(
        f"{alias}.title = '' OR {alias}.parent IS NULL OR {alias}.own_readers IS NULL"
        f" OR {alias}.title NOT IN (SELECT titles_since",
        since,
        ")",
    )
    return all_of(own, ids, titles)


def _names(principal: Principal) -> tuple[str | None, list[str]]:
    return principal.user, sorted(principal.groups)


def reader_digests(principal: Principal) -> list[bytes]:
    """The names of a principal as `ended` keeps them: the name itself may be what is to be forgotten."""
    named = [f"1:{each}" for each in sorted(principal.groups)]
    named += [] if principal.user is None else [f"0:{principal.user}"]
    return [b"", *(sha256(each.encode()).digest() for each in named)]
