"""What was learned, in corpora of this package: found as soon as it is written."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Self, get_args

from biblicus_context.base import door, require_one_of
from biblicus_context.corpora import ModelStore, RelevantItem
from biblicus_context.embedders import Embedder
from biblicus_context.ingest import Summary
from biblicus_context.stores import place_below
from biblicus_context.systems.learning.code_index import CodeIndex
from biblicus_context.systems.learning.code_unit import CodeUnit
from biblicus_context.systems.learning.commit import Commit, commit_of
from biblicus_context.systems.learning.indexed_models import IndexedModels
from biblicus_context.systems.learning.models import Axis, Experience, Memory, Value, area
from biblicus_context.systems.learning.searcher import Searcher


@door
class LearningStore:
    """Memories, experiences, values, code and commits of one workspace; it is a `Searcher`."""

    def __init__(self, place: str | Path, workspace: str, **own: Any) -> None:
        # Each has a store of its own: a search compares the query with all vectors of a store.
        self.memories = ModelStore.open(place_below(place, "memories"), Memory, **own)
        self.experiences = ModelStore.open(place_below(place, "experiences"), Experience, **own)
        self.values = ModelStore.open(place_below(place, "values"), Value, **own)
        self._code = CodeIndex(place_below(place, "code"), **own)
        self._commits = IndexedModels(
            place_below(place, "commits"), commit_of, kind="commit", **own
        )
        self._workspace = workspace

    @classmethod
    def open(
        cls, place: str | Path, workspace: str = "local", *, embedder: Embedder | None = None
    ) -> Self:
        """The store in a folder or at an address, as a workspace: nothing of other ones is seen or changed."""
        return cls(place, workspace, embedder=embedder)

    async def record_memory(self, memory: Memory) -> None:
        """Write a memory, in place of the one with its id."""
        await self.memories.put([memory], self._workspace)

    async def record_experience(self, experience: Experience) -> None:
        """Write an experience, in place of the one with its id; it is found on four axes."""
        await self.experiences.put([experience], self._workspace)

    async def record_value(self, value: Value) -> None:
        """Write a value, in place of the one with its id."""
        await self.values.put([value], self._workspace)

    async def forget_memory(self, *ids: str) -> None:
        """Remove memories by id."""
        await self.memories.remove(ids, self._workspace)

    async def forget_value(self, *ids: str) -> None:
        """Remove values by id."""
        await self.values.remove(ids, self._workspace)

    async def forget_experience(self, *ids: str) -> None:
        """Remove experiences by id, and derived values that repeat the text of one of them."""
        known, gone = await self.values.ids(self._workspace), {*ids}
        made_of = [
            each.id
            for each in await self.values.get(known, self._workspace)
            if each.id.startswith(f"value-{each.axis}-")
            and not gone.isdisjoint(each.experience_ids)
        ]
        if made_of:
            await self.values.remove(made_of, self._workspace)
        await self.experiences.remove(ids, self._workspace)

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

    async def derive_values(self, axis: Axis = "root_cause", most: int = 8) -> list[Value]:
        """Write the middle of each cluster of experiences as a value, in place of earlier ones."""
        require_one_of(get_args(Axis), axis=axis)
        clusters = await self.experiences.clusters(self._workspace, view=axis, most=most)
        values = [
            Value(
                id=f"value-{axis}-{number}",
                text=cluster.text,
                axis=axis,
                cluster_id=f"{axis}-{number}",
                cluster_size=len(cluster.members),
                similarity_to_centroid=cluster.likeness,
                experience_ids=tuple(each.id for each in cluster.members),
            )
            for number, cluster in enumerate(clusters)
        ]
        known = await self.values.ids(self._workspace, {"metadata": {"axis": axis}})
        earlier = [each for each in known if each.startswith(f"value-{axis}-")]
        if values or earlier:
            await self.values.put(values, self._workspace, remove=earlier)
        return values

    def searcher(self) -> Searcher:
        """What an assembler asks."""
        return self

    async def search_memories(self, query: str, limit: int) -> Sequence[RelevantItem[Memory]]:
        """Facts, preferences, decisions, error messages."""
        return await self.memories.relevant(query, self._workspace, limit=limit)

    async def search_code(self, query: str, limit: int) -> Sequence[RelevantItem[CodeUnit]]:
        """Functions, classes and methods."""
        return await self._code.relevant(query, self._workspace, limit=limit)

    async def search_experiences(
        self, query: str, limit: int, *, axis: Axis = "full", **where: str | None
    ) -> Sequence[RelevantItem[Experience]]:
        """Experiences, by their text on an axis; `where` is as in `Searcher`."""
        names = {"domain": "domain", "strategy": "strategy", "outcome": "outcome_status"}
        require_one_of(names, **{name: name for name in where})
        require_one_of(get_args(Axis), axis=axis)
        known = {names[name]: _spellings(value) for name, value in where.items() if value}
        own = {"filters": {"metadata": known} if known else {}, "limit": limit, "view": axis}
        return await self.experiences.relevant(query, self._workspace, **own)

    async def search_values(self, query: str, limit: int) -> Sequence[RelevantItem[Value]]:
        """Principles."""
        return await self.values.relevant(query, self._workspace, limit=limit)

    async def search_commits(self, query: str, limit: int) -> Sequence[RelevantItem[Commit]]:
        """Commits."""
        return await self._commits.relevant(query, self._workspace, limit=limit)

    async def domains(self) -> list[str]:
        """The domains of all experiences."""
        return await to_thread(self._areas, "domain")

    async def strategies(self) -> list[str]:
        """The strategies of all experiences."""
        return await to_thread(self._areas, "strategy")

    def _areas(self, name: str) -> list[str]:
        own = self.experiences.of(self._workspace)
        return sorted({str(area(each.metadata.get(name, ""))) for each in own.documents()})

    def close(self) -> None:
        """Close the files."""
        for each in (self.memories, self.experiences, self.values, self._code, self._commits):
            each.close()


def _spellings(said: str) -> dict[str, list[str]]:
    """As it is written now, and as a program may have written it before names had one spelling."""
    return {"in": sorted({said, str(area(said))})}
