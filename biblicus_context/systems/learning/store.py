"""What was learned, in corpora of this package: found as soon as it is written."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

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
from biblicus_context.systems.learning.views import AXES, view
from biblicus_context.systems.typed_records import View, found, model_of, records_of


class LearningStore:
    """Memories, experiences, values, code and commits of one workspace; it is a `Searcher`."""

    def __init__(self, place: Path, principal: Principal, embedder: Embedder | None) -> None:
        self._place, self._principal, self._embedder = place, principal, embedder
        # Each has a store of its own: a search compares the query with all vectors of a store.
        self._corpora = {
            name: Corpus.open_records(
                place / name, name=name, principal=principal, embedder=embedder
            )
            for name in ("memories", "experiences", "values", "code", "commits")
        }

    @classmethod
    def open(
        cls, place: str | Path, workspace: str = "local", *, embedder: Embedder | None = None
    ) -> Self:
        """The store in a folder, as a workspace: nothing of other ones is seen or changed."""
        return cls(Path(place), Principal(workspace), embedder)

    async def record_memory(self, memory: Memory) -> None:
        """Write a memory, in place of the one with its id."""
        await to_thread(
            self._corpora["memories"].put, records_of(memory, [View("memory", memory.content)])
        )

    async def record_experience(self, experience: Experience) -> None:
        """Write an experience, in place of the one with its id; it is found on four axes."""
        views = [View(_kind(axis), view(experience, axis)) for axis in AXES]
        await to_thread(self._corpora["experiences"].put, records_of(experience, views))

    async def record_value(self, value: Value) -> None:
        """Write a value, in place of the one with its id."""
        await to_thread(self._corpora["values"].put, records_of(value, [View("value", value.text)]))

    async def index_code(self, root: str | Path, **settings: Any) -> Summary:
        """Read the files of a folder that have changed; `settings` are those of a corpus."""
        return await to_thread(self._index, "code", root=str(root), **settings)

    async def index_commits(self, root: str | Path, **settings: Any) -> Summary:
        """Read the new commits of the repository whose top folder this is."""
        return await to_thread(self._index, "commits", root=str(root), source="git", **settings)

    async def derive_values(self, axis: Axis = "root_cause", most: int = 8) -> list[Value]:
        """Write the middle of each cluster of experiences as a value, in place of earlier ones."""
        values = [
            Value(
                id=f"value-{axis}-{number}",
                text=cluster.text,
                axis=axis,
                cluster_id=f"{axis}-{number}",
                cluster_size=len(cluster.members),
                similarity_to_centroid=cluster.likeness,
                experience_ids=tuple(str(each.metadata["id"]) for each in cluster.members),
            )
            for number, cluster in enumerate(
                await to_thread(self._corpora["experiences"].clusters, {"kind": _kind(axis)}, most)
            )
        ]
        gone = [f"value-{axis}-{number}" for number in range(len(values), 1_000)]
        await to_thread(self._corpora["values"].remove, gone)
        for each in values:
            await self.record_value(each)
        return values

    def searcher(self) -> Searcher:
        """What an assembler asks."""
        return self

    async def search_memories(self, query: str, limit: int) -> Sequence[Hit]:
        """Facts, preferences, decisions, error messages."""
        return await to_thread(self._known, "memories", Memory, query, limit)

    async def search_code(self, query: str, limit: int) -> Sequence[Hit]:
        """Functions, classes and methods."""
        hits = await to_thread(found, self._corpora["code"], query, limit, kind="code")
        return [Hit(code_unit(each), likeness) for each, likeness in hits]

    async def search_experiences(
        self, query: str, limit: int, *, axis: Axis = "full", **where: str | None
    ) -> Sequence[Hit]:
        """Experiences, by their text on an axis."""
        names = {"outcome": "outcome_status"}
        known = {names.get(name, name): value for name, value in where.items() if value}
        search = {"kind": _kind(axis), **({"metadata": known} if known else {})}
        return await to_thread(self._known, "experiences", Experience, query, limit, **search)

    async def search_values(self, query: str, limit: int) -> Sequence[Hit]:
        """Principles."""
        return await to_thread(self._known, "values", Value, query, limit)

    async def search_commits(self, query: str, limit: int) -> Sequence[Hit]:
        """Commits."""
        hits = await to_thread(found, self._corpora["commits"], query, limit, kind="commit")
        return [Hit(commit_of(each), likeness) for each, likeness in hits]

    def close(self) -> None:
        """Close the files."""
        for corpus in self._corpora.values():
            corpus.close()

    def _index(self, name: str, **settings: Any) -> Summary:
        declared = CorpusDeclaration(name=name, config=settings)
        own: dict[str, Any] = {"principal": self._principal, "embedder": self._embedder}
        with Corpus.open(declared, store=self._place / name, **own) as corpus:
            return corpus.ingest()

    def _known(self, name: str, model: Any, query: str, limit: int, **filters: Any) -> list[Hit]:
        hits = found(self._corpora[name], query, limit, **filters)
        return [Hit(model_of(model, each), likeness) for each, likeness in hits]


def _kind(axis: Axis) -> str:
    return "experience" if axis == "full" else f"experience-{axis}"
