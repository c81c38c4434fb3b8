"""What was learned, in corpora of this package: found as soon as it is written."""

from __future__ import annotations

from asyncio import gather, to_thread
from collections.abc import Awaitable, Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Self, TypeAlias, TypeVar, get_args

from biblicus_context.base import SynchronousDoor, awaited, door, require_one_of, synchronous
from biblicus_context.corpora import (
    Cluster,
    Forgotten,
    ModelPage,
    ModelStore,
    RelevantItem,
    RelevantItems,
    Removed,
)
from biblicus_context.embedders import Embedder
from biblicus_context.ingest import Summary
from biblicus_context.retrieval import best_of
from biblicus_context.stores import checked_sequence, place_below
from biblicus_context.systems.learning.code_index import CodeIndex
from biblicus_context.systems.learning.code_unit import CodeUnit
from biblicus_context.systems.learning.commit import Commit, commit_of
from biblicus_context.systems.learning.indexed_models import IndexedModels
from biblicus_context.systems.learning.models import Axis, Experience, Memory, Value, area
from biblicus_context.systems.learning.principles import common_principle
from biblicus_context.systems.learning.searcher import Floor, Searcher

Item = TypeVar("Item")
Principle: TypeAlias = Callable[[Sequence[Experience]], str | Awaitable[str]]
"""Writes in a line what experiences have in common."""


