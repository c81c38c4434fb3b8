"""What was learned, in corpora of this package: found as soon as it is written."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Self

from biblicus_context import (
    Corpus,
    CorpusDeclaration,
    Embedder,
    Principal,
    Summary,
    code_unit,
    commit_of,
)
from biblicus_context.systems.learning.models import Axis, Experience, Hit, Memory, Value
from biblicus_context.systems.learning.searcher import Searcher
from biblicus_context.systems.learning.views import view, views
from biblicus_context.systems.typed_records import TypedRecords, likeness_of_hits

_SOURCES: Final = ("memories", "experiences", "values", "code", "commits")


class LearningStore:
    """Memories, experiences, values, code and commits of one workspace; it is a `Searcher`."""

    def __init__(self, place: Path, principal: Principal, embedder: Embedder | None) -> None:
        own: dict[str, Any] = {"principal": principal, "embedder": embedder}
        self._place, self._own = place, own
        # Each has a store of its own: a search compares the query with all vectors of a store.
        opened = {name: Corpus.open_records(place / name, name=name, **own) for name in _SOURCES}
        self._corpora = opened
        self.memories = TypedRecords(opened["memories"], Memory, lambda each: each.content)
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
        await to_thread(self.memories.put, [memory])

    async def record_experience(self, experience: Experience) -> None:
        """Write an experience, in place of the one with its id; it is found on four axes."""
        await to_thread(self.experiences.put, [experience])

    async def record_value(self, value: Value) -> None:
        """Write a value, in place of the one with its id."""
        await to_thread(self.values.put, [value])

    async def index_code(self, root: str | Path, **settings: Any) -> Summary:
        """Read the files of a folder that have changed; `settings` are those of a corpus."""
        return await to_thread(self._index, "code", root=str(root), **settings)

    async def index_commits(self, root: str | Path, **settings: Any) -> Summary:
        """Read the new commits of the repository whose top folder this is."""
        return await to_thread(self._index, "commits", root=str(root), source="git", **settings)

    async def derive_values(self, axis: Axis = "root_cause", most: int = 8) -> list[Value]:
        """Write the middle of each cluster of experiences as a value, in place of earlier ones."""
        return await to_thread(self._derived, axis, most)

    def searcher(self) -> Searcher:
        """What an assembler asks."""
        return self

    async def search_memories(self, query: str, limit: int) -> Sequence[Hit]:
        """Facts, preferences, decisions, error messages."""
        return [Hit(*each) for each in await to_thread(self.memories.found, query, limit)]

    async def search_code(self, query: str, limit: int) -> Sequence[Hit]:
        """Functions, classes and methods."""
        hits = await to_thread(likeness_of_hits, self._corpora["code"], query, limit, kind="code")
        return [Hit(code_unit(each), likeness) for each, likeness in hits]

    async def search_experiences(
        self, query: str, limit: int, *, axis: Axis = "full", **where: str | None
    ) -> Sequence[Hit]:
        """Experiences, by their text on an axis."""
        names = {"outcome": "outcome_status"}
        known = {names.get(name, name): value for name, value in where.items() if value}
        search = {"metadata": known} if known else {}
        found = await to_thread(self.experiences.found, query, limit, axis, **search)
        return [Hit(*each) for each in found]

    async def search_values(self, query: str, limit: int) -> Sequence[Hit]:
        """Principles."""
        return [Hit(*each) for each in await to_thread(self.values.found, query, limit)]

    async def search_commits(self, query: str, limit: int) -> Sequence[Hit]:
        """Commits."""
        hits = await to_thread(
            likeness_of_hits, self._corpora["commits"], query, limit, kind="commit"
        )
        return [Hit(commit_of(each), likeness) for each, likeness in hits]

    def close(self) -> None:
        """Close the files."""
        for corpus in self._corpora.values():
            corpus.close()

    def _index(self, name: str, **settings: Any) -> Summary:
        declared = CorpusDeclaration(name=name, config=settings)
        with Corpus.open(declared, store=self._place / name, **self._own) as corpus:
            return corpus.ingest()

    def _derived(self, axis: Axis, most: int) -> list[Value]:
        clusters = self._corpora["experiences"].clusters(
            most=most, text_of=lambda record: view(Experience(**record.metadata), axis)
        )
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
        earlier = self._corpora["values"].documents({"metadata": {"axis": axis}})
        gone = [each.id for each in earlier if each.id.startswith(f"value-{axis}-")]
        if values or gone:
            self.values.put(values, gone)
        return values
