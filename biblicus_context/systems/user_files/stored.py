"""The repositories over a store of this package; `settings` are those of the plan's retrievers."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias
from uuid import uuid4

from biblicus_context import Evidence, InputError, Record
from biblicus_context.systems.user_files.models import File, Message, Results, SearchResult
from biblicus_context.systems.user_files.user_corpus import UserCorpus, is_thread

Settings: TypeAlias = Mapping[str, Mapping[str, Any]]
_MOST = 100


class StoredFiles:
    """A `FileRepository` that can be written to."""

    def __init__(self, corpus: UserCorpus, settings: Settings) -> None:
        self.corpus, self._settings = corpus, settings

    async def put(self, *files: File) -> None:
        """Write files, those of one user at once; each replaces the file of its id."""
        for owner in dict.fromkeys(each.owner_user_id for each in files):
            own = [_record(each) for each in files if each.owner_user_id == owner]
            await self.corpus.put(owner, own)

    async def remove(self, *ids: str, user_id: str) -> None:
        """Remove files of the user with their references and counts."""
        await self.corpus.remove(user_id, ids)

    async def search_content(self, query: str, user_id: str, *, limit: int = 10) -> Results:
        return await self.found("full_text", query, user_id, limit)

    async def search_by_keywords(
        self, keywords: Sequence[str], user_id: str, *, limit: int = 10
    ) -> Results:
        words = " ".join(f'"{each}"' if " " in each else each for each in keywords)
        return await self.found("keywords", words, user_id, limit)

    async def fuzzy_search(
        self, query: str, user_id: str, *, limit: int = 5, threshold: float = 0.3
    ) -> Results:
        return await self.found("similar", query, user_id, limit, similarity=threshold)

    async def get_recently_accessed(self, user_id: str, *, limit: int = 5) -> Results:
        return await self.found("accessed", "", user_id, _MOST, views=limit)

    async def update_access_time(self, file_id: str, user_id: str) -> None:
        await self.corpus.record_view(user_id, file_id)

    async def record_feedback(self, item_id: str, user_id: str, *, useful: bool) -> None:
        await self.corpus.record_feedback(user_id, item_id, useful=useful)

    async def get_version(self, user_id: str) -> Hashable:
        return await self.corpus.version(user_id)

    async def found(
        self, retriever: str, query: str, user_id: str, limit: int, **own: object
    ) -> Results:
        """What a retriever of the plan finds, with settings of the call."""
        settings = {**self._settings[retriever], **own}
        found = await self.corpus.search(user_id, query, settings, limit)
        return [_result(each, is_excerpt="excerpt" in settings) for each in found]


class StoredReferences:
    """A `ContextReferenceRepository` in the corpus of the files."""

    def __init__(self, files: StoredFiles) -> None:
        self.files = files

    async def add(self, thread_id: str, file_id: str, *, user_id: str) -> None:
        """Let a thread refer to a file that the user has."""
        await self.files.corpus.refer(user_id, thread_id, file_id)

    async def remove(self, thread_id: str, file_id: str, *, user_id: str) -> None:
        """Let a thread no longer refer to a file."""
        await self.files.corpus.forget_reference(user_id, thread_id, file_id)

    async def find_by_thread_id(self, thread_id: str, user_id: str) -> Results:
        ids = await self.files.corpus.referred(user_id, thread_id)
        return await self.files.found("references", "", user_id, _MOST, documents=ids)


class StoredMessages:
    """A `MessageRepository` that can be written to."""

    def __init__(self, corpus: UserCorpus, settings: Settings) -> None:
        self._corpus, self._settings = corpus, settings

    async def add(self, thread_id: str, *messages: Message, user_id: str) -> None:
        """Add messages to a thread, oldest first, all of them at once."""
        now = datetime.now(UTC)
        records = [
            _message_record(each, thread_id, now + timedelta(microseconds=number))
            for number, each in enumerate(messages)
        ]
        await self._corpus.put(user_id, records)

    async def get_recent(self, thread_id: str, user_id: str, *, limit: int = 20) -> list[Message]:
        settings = {**self._settings["history"], "filters": {"conversation": thread_id}}
        found = await self._corpus.search(user_id, "", settings, limit)
        return [_message(each) for each in found]

    async def get_version(self, user_id: str) -> Hashable:
        return await self._corpus.version(user_id)


def _record(file: File) -> Record:
    if is_thread(file.id):
        fix = "Choose an id that does not begin with 'thread:'."
        raise InputError("this id is kept for threads", place="id", found=file.id, fix=fix)
    return Record(
        id=file.id,
        text=file.content,
        kind="file",
        title=file.path,  # searches read titles, and so the words of the path
        path=file.path,
        created=file.created_at or datetime.now(UTC),
        updated=file.updated_at,
        metadata=file.metadata,
    )


def _result(found: Evidence, *, is_excerpt: bool) -> SearchResult:
    id_, text, created = found.block.id, found.block.text, found.document.created
    excerpt = text if is_excerpt else None
    known = {"rank": found.score, "created_at": created, "excerpt": excerpt}
    return SearchResult(id=id_, path=found.source, content=text, **known)


def _message_record(message: Message, thread_id: str, now: datetime) -> Record:
    return Record(
        # The length keeps apart names that contain a slash.
        id=f"{len(thread_id)}:{thread_id}/{message.id or uuid4().hex}",
        text=message.content,
        kind="message",
        conversation=thread_id,
        created=message.created_at or now,
        metadata={"role": message.role},
    )


def _message(found: Evidence) -> Message:
    role, created = str(found.document.metadata["role"]), found.document.created
    return Message(id=found.block.id, role=role, content=found.block.text, created_at=created)