@door
class LearningStore:
    """Memories, experiences, values, code and commits of one workspace; it is a `Searcher`."""

    def __init__(
        self,
        place: str | Path,
        workspace: str,
        *,
        also: Sequence[str] = (),
        floor: Floor = "auto",
        **own: Any,
    ) -> None:
        # Each has a store of its own: a search compares the query with all vectors of a store.
        self.memories = ModelStore.open(place_below(place, "memories"), Memory, **own)
        self.experiences = ModelStore.open(place_below(place, "experiences"), Experience, **own)
        self.values = ModelStore.open(place_below(place, "values"), Value, **own)
        self._code = CodeIndex(place_below(place, "code"), **own)
        self._commits = IndexedModels(
            place_below(place, "commits"), commit_of, kind="commit", **own
        )
        self._workspace = workspace
        self._floor = _settings_of(floor)
        self._read = tuple(dict.fromkeys([workspace, *also]))

    @classmethod
    def open(
        cls,
        place: str | Path,
        workspace: str = "local",
        *,
        also: Sequence[str] = (),
        floor: Floor = "auto",
        embedder: Embedder | None = None,
    ) -> Self:
        """The store in a folder or at an address, as a workspace: nothing of other ones is changed.

        Nor is anything of them found, but of those in `also`: of other repositories, and what holds for
        all of them. `floor` is what `min_score` of a retriever may be: by default nothing is found where
        nothing is relevant; None finds the best there is.
        """
        names = checked_sequence(also, "also")
        return cls(place, workspace, also=[*names], floor=floor, embedder=embedder)

    @property
    def sync(self) -> SynchronousLearningStore:
        """The same methods without `await`."""
        return SynchronousLearningStore(self)

    def with_floor(self, floor: Floor) -> Self:
        """The same store, of which searches demand another relevance; to close one closes both."""
        own = copy(self)
        own._floor = _settings_of(floor)
        return own

    async def record_memory(self, memory: Memory) -> None:
        """Write a memory, in place of the one with its id."""
        await self.memories.put([memory], self._workspace)

    async def record_experience(self, experience: Experience) -> None:
        """Write an experience, in place of the one with its id; it is found on four axes."""
        await self.experiences.put([experience], self._workspace)

    async def record_value(self, value: Value) -> None:
        """Write a value, in place of the one with its id."""
        await self.values.put([value], self._workspace)

    async def forget_memory(self, *ids: str) -> Removed:
        """Remove memories by id."""
        return await self.memories.remove(ids, self._workspace)

    async def forget_value(self, *ids: str) -> Removed:
        """Remove values by id."""
        return await self.values.remove(ids, self._workspace)

    async def forget_experience(self, *ids: str) -> Removed:
        """Remove experiences by id, and derived values that were made of one of them."""
        known, gone = await self.values.ids(self._workspace), {*ids}
        made_of = [
            each.id
            for each in await self.values.get(known, self._workspace)
            if each.id.startswith(f"value-{each.axis}-")
            and not gone.isdisjoint(each.experience_ids)
        ]
        if made_of:
            await self.values.remove(made_of, self._workspace)
        return await self.experiences.remove(ids, self._workspace)

    async def forget(self, *ids: str) -> Forgotten:
        """Remove memories, experiences and values by id, whichever they are; what is returned certifies it."""
        unknown = {*ids}
        counts: dict[str, tuple[str, ...]] = {}
        stores: tuple[tuple[str, ModelStore[Any], Any], ...] = (
            ("memories", self.memories, self.forget_memory),
            ("experiences", self.experiences, self.forget_experience),
            ("values", self.values, self.forget_value),
        )
        for name, store, forget in stores:
            found = {each.id for each in await store.get([*ids], self._workspace)}
            if found:
                await forget(*sorted(found))
                counts[name] = tuple(sorted(found))
                unknown -= found
        until = await self.remains_until()
        return Forgotten(datetime.now(UTC), counts, tuple(sorted(unknown)), until)

    async def forget_code(self, *paths: str) -> Forgotten:
        """Remove files that were indexed, by path; without any, all code and all commits.

        Files that are still there are indexed again by the next `index_code`.
        """
        known, own = await self._code.documents(self._workspace), self._workspace
        removed: dict[str, tuple[str, ...]] = {}
        if paths:
            removed["code"] = tuple(sorted({*paths} & {*known}))
            await self._code.remove(removed["code"], own)
        else:
            removed = {"code": tuple(known), "commits": tuple(await self._commits.documents(own))}
            await self._code.clear(own)
            await self._commits.clear(own)
        found = {name: ids for name, ids in removed.items() if ids}
        unknown = tuple(sorted({*paths} - {*known}))
        return Forgotten(datetime.now(UTC), found, unknown, await self.remains_until())

    async def forget_workspace(self) -> Forgotten:
        """Remove all that was learned in the workspace, code and commits as well."""
        gone = await self.forget_code()
        removed = dict(gone.removed)
        for name, store in self._learned().items():
            if ids := await store.ids(self._workspace):
                await store.clear(self._workspace)
                removed[name] = tuple(ids)
        return Forgotten(datetime.now(UTC), removed, (), await self.remains_until())

    def _learned(self) -> dict[str, ModelStore[Any]]:
        return {"memories": self.memories, "experiences": self.experiences, "values": self.values}

    async def list_memories(
        self,
        filters: Mapping[str, Any] | None = None,
        *,
        after: str | None = None,
        limit: int = 100,
    ) -> ModelPage[Memory]:
        """A page of the memories that meet the filters of a retriever, in the order of their ids.

        Such as `{"tags": ["release"], "metadata": {"category": "decision"}}`.
        """
        return await self.memories.page(self._workspace, filters, after=after, limit=limit)

    async def list_experiences(
        self,
        filters: Mapping[str, Any] | None = None,
        *,
        after: str | None = None,
        limit: int = 100,
    ) -> ModelPage[Experience]:
        """The same for experiences: `{"metadata": {"domain": "debugging"}}`."""
        return await self.experiences.page(self._workspace, filters, after=after, limit=limit)

    async def list_values(
        self,
        filters: Mapping[str, Any] | None = None,
        *,
        after: str | None = None,
        limit: int = 100,
    ) -> ModelPage[Value]:
        """The same for values."""
        return await self.values.page(self._workspace, filters, after=after, limit=limit)

    async def list_code(self) -> list[str]:
        """The paths of the files that are indexed."""
        return await self._code.documents(self._workspace)

    async def remains_until(self) -> datetime | None:
        """Until when files may hold bytes of what was forgotten or replaced; None: none do."""
        own = (self.memories, self.experiences, self.values, self._code, self._commits)
        times = [await each.remains_until(self._workspace) for each in own]
        return max(filter(None, times), default=None)

    async def purge(self, timeout: float = 60.0) -> None:
        """Wait up to so many seconds for reads that still need what was removed, and erase it.

        Of code and commits, this is what the last `index` calls replaced.
        """
        for store in (self.memories, self.experiences, self.values):
            await store.purge(self._workspace, timeout)
        for index in (self._code, self._commits):
            await index.purge(self._workspace, timeout)

    async def embed_waiting(self) -> int:
        """Embed what waits for its vectors: of large ingests of code and commits, and of earlier releases.

        Returns how many blocks still wait, which is more than 0 only if others write meanwhile.
        """
        own = (self.memories, self.experiences, self.values, self._code, self._commits)
        return sum([await each.embed_waiting(self._workspace) for each in own])

    async def index_code(self, root: str | Path, **settings: Any) -> Summary:
        """Read the files of a folder that have changed; `settings` are those of a corpus."""
        return await self._code.ingest(root, self._workspace, **settings)

    async def index_commits(self, root: str | Path, **settings: Any) -> Summary:
        """Read the new commits of the repository whose top folder this is."""
        return await self._commits.ingest(root, self._workspace, source="git", **settings)

    async def derive_values(
        self, axis: Axis = "root_cause", most: int = 8, *, principle: Principle | None = None
    ) -> list[Value]:
        """Write what clusters of experiences have in common as values, up to `most`; the same each time.

        A value takes the place of an earlier one of most of the same experiences; others stay. By default
        its text is the sentence of one of them that says what most of them say. `principle` is a function
        that writes it, such as a call of a model: it gets the experiences of a cluster.
        """
        require_one_of(get_args(Axis), axis=axis)
        clusters = await self.experiences.clusters(self._workspace, view=axis, most=most)
        values = [await self._value(axis, cluster, principle) for cluster in clusters]
        known = await self.values.ids(self._workspace, {"metadata": {"axis": axis}})
        earlier = [
            each
            for each in await self.values.get(known, self._workspace)
            if each.id.startswith(f"value-{axis}-")
        ]
        new = {each.id for each in values}
        replaced = [
            each.id
            for each in earlier
            if each.id not in new and any(_of_the_same(each, value) for value in values)
        ]
        if values:
            await self.values.put(values, self._workspace, remove=replaced)
        return values

    async def _value(self, axis: Axis, cluster: Cluster, principle: Principle | None) -> Value:
        ids = sorted(each.id for each in cluster.members)
        members = await self.experiences.get(ids, self._workspace)
        text = common_principle(members, axis) if principle is None else principle(members)
        name = f"{axis}-{sha256(chr(10).join(ids).encode()).hexdigest()[:12]}"
        return Value(
            id=f"value-{name}",
            text=await text if isinstance(text, Awaitable) else text,
            axis=axis,
            cluster_id=name,
            cluster_size=len(ids),
            similarity_to_centroid=cluster.likeness,
            experience_ids=tuple(ids),
        )

    def searcher(self) -> Searcher:
        """What an assembler asks."""
        return self

    async def search_memories(self, query: str, limit: int) -> Sequence[RelevantItem[Memory]]:
        """Facts, preferences, decisions, error messages."""
        return await self._found(self.memories.relevant, query, limit, **self._floor)

    async def search_code(self, query: str, limit: int) -> Sequence[RelevantItem[CodeUnit]]:
        """Functions, classes and methods."""
        return await self._found(self._code.relevant, query, limit, **self._floor)

    async def search_experiences(
        self, query: str, limit: int, *, axis: Axis = "full", **where: str | None
    ) -> Sequence[RelevantItem[Experience]]:
        """Experiences, by their text on an axis; `where` is as in `Searcher`."""
        names = {"domain": "domain", "strategy": "strategy", "outcome": "outcome_status"}
        require_one_of(names, **{name: name for name in where})
        require_one_of(get_args(Axis), axis=axis)
        known = {names[name]: _spellings(value) for name, value in where.items() if value}
        own: dict[str, Any] = {"filters": {"metadata": known} if known else {}, "view": axis}
        if not known:  # what is asked for by its domain or strategy is relevant by that
            own |= self._floor
        return await self._found(self.experiences.relevant, query, limit, **own)

    async def search_values(self, query: str, limit: int) -> Sequence[RelevantItem[Value]]:
        """Principles."""
        return await self._found(self.values.relevant, query, limit, **self._floor)

    async def search_principles(self, query: str, limit: int) -> Sequence[RelevantItem[Value]]:
        """The values nearest to a domain and a strategy, for a premortem."""
        return await self._found(self.values.relevant, query, limit)

    async def search_commits(self, query: str, limit: int) -> Sequence[RelevantItem[Commit]]:
        """Commits."""
        return await self._found(self._commits.relevant, query, limit, **self._floor)

    async def _found(
        self,
        search: Callable[..., Awaitable[RelevantItems[Item]]],
        query: str,
        limit: int,
        **own: Any,
    ) -> RelevantItems[Item]:
        """What a search finds in all workspaces that are read, the most relevant first."""
        each = [search(query, name, limit=limit, **own) for name in self._read]
        if len(each) == 1:
            return await each[0]
        answers = await gather(*each)
        found = [
            hit if name == self._workspace else _from(name, hit)
            for name, hits in zip(self._read, answers, strict=True)
            for hit in hits
        ]
        best = RelevantItems(sorted(found, key=lambda hit: -hit.relevance)[:limit])
        best.relevance = best_of(answer.relevance for answer in answers)
        return best

    async def domains(self) -> list[str]:
        """The domains of all experiences."""
        return await to_thread(self._areas, "domain")

    async def strategies(self) -> list[str]:
        """The strategies of all experiences."""
        return await to_thread(self._areas, "strategy")

    def _areas(self, name: str) -> list[str]:
        own = [self.experiences.of(each) for each in self._read]
        return sorted(
            {str(area(e.metadata.get(name, ""))) for each in own for e in each.documents()}
        )

    def close(self) -> None:
        """Close the files."""
        for each in (self.memories, self.experiences, self.values, self._code, self._commits):
            each.close()


