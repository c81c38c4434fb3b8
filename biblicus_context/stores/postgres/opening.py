"""A read begins: the version that it is pinned to, and what is known of the collection, in one round trip."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import Final

from biblicus_context.base.forks import child_lock
from biblicus_context.stores import checks
from biblicus_context.stores.moments import moment
from biblicus_context.stores.postgres.driver import Rows
from biblicus_context.stores.postgres.sql import FOREVER, joined
from biblicus_context.stores.postgres.visibility import readable, reader_digests, space_key
from biblicus_context.stores.results import WorkspaceState
from biblicus_context.stores.source import Owner, ReadState, Scope
from biblicus_context.stores.sql import ALWAYS, Sql, all_of

MOST_VERSIONS: Final = 100_000
"""Versions that can be read at most, or the table of their times would grow without end."""

_OWN_OLDEST: Final = (
    "coalesce((SELECT max(e.version) FROM ended e"
    " WHERE e.ws = s.ws AND e.reader = ANY (%s) AND e.other = ANY (%s)), 0)"
)
_SPACE: Final = (
    "SELECT s.ws, s.identity::text, s.version, s.oldest, s.documents, s.blocks, s.repacked, s.sorted,"
    " s.source, s.is_partial, s.remains,"
)
_WRITTEN: Final = (
    "(SELECT v.written FROM version v WHERE v.ws = s.ws AND v.number <= coalesce(%s::bigint, s.version)"
    " ORDER BY v.number DESC LIMIT 1),"
)
_AT: Final = (
    "d.added <= coalesce(%s::bigint, s.version) AND d.removed > coalesce(%s::bigint, s.version)"
)
_ENDS: Final = "(d.valid_from IS NOT NULL OR d.valid_to IS NOT NULL)"
_KEPT: Final = "d.ws = s.ws AND d.removed <= s.version"


@dataclass(frozen=True, slots=True)
class Opened:
    """What a read of one collection is pinned to."""

    owner: Owner
    identity: str
    """Of the collection, also in another process."""
    ws: int
    pin: ReadState
    sorted: int
    """The last block whose words are sorted."""
    state: WorkspaceState
    guard: Sql
    """What each later trip asks besides: whether the version has ended, and what is sorted by now."""


class Owners:
    """The owner of each collection, as this process knows it; of all threads."""

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[str, int, Owner]] = {}
        self._lock: Lock = child_lock()

    def of(self, key: bytes, identity: str, newest: int) -> Owner:
        """A new one where the collection is another one, or was put back to an earlier state."""
        with self._lock:
            known = self._known.get(key)
            if known is None or known[0] != identity or known[1] > newest + MOST_VERSIONS:
                known = (identity, newest, Owner())
            self._known[key] = (identity, max(known[1], newest), known[2])
            return known[2]


def opened(owners: Owners, scope: Scope, at: int | None, found: Rows) -> Opened:
    """A read, from the answer to `pin`; a version that has ended is refused."""
    who, key = scope.principal, space_key(scope)
    if not found:
        version = 0 if at is None else checks.version(at, 0, 0)
        pinned = ReadState(version, 0, 0, 0, 0, 0, version)
        return Opened(owners.of(key, "", 0), "", 0, pinned, 0, WorkspaceState(0), ALWAYS)
    (
        ws, identity, newest, oldest, documents, blocks, repacked, sorted_,
        source, is_partial, remains, ended, written, ages, sees_remains, hidden,
    ) = found[0]  # fmt: skip
    version = newest
    if at is not None:
        kept = oldest if who.sees_all else ended
        version = checks.version(at, max(kept, newest - MOST_VERSIONS), newest)
    pinned = ReadState(version, newest, oldest, documents, blocks, repacked, hidden or version)
    until = moment(remains) if sees_remains else None
    state = WorkspaceState(version, moment(written), source, ages, is_partial, until)
    owner = owners.of(key, identity, newest)
    return Opened(owner, identity, ws, pinned, sorted_, state, _guard(scope, ws))


def ended_before(scope: Scope) -> Sql:
    """The oldest version that a principal can read, as an expression over `space s`."""
    if scope.principal.sees_all:
        return Sql("s.oldest")
    names = reader_digests(scope.principal)
    return Sql(_OWN_OLDEST, (names, names))


def _guard(scope: Scope, ws: int) -> Sql:
    return joined(
        "SELECT", ended_before(scope), Sql(", s.sorted FROM space s WHERE s.ws = %s", (ws,))
    )


def pin(scope: Scope, at: int | None) -> Sql:
    """Asks what a version is, else the newest one, and what is known of the collection."""
    if at is not None and not (isinstance(at, int) and 0 <= at < FOREVER):
        at = 0  # it is refused once it is known which ones are kept
    may_read = readable(scope.principal)
    ages = all_of(Sql(f"d.ws = s.ws AND {_ENDS}"), Sql(_AT, (at, at)), may_read)
    return joined(
        _SPACE,
        ended_before(scope),
        ",",
        Sql(_WRITTEN, (at,)),
        "EXISTS (SELECT FROM document d WHERE",
        ages,
        "),",
        _sees_remains(scope),
        ",",
        _hidden(scope, at),
        Sql("FROM space s WHERE s.key = %s", (space_key(scope),)),
    )


def _sees_remains(scope: Scope) -> Sql:
    """Whether the principal could see something that was removed and is still kept."""
    if scope.principal.sees_all:
        return Sql("s.remains IS NOT NULL")
    may_read = readable(scope.principal)
    end = "EXISTS (SELECT FROM document d WHERE d.ws = s.ws AND d.id_key = r.{}_key AND"
    return joined(
        "s.remains IS NOT NULL AND (EXISTS (SELECT FROM document d WHERE",
        all_of(Sql(_KEPT), may_read),
        ") OR EXISTS (SELECT FROM relation r WHERE r.ws = s.ws AND r.removed <= s.version AND",
        end.format("source"),
        Sql(f"({may_read.text})", may_read.values),
        ") AND",
        end.format("target"),
        Sql(f"({may_read.text})", may_read.values),
        ")))",
    )


def _hidden(scope: Scope, at: int | None) -> Sql:
    """The last version after this one that hid something that could be read."""
    who = scope.principal
    if at is None or who.sees_all:
        return Sql("NULL::bigint")
    return joined(
        Sql(
            "(SELECT max(h.added) FROM hidden_since(s.ws, %s::bigint, %s::text, %s::text[]) h"
            " JOIN document d ON d.ws = s.ws AND d.id_key = h.id_key WHERE",
            (at, who.user, sorted(who.groups)),
        ),
        all_of(Sql(_AT, (at, at)), readable(who)),
        ")",
    )
