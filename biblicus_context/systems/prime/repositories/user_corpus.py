"""A corpus of which each user has a workspace: ids, counts and statistics of users never meet."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Collection, Hashable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from biblicus_context.base import door
from biblicus_context.corpora import Corpus, Evidence, Removed, read_in_thread
from biblicus_context.ingest import Record
from biblicus_context.stores import Activity, Principal, View, WorkspaceState
from biblicus_context.systems.prime.repositories.arguments import text, yes_or_no

NOTHING_SHARED: Final = "nothing was shared"
"""The version of what users share before anybody did."""
_OF_THE_CALL: Final = ("query", "limit")


@door
class UserCorpus:
    """Async methods of one user each, over any store; `workspace` is a tenant.

    >>> import asyncio
    >>> from tempfile import mkdtemp
    >>> notes = UserCorpus(Corpus.open_records(mkdtemp()), "acme")
    >>> asyncio.run(notes.put("ann", [Record(id="tea", text="Green tea wants 80 degrees.")]))
    >>> [len(asyncio.run(notes.search(user, "tea"))) for user in ("ann", "bob")]
    [1, 0]
    """

    def __init__(self, corpus: Corpus, workspace: str) -> None:
        self._corpus, self._workspace = corpus, workspace
        corpus.put(())  # makes the store

    def principal(self, user_id: str) -> Principal:
        """Who reads and writes for a user, in a workspace such as `acme/ann`."""
        user, tenant = text(user_id, "user_id"), self._workspace
        # Names may have a slash: the length says which one separates them.
        start = f"{len(tenant)}:" if "/" in tenant + user else ""
        return Principal(f"{start}{tenant}/{user}", user=user)

    def of(self, user_id: str) -> Corpus:
        """The corpus as this user; its methods are not async."""
        return self._corpus.for_principal(self.principal(user_id))

    def shared(self, user_id: str | None = None, groups: Collection[str] = ()) -> Corpus:
        """What users of the tenant share, as this user with these groups sees it; None: all of it."""
        everything = Principal(self._workspace, sees_all=True)
        if user_id is None:
            return self._corpus.for_principal(everything)
        who = Principal(self._workspace, user=text(user_id, "user_id"), groups=frozenset(groups))
        return self._corpus.for_principal(who)

    async def version(self, user_id: str, *, with_views: bool = False) -> Hashable:
        """What changes with every write for the user; `with_views` also when the user views a record."""
        return await to_thread(self.read_version, user_id, with_views=with_views)

    def read_version(self, user_id: str, *, with_views: bool = False) -> Hashable:
        """The same, read in the thread of the caller."""
        return self._version(self.principal(user_id), with_views=with_views)

    async def put(self, user_id: str, records: Sequence[Record]) -> None:
        """Write records of the user, all of them or none."""
        await to_thread(self.of(user_id).put, records)

    async def remove(self, user_id: str, ids: Sequence[str]) -> Removed:
        """Remove records of the user with their relations and counts."""
        return await to_thread(self.of(user_id).remove, ids)

    async def clear(self, user_id: str) -> tuple[str, ...]:
        """Remove all that the user has; returns the ids of what was there."""
        return await to_thread(_cleared, self.of(user_id))

    async def remains_until(self, user_id: str) -> datetime | None:
        """Until when files may hold bytes of what was removed or replaced; None: none do."""
        corpus = self.of(user_id)
        return await to_thread(lambda: corpus.remains_until)

    async def purge(self, user_id: str, timeout: float = 60.0) -> None:
        """Wait up to so many seconds for reads that still need what was removed, and erase it."""
        await to_thread(self.of(user_id).purge, timeout)

    async def search(
        self,
        user_id: str,
        query: str,
        settings: Mapping[str, Any] | None = None,
        *,
        limit: int = 10,
    ) -> list[Evidence]:
        """What a retriever with these settings finds, whatever query and limit they have."""
        own = {name: each for name, each in (settings or {}).items() if name not in _OF_THE_CALL}
        corpus = self.of(user_id)
        return await read_in_thread(corpus, partial(corpus.search, query, limit=limit, **own))

    async def record_view(self, user_id: str, record_id: str) -> None:
        """Record that the user opened a record now; an unknown one is ignored."""
        record, now = self._corpus.store.record_activity, datetime.now(UTC)
        who, known = self.principal(user_id), text(record_id, "record_id")
        await to_thread(record, who, known, "view", now)

    async def record_feedback(self, user_id: str, item_id: str, *, useful: bool) -> bool:
        """Count feedback on a block, or on all blocks of a record; False if there is none of this id."""
        item, is_useful = text(item_id, "item_id"), yes_or_no(useful, "useful")
        return await to_thread(self.of(user_id).record_feedback, item, useful=is_useful)

    def _version(self, who: Principal, *, with_views: bool) -> Hashable:

        def read(view: View) -> tuple[WorkspaceState, Sequence[Activity]]:
            viewed = view.activity(limit=1) if with_views else ()
            return view.state, viewed

        state, viewed = self._corpus.for_principal(who).index.read(None, read)
        return self._named(who, state, viewed)

    def read_shared_version(self) -> Hashable:
        """What changes with every write to what users share, read in the thread of the caller."""
        who = Principal(self._workspace, sees_all=True)
        state = self._corpus.for_principal(who).index.read(None, lambda view: view.state)
        return self._named(who, state, ()) if state.version else NOTHING_SHARED

    def _named(self, who: Principal, state: WorkspaceState, viewed: Sequence[Activity]) -> Hashable:
        written = who.workspace, str(self._corpus.place), state.version, str(state.changed)
        return *written, *(str(each.when) for each in viewed)


def _cleared(corpus: Corpus) -> tuple[str, ...]:
    ids = tuple(each.id for each in corpus.documents())
    corpus.clear()
    return ids