def _settings_of(floor: Floor) -> dict[str, Any]:
    return {} if floor is None else {"min_score": floor}


def _from(workspace: str, hit: RelevantItem[Item]) -> RelevantItem[Item]:
    """A hit of another workspace, which says so: two repositories may have files and ids of one name."""
    item: Any = hit.item
    name = "file_path" if isinstance(item, CodeUnit) else "id"
    if isinstance(item, Commit):  # its id is its content
        return hit
    return replace(hit, item=item.model_copy(update={name: f"{workspace}:{getattr(item, name)}"}))


def _of_the_same(one: Value, other: Value) -> bool:
    """Whether two values are of mostly the same experiences."""
    first, second = {*one.experience_ids}, {*other.experience_ids}
    return 2 * len(first & second) > len(first | second)


def _spellings(said: str) -> dict[str, list[str]]:
    """As it is written now, and as a program may have written it before names had one spelling."""
    return {"in": sorted({said, str(area(said))})}


class SynchronousLearningStore(SynchronousDoor[LearningStore]):
    """The methods of a `LearningStore` without `await`: for scripts, notebooks and hooks."""

    record_memory = synchronous(LearningStore.record_memory)
    record_experience = synchronous(LearningStore.record_experience)
    record_value = synchronous(LearningStore.record_value)
    forget_memory = synchronous(LearningStore.forget_memory)
    forget_value = synchronous(LearningStore.forget_value)
    forget_experience = synchronous(LearningStore.forget_experience)
    forget = synchronous(LearningStore.forget)
    forget_code = synchronous(LearningStore.forget_code)
    forget_workspace = synchronous(LearningStore.forget_workspace)
    list_memories = synchronous(LearningStore.list_memories)
    list_experiences = synchronous(LearningStore.list_experiences)
    list_values = synchronous(LearningStore.list_values)
    list_code = synchronous(LearningStore.list_code)
    remains_until = synchronous(LearningStore.remains_until)
    purge = synchronous(LearningStore.purge)
    embed_waiting = synchronous(LearningStore.embed_waiting)
    derive_values = synchronous(LearningStore.derive_values)
    search_memories = synchronous(LearningStore.search_memories)
    search_code = synchronous(LearningStore.search_code)
    search_values = synchronous(LearningStore.search_values)
    search_principles = synchronous(LearningStore.search_principles)
    search_commits = synchronous(LearningStore.search_commits)
    domains = synchronous(LearningStore.domains)
    strategies = synchronous(LearningStore.strategies)

    def index_code(self, root: str | Path, **settings: Any) -> Summary:
        """As `LearningStore.index_code`."""
        return awaited(self._of.index_code(root, **settings))

    def index_commits(self, root: str | Path, **settings: Any) -> Summary:
        """As `LearningStore.index_commits`."""
        return awaited(self._of.index_commits(root, **settings))

    def search_experiences(
        self, query: str, limit: int, *, axis: Axis = "full", **where: str | None
    ) -> Sequence[RelevantItem[Experience]]:
        """As `LearningStore.search_experiences`."""
        return awaited(self._of.search_experiences(query, limit, axis=axis, **where))
