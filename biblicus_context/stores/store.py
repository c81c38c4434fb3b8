"""A store: views to read, batches to write, always for a principal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from hashlib import blake2b
from typing import Final, Self
from uuid import uuid4

from biblicus_context.base.doors import door
from biblicus_context.base.forks import GATE
from biblicus_context.stores import arguments, checks
from biblicus_context.stores.errors import AnswerLostError
from biblicus_context.stores.model import Batch
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.refusals import still_remembered
from biblicus_context.stores.remembered import REMEMBERED, VALUES, forget_kept, has_kept
from biblicus_context.stores.results import Action
from biblicus_context.stores.source import Applied, RemoteSource, Scope, Source
from biblicus_context.stores.travelling import Expected, TravellingReading
from biblicus_context.stores.view import View

_REPEATS: Final = 3
"""How often a write is made again whose answer was lost."""


@door
class Store:
    """Where evidence lives, over any source. All methods may be called from several threads at once.

    A principal reads, replaces, removes and relates what it can see; ids that it cannot see are
    unknown.
    """

    def __init__(self, source: Source, collection: str = "") -> None:
        self.source = source
        self._collection = collection
        self._remote = source if isinstance(source, RemoteSource) else None

    def collection(self, name: str) -> Store:
        """Another collection of the same source: each has its own ids, versions and statistics."""
        return Store(self.source, checks.name(name, "collection"))

    @property
    def is_remote(self) -> bool:
        """Whether its reads are trips to another machine, so that searches wait for them together."""
        return self._remote is not None

    @contextmanager
    def view(self, principal: Principal, *, at: int | None = None) -> Iterator[View]:
        """Read as this principal, all of it of one version: the newest one, unless `at` names another.

        A version that is no longer kept raises VersionGoneError.
        """
        with self.late_view(principal, at=at) as view:
            if at is not None:
                view.begin()
            yield view

    @contextmanager
    def late_view(
        self, principal: Principal, *, at: int | None = None, expected: Expected | None = None
    ) -> Iterator[View]:
        """The same, which may begin with its first read: that of a store on another machine does.

        What cannot be read is an error then; if it is not as it is `expected`, a ViewMovedError.
        """
        scope = self._scope(principal)
        with GATE.inside(), self.source.reading(scope, at) as reading:
            remote = self._remote
            own = TravellingReading(remote, reading, expected) if remote else reading
            view = View(own, principal)
            try:
                yield view
            finally:
                view.close()

    def write(
        self,
        principal: Principal,
        batch: Batch,
        *,
        expected_version: int | None = None,
        erase: bool = True,
        token: str | None = None,
    ) -> int:
        """Write a batch, which is durable as a whole or has not happened; returns the version it made.

        With an `expected_version`, a write on top of any other is a VersionConflictError, and nothing
        is written: so what was read of that version still holds.

        The counts of a block that its document loses go to the block that is there in its place.

        When this returns, no file holds bytes of what the batch removed or replaced, unless
        `remains_until` of the state says until when. Versions that show it have ended for those who
        could see it, and for nobody else. With `erase=False` both are left to `purge`, or to the next
        write that removes something: for an ingest of many batches.

        A write whose `token` is known was done before, and is not done again: its version is returned.
        So a program that does not know whether a write was done makes it once more with the same
        token. The tokens of the last 1,000 versions are kept.

        What this process, or this store, remembers of answers of the workspace is forgotten as well.
        """
        sound, scope = arguments.batch_of(batch), self._scope(principal)
        if expected_version is not None:
            checks.whole(expected_version, "expected_version")
        named = uuid4().hex if token is None else _named(principal, checks.name(token, "token"))
        # Before as well: whoever is killed in between leaves no answer of what is gone.
        if self._outlives(principal.workspace) and self._may_remove(principal, sound):
            self._forget_remembered(principal)
        with GATE.inside():
            applied = self._applied(scope, sound, expected_version, named, erase=erase)
        if applied.removes:
            self._forget_remembered(principal)
        return applied.version

    def _applied(
        self, scope: Scope, batch: Batch, expected: int | None, token: str, *, erase: bool
    ) -> Applied:
        for _ in range(_REPEATS):
            try:
                return self.source.apply(scope, batch, expected, token=token, erase=erase)
            except AnswerLostError:
                continue
        return self.source.apply(scope, batch, expected, token=token, erase=erase)

    def purge(
        self, principal: Principal, *, timeout: float = 60.0, all_versions: bool = True
    ) -> None:
        """End the versions that show what was removed from the collection, and erase its bytes.

        Waits for reads that still see it, up to `timeout` seconds: then it raises StillReadError.
        Without `all_versions`, those that the store still keeps (`keep_seconds`) stay. A cache of
        answers that still fails to forget them is a StoreError.
        """
        seconds, scope = checks.positive(timeout, "timeout"), self._scope(principal)
        with GATE.inside():
            is_erased = self.source.purge(scope, seconds, all_versions=all_versions)
            self.source.purge(Scope(VALUES), seconds, all_versions=all_versions)
        if all_versions or is_erased:
            failed = self._forget_remembered(principal, firmly=all_versions)
            if failed and all_versions:
                raise still_remembered(failed)

    def clear(self, principal: Principal) -> int:
        """Forget everything in the collection, and return the version that this makes.

        Nothing of it is left anywhere: no older version, no count, no activity, no byte of a text.
        Whoever may read its documents, all of them go, so the principal must be one that sees all.
        Where nothing was ever written, this makes no version.
        """
        scope = self._scope(checks.seeing_all(principal))
        self._forget_remembered(principal)
        with GATE.inside():
            version = self.source.forget(scope)
        self._forget_remembered(principal)
        return version

    def record_usage(
        self,
        principal: Principal,
        *,
        used: Sequence[str] = (),
        helpful: Sequence[str] = (),
        unhelpful: Sequence[str] = (),
        when: datetime | None = None,
    ) -> None:
        """Count blocks that were placed in a context (`when` they were), and feedback on blocks.

        This makes no version.
        """
        counts = arguments.usage_of(used, helpful, unhelpful, when)
        scope = self._scope(principal)
        with GATE.inside():
            self.source.count(scope, counts)

    def record_activity(
        self, principal: Principal, document_id: str, action: Action, when: datetime
    ) -> None:
        """Record that this user edited or viewed a document; one that it cannot see is ignored.

        The last time is kept for each document and action, of the last 1,000 for each user. This
        makes no version. It is forgotten with the document.
        """
        name = checks.name(document_id, "document_id")
        done, moment = arguments.action_of(action), arguments.moment_of(when)
        scope = self._scope(principal)
        with GATE.inside():
            self.source.note_activity(scope, name, done, moment)

    def record_source(self, principal: Principal, source: str) -> None:
        """Record where the documents come from; this makes no version."""
        name, scope = checks.name(source, "source"), self._scope(principal)
        with GATE.inside():
            self.source.note_source(scope, name)

    def record_filling(self, principal: Principal, *, finished: bool) -> None:
        """Record that an ingest begins to fill the collection, or has finished; this makes no version.

        A process that is killed between the two leaves it partial, for every process. To `clear` it
        ends that.
        """
        is_finished, scope = checks.boolean(finished, "finished"), self._scope(principal)
        with GATE.inside():
            self.source.note_filling(scope, finished=is_finished)

    def prepare(self, principal: Principal) -> None:
        """Do now what the first searches after an ingest would otherwise do."""
        with self.view(principal) as view:
            view.prepare()
        with GATE.inside():
            self.source.prepare(self._scope(principal))

    def check(self) -> tuple[str, ...]:
        """The problems of the store; empty if there are none. A check changes nothing."""
        return self.source.check()

    def vacuum(self) -> None:
        """Forget all but the newest version of every collection, and free the space.

        Others may read and write meanwhile.
        """
        self.source.tidy()

    def close(self) -> None:
        """Close all files; the store cannot be used afterwards."""
        self.source.close()

    def _outlives(self, workspace: str) -> bool:
        """Whether answers of a workspace may be remembered where a killed process leaves them."""
        if workspace == VALUES.workspace:
            return False
        return has_kept(self.source, workspace) or REMEMBERED.outlive

    def _may_remove(self, principal: Principal, batch: Batch) -> bool:
        if batch.remove or batch.unrelate:
            return True
        with self.view(principal) as view:
            return bool(view.documents([each.document.id for each in batch.put]))

    def _forget_remembered(self, principal: Principal, *, firmly: bool = False) -> tuple[str, ...]:
        if principal.workspace == VALUES.workspace:
            return ()
        if has_kept(self.source, principal.workspace):
            forget_kept(Store(self.source), principal.workspace)
        return REMEMBERED.forget(principal.workspace, firmly=firmly)

    def _scope(self, principal: Principal) -> Scope:
        return Scope(checks.known(principal), self._collection)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _named(principal: Principal, token: str) -> str:
    """Of this principal: the token of another one is not known to it, nor does a source keep any name."""
    who = [principal.user, sorted(principal.groups), principal.sees_all, token]
    return blake2b(json.dumps(who).encode(), digest_size=16).hexdigest()
