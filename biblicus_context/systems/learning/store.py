"""What was learned, in corpora of this package: found as soon as it is written."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Self

from biblicus_context import (
    CodeUnit,
    Commit,
    Corpus,
    CorpusDeclaration,
    Embedder,
    Principal,
    Summary,
    code_unit,
    commit_of,
)
from biblicus_context.systems.learning.models import Axis, Experience, Memory, Value
from biblicus_context.systems.learning.searcher import Searcher
from biblicus_context.systems.learning.views import views
from biblicus_context.systems.typed_records import Hit, TypedRecords, hits_in

_SOURCES: Final = ("memories", "experiences", "values", "code", "commits")


class LearningStore:
    """Memories, experiences, values, code and commits of one workspace; it is a `Searcher`."""

    def __init__(self, place: Path, principal: Principal, embedder: Embedder | None) -> None:
        own: dict[str, Any] = {"principal": principal, "embedder": embedder}
        self._place, self._own = place, own
        # Each has a store of its own: a search compares the query with all vectors of a store.
        opened = {name: Corpus.open_records(place / name, name=name, **own) for name in _SOURCES}
        self._corpora = opened
        self.memories = TypedRecords(
            opened["memories"],
            Memory,
            lambda each: each.content,
            lambda each: {"importance": each.importance},
        )
        self.experiences = TypedRecords(opened["experiences"], Experience, views)
        self.values = TypedRecords(opened["values"], Value, lambda each: each.text)

    @classmethod
    def open(
        cls, place: str | Path, workspace: str = "local", *, embedder: Embedder | None = None
    ) -> Self:
        """The store in a folder, as a workspace: nothing of other ones is seen or changed."""
        return cls(Path(place), Principal(workspace), embedder)

    async def record_memory(self, memory: Memory) -> None:
        """Write a memory, in place of the one with its id."""
        await self.memories.put([memory])

    async def record_experience(self, experience: Experience) -> None:
        """Write an experience, in place of the one with its id; it is found on four axes."""
        await self.experiences.put([experience])

    async def record_value(self, value: Value) -> None:
        """Write a value, in place of the one with its id."""
        await self.values.put([value])

    async def index_code(self, root: str | Path, **settings: Any) -> Summary:
        """Read the files of a folder that have changed; `settings` are those of a corpus."""
        return await to_thread(self._index, "code", root=str(root), **settings)

    async def index_commits(self, root: str | Path, **settings: Any) -> Summary:
        """Read the new commits of the repository whose top folder this is."""
        return await to_thread(self._index, "commits", root=str(root), source="git", **settings)

    async def derive_values(self, axis: Axis = "root_cause", most: int = 8) -> list[Value]:
        """Write the middle of each cluster of experiences as a value, in place of earlier ones."""
        values, earlier = await to_thread(self._derived, axis, most)
        if values or earlier:
            await self.values.put(values, earlier)
        return values

    def searcher(self) -> Searcher:
        """What an assembler asks."""
        return self

    async def search_memories(self, query: str, limit: int) -> Sequence[Hit[Memory]]:
        """Facts, preferences, decisions, error messages."""
        return await self.memories.search(query, limit)

    async def search_code(self, query: str, limit: int) -> Sequence[Hit[CodeUnit]]:
        """Functions, classes and methods."""
        return await hits_in(self._corpora["code"], code_unit, query, limit, kind="code")

    async def search_experiences(
        self, query: str, limit: int, *, axis: Axis = "full", **where: str | None
    ) -> Sequence[Hit[Experience]]:
        """Experiences, by their text on an axis; `where` is as in `Searcher`."""
        names = {"outcome": "outcome_status"}
        known = {names.get(name, name): value for name, value in where.items() if value}
        filters = {"metadata": known} if known else {}
        return await self.experiences.search(query, limit, axis, **filters)

    async def search_values(self, query: str, limit: int) -> Sequence[Hit[Value]]:
        """Principles."""
        return await self.values.search(query, limit)

    async def search_commits(self, query: str, limit: int) -> Sequence[Hit[Commit]]:
        """Commits."""
        return await hits_in(self._corpora["commits"], commit_of, query, limit, kind="commit")

    def close(self) -> None:
        """Close the files."""
        for corpus in self._corpora.values():
            corpus.close()

    def _index(self, name: str, **settings: Any) -> Summary:
        declared = CorpusDeclaration(name=name, config=settings)
        with Corpus.open(declared, store=self._place / name, **self._own) as corpus:
            return corpus.ingest()

    def _derived(self, axis: Axis, most: int) -> tuple[list[Value], list[str]]:
        """The values, and the ids of those derived before."""
        known = self._corpora["values"].documents({"metadata": {"axis": axis}})
        earlier = [each.id for each in known if each.id.startswith(f"value-{axis}-")]
        return [
            Value(
                id=f"value-{axis}-{number}",
                text=cluster.text,
                axis=axis,
                cluster_id=f"{axis}-{number}",
                cluster_size=len(cluster.members),
                similarity_to_centroid=cluster.likeness,
                experience_ids=tuple(each.id for each in cluster.members),
            )
            for number, cluster in enumerate(self.experiences.clusters(axis, most))
        ], earlier
