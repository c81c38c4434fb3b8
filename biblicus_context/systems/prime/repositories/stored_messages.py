"""The messages of threads in a store of this package."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Hashable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from biblicus_context.base import door
from biblicus_context.corpora import Corpus, Removed
from biblicus_context.systems.prime.repositories.arguments import all_of, name, text, texts
from biblicus_context.systems.prime.repositories.models import ThreadMessage, record_id
from biblicus_context.systems.prime.repositories.user_corpus import UserCorpus


@door
class StoredMessages:
    """A `MessageRepository` that can be written to; `settings` are those of its retriever."""

    def __init__(self, corpus: UserCorpus, settings: Mapping[str, Any] | None = None) -> None:
        self.corpus, self._settings = corpus, {"retriever_id": "recent", **(settings or {})}

    async def add(self, thread_id: str, *messages: ThreadMessage, user_id: str) -> None:
        """Add messages to a thread, oldest first, all of them at once."""
        thread, now = name(thread_id, "thread_id"), datetime.now(UTC)
        all_of(messages, ThreadMessage, "messages")
        # Those without a time stay in their order.
        times = (now + timedelta(microseconds=number) for number in range(len(messages)))
        records = [each.record(thread, at) for each, at in zip(messages, times, strict=True)]
        await self.corpus.put(user_id, records)

    async def remove(self, thread_id: str, *ids: str, user_id: str) -> Removed:
        """Remove messages of a thread by id, as they were added or returned; unknown ids are ignored."""
        thread, wanted = text(thread_id, "thread_id"), texts(ids, "ids")
        return await to_thread(_remove, self.corpus.of(user_id), thread, wanted)

    async def remove_thread(self, thread_id: str, *, user_id: str) -> Removed:
        """Remove all messages of a thread of the user."""
        thread = text(thread_id, "thread_id")
        return await to_thread(_remove_thread, self.corpus.of(user_id), thread)

    async def get_recent(
        self, thread_id: str, user_id: str, *, limit: int = 20
    ) -> list[ThreadMessage]:
        """The last messages of a thread, last first."""
        # Nobody said something once because it was said twice.
        thread = text(thread_id, "thread_id")
        settings = {**self._settings, "filters": {"conversation": thread}, "dedupe": False}
        found = await self.corpus.search(user_id, "", settings, limit=limit)
        return [ThreadMessage.of(each) for each in found]

    async def record_feedback(self, item_id: str, user_id: str, *, useful: bool) -> bool:
        """Count feedback on a message; False if there is none of this id."""
        return await self.corpus.record_feedback(user_id, item_id, useful=useful)

    async def get_version(self, user_id: str) -> Hashable:
        """What changes whenever messages of the user do."""
        return await self.corpus.version(user_id)


def _remove(corpus: Corpus, thread_id: str, ids: Sequence[str]) -> Removed:
    with corpus.store.view(corpus.principal) as view:
        returned = {each.document.id for each in view.evidence(ids)}
        named = {*(record_id(thread_id, each) for each in ids), *returned}
        found = view.documents(sorted(named))
    return corpus.remove([each.id for each in found if each.conversation == thread_id])


def _remove_thread(corpus: Corpus, thread_id: str) -> Removed:
    return corpus.remove([each.id for each in corpus.documents({"conversation": thread_id})])
