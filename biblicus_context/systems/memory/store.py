"""Storages of memories: what the engine needs of one, and one over a corpus of this package."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final, Protocol, runtime_checkable

from biblicus_context.base import door, require_text
from biblicus_context.corpora import Corpus, Forgotten, ModelStore, read_in_thread
from biblicus_context.errors import InputError
from biblicus_context.retrieval import is_small_talk
from biblicus_context.stores import Relation
from biblicus_context.systems.memory.conflicts import conflicting
from biblicus_context.systems.memory.conversations import (
    Extractor,
    Remembered,
    remember_conversation,
)
from biblicus_context.systems.memory.models import (
    FoundMemories,
    Memory,
    MemoryQuery,
    RelatedMemory,
    SearchResult,
)
from biblicus_context.systems.memory.synchronous import SynchronousStore

_COMPARED: Final = 2_000
"""Characters of a memory by which those that say nearly the same are looked for."""
_ALIKE: Final = 20
_AUTO: Final = {"best": "auto", "each": "auto"}
_OF_ANY_TIME: Final = 200
"""Memories among which those of a moment are looked for."""


@runtime_checkable
class StorageClient(Protocol):
    """Whatever keeps memories; one workspace never sees those of another one.

    It raises `StoreError`, whose message is logged and not returned.
    """

    async def search_memories(
        self, workspace_id: str, query: MemoryQuery
    ) -> Sequence[SearchResult]:
        """The memories that match, most similar first; with a `rank` if they are ranked."""
        ...

    async def get_memory_relationships(
        self, memory_id: str, workspace_id: str
    ) -> Sequence[RelatedMemory]:
        """The memories that one relation leads to, in either direction."""
        ...


@door
class MemoryStore(ModelStore[Memory]):
    """A `StorageClient` over a corpus; each workspace is a tenant of its own."""

    model = Memory
    name = "memories"

    remember_many = ModelStore[Memory].put
    forget = ModelStore[Memory].remove

    @property
    def sync(self) -> SynchronousStore:
        """The methods that write, for callers that are not async."""
        return SynchronousStore(self)

    async def remember(
        self, memory: Memory, workspace_id: str, *, replaces: str | Sequence[str] = ()
    ) -> list[Memory]:
        """Write a memory, in place of the one with its id; it is found at once.

        Those that it `replaces` are superseded from its time on, in the same write. Returned are memories
        that say nearly the same with other values, newest first: nothing is decided about them.
        """
        old = [replaces] if isinstance(replaces, str) else [*replaces]
        changed = await self._superseded(memory, old, workspace_id)
        await self.put([memory, *changed], workspace_id)
        return [e for e in await self.conflicts(memory, workspace_id) if e.id not in old]

    async def conflicts(self, memory: Memory, workspace_id: str) -> list[Memory]:
        """Memories that say nearly the same as this one with other values, newest first."""
        if is_small_talk(memory.content):
            return []
        start = memory.content[:_COMPARED]
        found = await self.search(start, workspace_id, retriever_id="keyword", limit=_ALIKE)
        return conflicting(memory, [each.model for each in found])

    async def remember_conversation(
        self,
        messages: Sequence[Any],
        workspace_id: str,
        *,
        conversation_id: str,
        extract: Extractor | None = None,
        user_id: str | None = None,
    ) -> Remembered:
        """Remember what was said: the turns, and with an extractor the facts in them.

        The same messages again write nothing new. Greetings and thanks are left out.
        """
        return await remember_conversation(
            self,
            messages,
            workspace_id,
            conversation_id=conversation_id,
            extract=extract,
            user_id=user_id,
        )

    async def history(self, memory_id: str, workspace_id: str) -> list[Memory]:
        """What a memory replaced, itself, and what replaced it, oldest first; none if it is unknown."""
        corpus = self.of(workspace_id)
        ids = await read_in_thread(corpus, partial(_chain, corpus, memory_id))
        known = {each.id: each for each in await self.get(ids, workspace_id)}
        return [known[each] for each in ids if each in known]

    async def forget_user(self, user_id: str, workspace_id: str) -> Forgotten:
        """Remove what a user said, and the facts in it; what is returned certifies it.

        These are the memories with this `user` in their metadata, as `remember_conversation` writes it.
        """
        require_text(user_id=user_id)
        ids = await self.ids(workspace_id, {"metadata": {"user": user_id}})
        return await self._forgotten(ids, workspace_id, partial(self.remove, ids, workspace_id))

    async def forget_workspace(self, workspace_id: str) -> Forgotten:
        """Remove all memories of a workspace; what is returned certifies it."""
        ids = await self.ids(workspace_id)
        return await self._forgotten(ids, workspace_id, partial(self.clear, workspace_id))

    async def _forgotten(
        self, ids: Sequence[str], workspace_id: str, remove: Callable[[], Awaitable[object]]
    ) -> Forgotten:
        await remove()
        until = await self.remains_until(workspace_id)
        removed = {"memories": tuple(ids)} if ids else {}
        return Forgotten(datetime.now(UTC), removed, (), until)

    async def relate(self, relation: Relation, workspace_id: str) -> None:
        """Write an arrow between two memories; an unknown one is an InputError that names it."""
        ends = [relation.source, relation.target]
        known = {each.id for each in await self.get(ends, workspace_id)}
        for place, end in zip(("source", "target"), ends, strict=True):
            if end not in known:
                fix = "Remember it first."
                raise InputError(
                    "the workspace has no such memory", place=place, found=end, fix=fix
                )
        await super().relate(relation, workspace_id)

    async def update(self, model_id: str, workspace_id: str, **changes: Any) -> bool:
        """Change fields of a memory; one with a new `content` is as new as this change."""
        now = {"updated_at": datetime.now(UTC)} if "content" in changes else {}
        return await super().update(model_id, workspace_id, **now | changes)

    async def search_memories(self, workspace_id: str, query: MemoryQuery) -> FoundMemories:
        """The memories that match, as the plan ranks them, and whether any is relevant."""
        limit = query.settings.get("limit") if query.fills_budget else query.limit
        settings = {
            **query.settings,
            "vector": query.vector,
            "limit": limit if query.as_of is None else _OF_ANY_TIME,
            "max_tokens": query.token_budget
            if query.fills_budget and query.as_of is None
            else None,
            "whole_within": query.token_budget,
            "filters": {**query.settings.get("filters", {}), **_filters(query)},
        }
        if query.floor is not None:
            settings["min_score"] = _AUTO if query.floor == "auto" else {"best": query.floor}
        if not query.text.strip():
            settings["min_score"] = None
        judged = await self.judged_search(query.text, workspace_id, **settings)
        found = [
            SearchResult(e.model, e.similarity, e.score, excerpt=e.text if e.is_part else "")
            for e in judged.found
        ]
        if query.as_of is not None:
            found = await self._held_at(query.as_of, found, workspace_id)
            found = found[: query.limit]
        return FoundMemories.of(found, judged.relevance)

    async def _superseded(
        self, memory: Memory, ids: Sequence[str], workspace_id: str
    ) -> list[Memory]:
        found = await self.get(ids, workspace_id) if ids else []
        unknown = {*ids} - {each.id for each in found}
        if unknown:
            problem = "the workspace has no such memory"
            raise InputError(problem, place="replaces", found=min(unknown))
        when = memory.created_at or datetime.now(UTC)
        new = {"superseded_by": memory.id, "valid_to": when}
        return [each.model_copy(update=new) for each in found if each.id != memory.id]

    async def _held_at(
        self, moment: datetime, found: Sequence[SearchResult], workspace_id: str
    ) -> list[SearchResult]:
        """Those that were valid then, and had not been replaced by one that was known then."""
        later = {each.memory.superseded_by for each in found} - {None}
        newer = await self.get([e for e in later if e is not None], workspace_id) if later else []
        known = {e.id for e in newer if e.created_at is None or e.created_at <= moment}
        return [each for each in found if _was_held(each.memory, moment, known)]

    async def get_memory_relationships(
        self, memory_id: str, workspace_id: str
    ) -> list[RelatedMemory]:
        """The memories that one relation leads to, in either direction."""
        (found,) = await self.get_relationships_of([memory_id], workspace_id)
        return found

    async def get_relationships_of(
        self, memory_ids: Sequence[str], workspace_id: str
    ) -> list[list[RelatedMemory]]:
        """The same for each of many memories, in a few reads."""
        found = await self.related_to(memory_ids, workspace_id)
        return [[RelatedMemory(*each) for each in related] for related in found]


def _filters(query: MemoryQuery) -> dict[str, object]:
    until = (
        query.as_of if query.date_to is None else min(query.date_to, query.as_of or query.date_to)
    )
    conditions = {
        "kind": [*query.memory_types],
        "created": {"from": query.date_from, "to": until},
        "min_confidence": query.min_confidence,
        "conversation": query.conversation_id,
        "tags": [*query.tags],
        "metadata": {**query.metadata},
        "superseded": query.as_of is not None or None,
    }
    return {name: each for name, each in conditions.items() if each not in (None, [], {})}


def _was_held(memory: Memory, moment: datetime, known: Collection[str]) -> bool:
    if memory.valid_from is not None and moment < memory.valid_from:
        return False
    if memory.superseded_by is not None:
        return memory.superseded_by not in known
    return memory.valid_to is None or moment < memory.valid_to


def _chain(corpus: Corpus, memory_id: str) -> list[str]:
    """The ids of what a memory replaced, of itself and of what replaced it, oldest first."""
    after, before = [memory_id], list[str]()
    with corpus.index.shared_view() as view:
        known = {each.id: each for each in view.documents([memory_id])}
        while known and (last := known.get(after[-1])) is not None and last.superseded_by:
            if last.superseded_by in after:
                break
            after.append(last.superseded_by)
            known |= {each.id: each for each in view.documents([last.superseded_by])}
        replaced: dict[str, list[str]] = {}
        for each in corpus.documents():
            if each.superseded_by:
                replaced.setdefault(each.superseded_by, []).append(each.id)
    ends = [memory_id]
    while ends:
        ends = [
            old for end in ends for old in replaced.get(end, ()) if old not in (*before, *after)
        ]
        before = [*ends, *before]
    return [*before, *after]
