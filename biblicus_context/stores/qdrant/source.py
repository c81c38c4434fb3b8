"""Qdrant as a source: packs by id, and one point for each collection that names what is true of it.

Qdrant has no transactions. So what is written is there before anything names it, and then the head is replaced,
if it is still the one that the writer has read: of two writers one wins, and the other begins again on top of it.
Whoever reads keeps to the head that it has read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from biblicus_context.base.effects import Outcome
from biblicus_context.base.joining import joined
from biblicus_context.stores import checks, refusals
from biblicus_context.stores.arguments import MOST_ACTIVITY, RecordedUsage
from biblicus_context.stores.errors import StoreError
from biblicus_context.stores.model import Batch
from biblicus_context.stores.moments import microseconds
from biblicus_context.stores.open_reads import OpenReads
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.qdrant import upkeep, writing
from biblicus_context.stores.qdrant.catalogue import Catalogue, KnownDocument, is_readable
from biblicus_context.stores.qdrant.head import Facts, Head
from biblicus_context.stores.qdrant.reading import QdrantReading
from biblicus_context.stores.qdrant.space import Space, Spaces
from biblicus_context.stores.ranking.word_packs import WordIndexer
from biblicus_context.stores.results import Action
from biblicus_context.stores.source import Applied, Ask, Reading, Scope

GRACE_SECONDS: Final = 30.0
"""How long at least what a write removes stays for reads that began before it, in whatever process."""

_TRIES: Final = 100
_TRIPS: Final = frozenset(
    (
        *("read", "spelt_like", "evidence", "evidence_at", "evidence_of", "blocks_of"),
        *("vectors", "vectors_at", "known_vectors"),
    )
)
"""What may ask the server for more than the head."""


class QdrantSource:
    """What is promised of each method is in the Protocol `Source`."""

    def __init__(
        self,
        spaces: Spaces,
        keep_seconds: float,
        *,
        clock: Callable[[], int] = time.time_ns,
    ) -> None:
        self._spaces = spaces
        self._points = spaces.points
        seconds = max(GRACE_SECONDS, checks.positive(keep_seconds, "keep_seconds"))
        self._keep = int(1e6 * seconds)
        self._clock = clock
        self._indexer = WordIndexer()
        self._reads = OpenReads()
        self._is_closed = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, QdrantSource) and other._spaces is self._spaces

    def __hash__(self) -> int:
        return id(self._spaces)

    @contextmanager
    def reading(self, scope: Scope, at: int | None) -> Iterator[Reading]:
        """A read of one version, which begins with what is asked first."""
        space = self._space(scope)
        with self._reads.reading(space.key):
            yield QdrantReading(space, scope, at, self._spaces.files)

    def answer(self, asks: Sequence[Ask]) -> Sequence[Outcome]:
        """What several reads find: what all of them need of the server travels together."""
        of_one = all(each.reading is asks[0].reading for each in asks)
        if of_one and sum(each.name in _TRIPS for each in asks) <= 1:
            # All but one of them are known once the head is: threads would cost more than they do.
            return [each.answered() for each in asks]
        return joined([each.answered for each in asks])

    def is_made(self, scope: Scope) -> bool:
        """Whether the collection has a head."""
        space = self._space(scope)
        if not space.is_made:
            space.follow()
        return space.is_made

    def apply(
        self, scope: Scope, batch: Batch, expected: int | None, *, token: str, erase: bool
    ) -> Applied:
        """Write a batch, and do what is due after it."""
        space = self._space(scope)
        with space.writing:
            applied = writing.apply(
                space,
                scope,
                batch,
                expected,
                token=token,
                keep=self._keep,
                now=self._now,
                indexer=self._indexer,
            )
            # It is written. What is left undone here, the next write does.
            with suppress(StoreError):
                if upkeep.is_merging_due(space.head):
                    upkeep.merge(space, self._now)
                if erase and self._is_cleaning_due(space):
                    upkeep.clean(space, None, self._now, self._keep)
        return applied

    def _is_cleaning_due(self, space: Space) -> bool:
        known = space.catalogue
        with space.lock:
            version = upkeep.last_ended(known, self._now, self._keep)
            return upkeep.is_cleaning_due(known, version)

    def purge(self, scope: Scope, seconds: float, *, all_versions: bool) -> bool:
        """Remove what was removed, once no read of this process sees it."""
        if not self.is_made(scope):
            return False
        space = self._space(scope)
        if not self._reads.wait(space.key, seconds):
            raise refusals.still_read(self._points.place, seconds)
        with space.writing:
            version = space.follow()[0].version if all_versions else None
            found = upkeep.clean(space, version, self._now, self._keep)
            upkeep.dispose(space, self._now)
        self._forget_files(space)
        return found

    def _forget_files(self, space: Space) -> None:
        if self._spaces.files is not None:
            self._spaces.files.forget(space.head.identity)

    def forget(self, scope: Scope) -> int:
        """Forget everything."""
        if not self.is_made(scope):
            return 0
        space = self._space(scope)
        with space.writing:
            version = upkeep.forget(space, self._now)
        self._forget_files(space)
        return version

    def count(self, scope: Scope, usage_: RecordedUsage) -> None:
        """Count uses of blocks, and feedback on blocks."""
        self._note(
            scope, lambda head, known: (head, _counted(head, known, scope.principal, usage_))
        )

    def note_activity(self, scope: Scope, document: str, action: Action, when: datetime) -> None:
        """KnownDocument that this user edited or viewed a document."""
        self._note(
            scope,
            lambda head, known: (
                head,
                _acted(head, known, scope.principal, document, action, microseconds(when)),
            ),
        )

    def note_source(self, scope: Scope, source: str) -> None:
        """KnownDocument where documents come from."""
        self._note(scope, lambda head, _: (replace(head, source=source), {}), makes=True)

    def note_filling(self, scope: Scope, *, finished: bool) -> None:
        """KnownDocument that an ingest begins to fill a collection, or has finished."""
        self._note(scope, lambda head, _: (replace(head, is_partial=not finished), {}), makes=True)

    def _note(
        self,
        scope: Scope,
        change: Callable[[Head, Catalogue], tuple[Head, Facts]],
        *,
        makes: bool = False,
    ) -> None:
        """Commit what makes no version."""
        if not makes and not self.is_made(scope):
            return
        space = self._space(scope)
        for _ in range(
            _TRIES
        ):  # not behind a long write of this process: heads are replaced one by one
            head, known, _ = space.follow()
            with space.lock:
                newer, facts = change(head, known)
            if newer == head and not facts and head.seq:
                return
            if writing.commit(space, head, newer, facts, now=self._now):
                break
        else:
            problem = "other writers were faster, again and again"
            raise StoreError(problem, place=self._points.place, fix="Try again.")
        if upkeep.is_merging_due(space.head) and space.writing.acquire(blocking=False):
            try:
                with suppress(StoreError):
                    upkeep.merge(space, self._now)
            finally:
                space.writing.release()

    def prepare(self, scope: Scope) -> None:
        """Merge packs that are due."""
        if self.is_made(scope):
            space = self._space(scope)
            with space.writing, suppress(StoreError):
                upkeep.merge(space, self._now)

    def check(self) -> tuple[str, ...]:
        """What is wrong, one sentence each."""
        return tuple(
            f"{self._points.place}: {problem} (workspace {scope.principal.workspace!r},"
            f" collection {scope.collection!r})"
            for scope in self._spaces.every()
            for problem in upkeep.problems(self._space(scope))
        )

    def tidy(self) -> None:
        """Forget all but the newest versions, and what writes left that were not finished."""
        for scope in self._spaces.every():
            space = self._space(scope)
            with space.writing:
                upkeep.tidy(space, self._now)

    def close(self) -> None:
        """Close the connection, unless another store of this process uses it."""
        if not self._is_closed:
            self._is_closed = True
            self._spaces.close()

    @property
    def _now(self) -> int:
        return self._clock() // 1000

    def _space(self, scope: Scope) -> Space:
        if self._is_closed:
            raise StoreError("the store is closed", place=self._points.place)
        return self._spaces.of(scope)


def _counted(head: Head, known: Catalogue, who: Principal, counts: RecordedUsage) -> Facts:
    """One more for each of these blocks that can be seen."""
    usage: dict[str, list[Any]] = {}
    accessed: dict[str, int] = {}
    when = None if counts.when is None else microseconds(counts.when)
    for place, ids in enumerate((counts.used, counts.helpful, counts.unhelpful)):
        for id_ in dict.fromkeys(ids):
            record = _seen_block(head, known, who, id_)
            if record is None or (place == 0 and when is None):
                continue
            own = usage.setdefault(id_, [*known.usage.get(id_, (0, 0, 0, None))])
            own[place] += 1
            if place == 0 and when is not None:
                own[3] = max(own[3] or when, when)
                last = known.shown(record).accessed
                before = when if last is None else microseconds(last)
                row = str(record.row)
                accessed[row] = max(accessed.get(row, before), before, when)
    found: Mapping[str, Any] = {"usage": usage, "accessed": accessed}
    return {name: each for name, each in found.items() if each}


def _seen_block(head: Head, known: Catalogue, who: Principal, id_: str) -> KnownDocument | None:
    found = known.block(id_, head.version)
    return found[0] if found is not None and is_readable(found[0].document, who) else None


def _acted(
    head: Head, known: Catalogue, who: Principal, document: str, action: Action, when: int
) -> Facts:
    """What a user did last; of so many documents only."""
    record = known.alive(document, head.version)
    if record is None or not is_readable(record.document, who):
        return {}
    user = who.user or ""
    own = known.activity.get(user, {})
    last, times = own.get((document, action), (when, 0))
    listed: list[list[Any]] = [[user, document, action, max(last, when), times + 1]]
    after = own | {(document, action): (max(last, when), times + 1)}
    surplus = sorted(after.items(), key=lambda each: (-each[1][0], each[0]))[MOST_ACTIVITY:]
    return {"activity": listed + [[user, *key, None, 0] for key, _ in surplus]}
