"""A corpus of which each user has a workspace: ids, counts and statistics of users never meet."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Hashable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from biblicus_context import Corpus, Evidence, InputError, Principal, Record, Relation, RelationTo

_THREAD: Final = "thread:"
"""Begins the id of what stands for a thread; no other record may have such an id."""
_REFERENCE: Final = "reference"


def is_thread(record_id: str) -> bool:
    """Whether this is the id of what stands for a thread."""
    return record_id.startswith(_THREAD)


class UserCorpus:
    """Async methods of one user each, over any store."""

    def __init__(self, corpus: Corpus, workspace: str) -> None:
        self._corpus, self._workspace = corpus, workspace
        corpus.put_many(())  # makes the store

    def principal(self, user_id: str) -> Principal:
        """Who reads and writes for a user; the length keeps apart names that contain a slash."""
        return Principal(f"{len(self._workspace)}:{self._workspace}/{user_id}", user=user_id)

    async def version(self, user_id: str) -> Hashable:
        """What changes with every write for the user."""
        state = await to_thread(self._corpus.store.state, self.principal(user_id))
        return state.version, str(state.changed)

    async def put(self, user_id: str, records: Sequence[Record]) -> None:
        """Write records of the user."""
        await to_thread(self._of(user_id).put_many, records)

    async def remove(self, user_id: str, ids: Sequence[str]) -> None:
        """Remove records of the user with their relations and counts."""
        await to_thread(self._of(user_id).remove, [each for each in ids if not is_thread(each)])

    async def search(
        self, user_id: str, query: str, settings: Mapping[str, Any], limit: int
    ) -> list[Evidence]:
        """What a retriever with these settings finds, whatever query they have."""
        own = {name: value for name, value in settings.items() if name not in ("query", "limit")}
        search = self._of(user_id).search
        return await to_thread(lambda: search(query, limit=limit, **own))

    async def refer(self, user_id: str, thread_id: str, record_id: str) -> None:
        """Let a thread of the user refer to a record of the user."""
        store, who = self._corpus.store, self.principal(user_id)
        if not await to_thread(store.documents, who, [record_id]) or is_thread(record_id):
            raise InputError("the user has no such record", place="id", found=record_id)
        to = (RelationTo(record_id, _REFERENCE),)
        await self.put(user_id, [Record(id=_THREAD + thread_id, kind="thread", relations=to)])

    async def forget_reference(self, user_id: str, thread_id: str, record_id: str) -> None:
        """Let a thread no longer refer to a record."""
        relation = Relation(_THREAD + thread_id, record_id, _REFERENCE)
        await to_thread(self._of(user_id).unrelate, [relation])

    async def referred(self, user_id: str, thread_id: str) -> list[str]:
        """The ids of the records that a thread refers to."""
        read, who, thread = (
            self._corpus.store.relations,
            self.principal(user_id),
            _THREAD + thread_id,
        )
        return [
            each.target for each in await to_thread(lambda: read(who, [thread], types=[_REFERENCE]))
        ]

    async def record_view(self, user_id: str, record_id: str) -> None:
        """Record that the user opened a record now; an unknown one is ignored."""
        record, now = self._corpus.store.record_activity, datetime.now(UTC)
        await to_thread(record, self.principal(user_id), record_id, "view", now)

    async def record_feedback(self, user_id: str, item_id: str, *, useful: bool) -> None:
        """Count feedback on a block, or on all blocks of a record; an unknown one is ignored."""
        store, who = self._corpus.store, self.principal(user_id)
        ids = [each.id for each in await to_thread(store.blocks_of, who, item_id)] or [item_id]
        helpful, unhelpful = (ids, []) if useful else ([], ids)
        await to_thread(lambda: store.record_usage(who, helpful=helpful, unhelpful=unhelpful))

    def _of(self, user_id: str) -> Corpus:
        return self._corpus.for_principal(self.principal(user_id))
