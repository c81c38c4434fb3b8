"""Postgres as a source: rows for what is looked up, packs for what rankings are computed from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Final, TypeVar

from biblicus_context.base.effects import Outcome
from biblicus_context.base.joining import joined as together
from biblicus_context.stores import checks, refusals
from biblicus_context.stores.arguments import MOST_ACTIVITY, RecordedUsage
from biblicus_context.stores.errors import StoreError
from biblicus_context.stores.matrix_files import MatrixFiles
from biblicus_context.stores.model import Batch
from biblicus_context.stores.moments import microseconds
from biblicus_context.stores.open_reads import OpenReads
from biblicus_context.stores.postgres import checking, cleanup, writing
from biblicus_context.stores.postgres.driver import PostgresServer, WriteTransaction
from biblicus_context.stores.postgres.opening import Owners
from biblicus_context.stores.postgres.reading import PostgresReading
from biblicus_context.stores.postgres.replica import Replica
from biblicus_context.stores.postgres.sql import joined, key_of, keys_of
from biblicus_context.stores.postgres.visibility import settings, space_key, visible
from biblicus_context.stores.ranking.word_packs import WordIndexer
from biblicus_context.stores.results import Action
from biblicus_context.stores.source import Applied, Ask, Reading, Scope
from biblicus_context.stores.sql import Sql, all_of

T = TypeVar("T")

GRACE_SECONDS: Final = 30.0
"""How long at least what a write removes stays for reads that began before it, in whatever process."""

_TABLES: Final = (
    *("document", "block", "pack", "recent", "posting", "vector", "relation", "usage", "activity"),
    *("space", "version", "token", "ended", "model"),
)
_MINE: Final = "(SELECT current_ws())"
_OF_BLOCK: Final = "FROM block b JOIN document d ON d.ws = b.ws AND d.row = b.document"
_LOCKED: Final = "SELECT ws FROM space WHERE key = %s FOR UPDATE"


class PostgresSource:
    """What is promised of each method is in the Protocol `Source`."""

    def __init__(
        self, server: PostgresServer, keep_seconds: float, replica: Replica | None = None
    ) -> None:
        self.server = server
        self.replica = replica
        cache = server.options.cache
        self._files = None if cache is None else MatrixFiles(Path(cache))
        seconds = max(GRACE_SECONDS, checks.positive(keep_seconds, "keep_seconds"))
        self._keep = int(1e6 * seconds)
        self._owners = Owners()
        self._indexer = WordIndexer()
        self._made: set[bytes] = set()
        self._readers = OpenReads()
        self._is_closed = False

    @contextmanager
    def reading(self, scope: Scope, at: int | None) -> Iterator[Reading]:
        """A read of one version; it holds no connection, and begins with what is asked first."""
        with self._readers.reading(space_key(scope)):
            yield PostgresReading(self.server, self._owners, scope, at, self.replica, self._files)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PostgresSource) and other.server == self.server

    def __hash__(self) -> int:
        return hash(self.server)

    def answer(self, asks: Sequence[Ask]) -> Sequence[Outcome]:
        """What several reads find: each asks the server, which gets all of it at once."""
        others = [each for each in asks if each.name != "names"]
        if len(others) == 1 and all(each.reading is others[0].reading for each in asks):
            # What blocks are called is nearly always known, once the other one has opened the read: a
            # thread for each of them would cost more than all else that a search does here.
            first = others[0].answered()
            return [first if each is others[0] else each.answered() for each in asks]
        return together([each.answered for each in asks])

    def is_made(self, scope: Scope) -> bool:
        """Whether there is a row for the collection."""
        key = space_key(scope)
        if key not in self._made:
            own = settings(self.server.options, scope)
            (found,) = self.server.read(own, Sql("SELECT 1 FROM space WHERE key = %s", (key,)))
            if found:
                self._made.add(key)
        return key in self._made

    def apply(
        self, scope: Scope, batch: Batch, expected: int | None, *, token: str, erase: bool
    ) -> Applied:
        """Write a batch in one transaction."""
        key = space_key(scope)
        written = self._write(
            scope,
            lambda transaction: writing.write(
                transaction,
                scope,
                batch,
                expected,
                token=token,
                keep=self._keep,
                indexer=self._indexer,
                is_made=key in self._made,
            ),
        )
        self._made.add(key)
        if written.due.is_unsorted or (erase and written.due.has_ended):
            # It is written. What is left undone here, the next write does.
            with suppress(StoreError):
                self._tend(scope, self._keep, sweeps=erase)
                if written.due.is_unsorted:  # many blocks came since
                    self._refresh_statistics(scope)
        return written.applied

    def purge(self, scope: Scope, seconds: float, *, all_versions: bool) -> bool:
        """Delete what was removed, once no read of this process sees it."""
        if not self.is_made(scope):
            return False
        keep = 0 if all_versions else self._keep
        if not self._readers.wait(space_key(scope), seconds):
            raise refusals.still_read(self.server.options.name, seconds)
        has_swept = self._tend(scope, keep, sweeps=True)
        self._forget_files(scope)
        return has_swept

    def _forget_files(self, scope: Scope) -> None:
        """What this machine keeps of a collection may be of blocks that are to be forgotten."""
        if self._files is None:
            return
        own = settings(self.server.options, scope)
        asked = Sql("SELECT identity::text FROM space WHERE key = %s", (space_key(scope),))
        (found,) = self.server.read(own, asked)
        for (identity,) in found:
            self._files.forget(identity)

    def _tend(self, scope: Scope, keep: int, *, sweeps: bool) -> bool:
        """Delete what has ended so long ago, and sort words; whether anything was deleted."""

        def tend(transaction: WriteTransaction) -> bool:
            ws = self._taken(transaction, scope)
            (found,), ((last,),) = transaction.ask(
                cleanup.due(ws, keep), cleanup.last_ended(ws, keep)
            )
            due = cleanup.Due(*found)
            has_swept = sweeps and cleanup.sweep(transaction, ws, last)
            if due.is_unsorted:
                cleanup.sort_recent(transaction, ws, due)
            transaction.ask(commit=True)
            return has_swept

        return self._write(scope, tend)

    def forget(self, scope: Scope) -> int:
        """Forget everything."""

        def forget(transaction: WriteTransaction) -> int:
            ws = self._taken(transaction, scope)
            version = cleanup.clear(transaction, ws)
            transaction.ask(commit=True)
            return version

        if not self.is_made(scope):
            return 0
        version = self._write(scope, forget)
        self._forget_files(scope)
        return version

    def count(self, scope: Scope, usage_: RecordedUsage) -> None:
        """Count uses of blocks, and feedback on blocks."""
        if not self.is_made(scope):
            return
        when = None if usage_.when is None else microseconds(usage_.when)
        statements = [_shared(scope)]
        for column, ids in (("helpful", usage_.helpful), ("unhelpful", usage_.unhelpful)):
            if ids:
                statements.append(_counted(scope, column, ids))
        if usage_.used and when is not None:
            statements.append(_counted(scope, "used", usage_.used, when))
            statements.append(
                joined(
                    Sql("UPDATE document SET accessed = greatest(accessed, %s) WHERE", (when,)),
                    f"ws = {_MINE} AND row IN (SELECT d.row {_OF_BLOCK} WHERE",
                    _seen_blocks(scope, usage_.used),
                    ")",
                )
            )
        self._write(
            scope,
            lambda transaction: transaction.ask(*statements, commit=True),
            sees_all=scope.principal.sees_all,
        )

    def note_activity(self, scope: Scope, document: str, action: Action, when: datetime) -> None:
        """Record that this user edited or viewed a document."""
        if not self.is_made(scope):
            return
        who, at = scope.principal.user or "", microseconds(when)
        record = joined(
            Sql(
                "INSERT INTO activity (ws, who, who_key, document, document_id, action, last, times)"
                " SELECT d.ws, %s, %s, d.id_key, d.id, %s, %s, 1 FROM document d WHERE",
                (who, key_of(who), action, at),
            ),
            all_of(_seen(scope), Sql("d.id_key = %s", (key_of(document),))),
            "ON CONFLICT (ws, who_key, document, action) DO UPDATE SET"
            " last = greatest(activity.last, excluded.last), times = activity.times + 1",
        )
        bound = Sql(
            "DELETE FROM activity a USING (SELECT x.document, x.action FROM activity x"
            f" WHERE x.ws = {_MINE} AND x.who_key = %s"
            " ORDER BY x.last DESC, x.document_id, x.action OFFSET %s) o"
            f" WHERE a.ws = {_MINE} AND a.who_key = %s AND a.document = o.document AND a.action = o.action",
            (key_of(who), MOST_ACTIVITY, key_of(who)),
        )
        self._write(
            scope,
            lambda transaction: transaction.ask(_shared(scope), record, bound, commit=True),
            sees_all=scope.principal.sees_all,
        )

    def note_source(self, scope: Scope, source: str) -> None:
        """Record where documents come from."""
        self._note(scope, Sql("source = %s", (source,)))

    def note_filling(self, scope: Scope, *, finished: bool) -> None:
        """Record that an ingest begins to fill a collection, or has finished."""
        self._note(scope, Sql("is_partial = %s", (not finished,)))

    def prepare(self, scope: Scope) -> None:
        """Sort the newest words, and tell the planner what there is."""
        if self.is_made(scope):
            with suppress(StoreError):
                self._tend(scope, self._keep, sweeps=False)
                self._refresh_statistics(scope)

    def _refresh_statistics(self, scope: Scope) -> None:
        statement = Sql("SELECT refresh_statistics()")
        self._write(scope, lambda transaction: transaction.ask(statement, commit=True))

    def check(self) -> tuple[str, ...]:
        """What is wrong, one sentence each."""
        every = checking.scopes(self.server)
        return tuple(each for scope in every for each in checking.problems(self.server, scope))

    def tidy(self) -> None:
        """Forget all but the newest versions, and free the space."""
        for scope in checking.scopes(self.server):
            self.tidy_collection(scope)
        schema = self.server.options.schema
        for (
            table
        ) in _TABLES:  # of another owner, each is skipped with a warning in the server's log
            self.server.run(f'VACUUM (ANALYZE) "{schema}"."{table}"')

    def tidy_collection(self, scope: Scope) -> None:
        """Forget all but the newest version of one collection, and pack again what is left."""

        def tidy(transaction: WriteTransaction) -> None:
            cleanup.tidy(transaction, self._taken(transaction, scope))
            transaction.ask(commit=True)

        self._write(scope, tidy)

    def close(self) -> None:
        """Close the connections, unless another store of this process uses them."""
        if not self._is_closed:
            self._is_closed = True
            self.server.close()
            if self.replica is not None:
                self.replica.server.close()

    def _write(
        self, scope: Scope, use: Callable[[WriteTransaction], T], *, sees_all: bool = True
    ) -> T:
        """A write sees what its principal does not: ids that are taken, words that others have too."""
        return self.server.write(settings(self.server.options, scope, sees_all=sees_all), use)

    def _taken(self, transaction: WriteTransaction, scope: Scope) -> int:
        """The number of a collection, which nobody else writes to until the transaction ends."""
        (((ws,),),) = transaction.ask(Sql(_LOCKED, (space_key(scope),)))
        return int(ws)

    def _note(self, scope: Scope, change: Sql) -> None:
        def note(transaction: WriteTransaction) -> None:
            who, key = scope.principal, space_key(scope)
            made = Sql(writing.MAKE, (key, who.workspace, scope.collection))
            update = joined("UPDATE space SET", change, Sql("WHERE key = %s", (key,)))
            transaction.ask(made, update, commit=True)

        self._write(scope, note)


def _shared(scope: Scope) -> Sql:
    """Keeps the newest version the newest one until the transaction ends."""
    return Sql("SELECT ws FROM space WHERE key = %s FOR SHARE", (space_key(scope),))


def _seen(scope: Scope) -> Sql:
    return visible(Sql(_MINE), scope.principal, None, is_hidden=False, alias="d")


def _seen_blocks(scope: Scope, ids: Sequence[str]) -> Sql:
    return all_of(_seen(scope), Sql("b.id_key = ANY (%s::bytea[])", (keys_of(ids),)))


def _counted(scope: Scope, column: str, ids: Sequence[str], when: int | None = None) -> Sql:
    """One more for each of these blocks; in one order, so that two that count do not wait for each other."""
    last, later, moment = "", "", Sql("")
    if when is not None:
        last = ", last_used"
        later = ", last_used = greatest(usage.last_used, excluded.last_used)"
        moment = Sql(", %s::bigint", (when,))
    return joined(
        f"INSERT INTO usage (ws, block, {column}{last}) SELECT DISTINCT b.ws, b.id_key, 1",
        moment,
        f"{_OF_BLOCK} WHERE",
        _seen_blocks(scope, ids),
        "ORDER BY b.id_key ON CONFLICT (ws, block) DO UPDATE SET"
        f" {column} = usage.{column} + 1{later}",
    )
