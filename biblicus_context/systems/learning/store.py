"""What was learned, in corpora of this package: of one workspace, found as soon as it is written."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, Self

from biblicus_context import Corpus, CorpusDeclaration, Embedder, Principal, Summary
from biblicus_context.systems.learning.clusters import clusters_of
from biblicus_context.systems.learning.models import Axis, Experience, Memory, Value
from biblicus_context.systems.learning.records import (
    experience_records,
    kind_of,
    memory_record,
    value_record,
)
from biblicus_context.systems.learning.store_searcher import StoreSearcher

_MOST: Final = 5_000
"""Experiences that are clustered, the first by id."""


class LearningStore:
    """Memories, experiences, values, code and commits of one workspace."""

    def __init__(self, place: Path, principal: Principal, embedder: Embedder | None) -> None:
        self._place, self._principal, self._embedder = place, principal, embedder
        self.records, self.code, self.commits = (
            Corpus.open_records(place / name, name=name, principal=principal, embedder=embedder)
            for name in ("records", "code", "commits")
        )

    @classmethod
    def open(
        cls, place: str | Path, workspace: str = "default", *, embedder: Embedder | None = None
    ) -> Self:
        """The store in a folder, as a workspace: nothing of other ones is seen or changed."""
        return cls(Path(place), Principal(workspace), embedder)

    async def record_memory(self, memory: Memory) -> None:
        """Write a memory, in place of the one with its id."""
        await asyncio.to_thread(self.records.put, [memory_record(memory)])

    async def record_experience(self, experience: Experience) -> None:
        """Write an experience, in place of the one with its id; it is found on four axes."""
        await asyncio.to_thread(self.records.put, [*experience_records(experience)])

    async def record_value(self, value: Value) -> None:
        """Write a value, in place of the one with its id."""
        await asyncio.to_thread(self.records.put, [value_record(value)])

    async def index_code(self, root: str | Path, include: Sequence[str] = ()) -> Summary:
        """Read the files of a folder that have changed; `include` are patterns as in .gitignore."""
        return await self._index("code", {"root": str(root), "include": tuple(include)})

    async def index_commits(
        self, root: str | Path, since: str | None = None, paths: Sequence[str] = ()
    ) -> Summary:
        """Read the new commits of the repository whose top folder this is."""
        settings = {"root": str(root), "source": "git", "since": since, "paths": tuple(paths)}
        return await self._index("commits", settings)

    async def derive_values(self, axis: Axis = "root_cause", clusters: int = 8) -> list[Value]:
        """Write the experience in the middle of each cluster as a value, in place of earlier ones.

        Clusters are of at least two of the first 5,000 experiences on the axis. It needs numpy.
        """
        return await asyncio.to_thread(self._derive, axis, clusters)

    def searcher(self) -> StoreSearcher:
        """A searcher over all of it."""
        return StoreSearcher(self.records, self.code, self.commits)

    def close(self) -> None:
        """Close the files."""
        for corpus in (self.records, self.code, self.commits):
            corpus.close()

    async def _index(self, name: str, settings: dict[str, Any]) -> Summary:
        corpus = Corpus.open(
            CorpusDeclaration(name=name, config=settings),
            principal=self._principal,
            store=self._place / name,
            embedder=self._embedder,
        )
        with corpus:
            return await asyncio.to_thread(corpus.ingest)

    def _derive(self, axis: Axis, clusters: int) -> list[Value]:
        embedder = self.records.embedder
        if embedder is None:
            return []
        wanted = {"kind": kind_of(axis)}
        documents = [*islice(self.records.documents(wanted), _MOST)]
        texts = self.records.get([each.id for each in documents])
        vectors = embedder.embed([each.text for each in texts])
        values = [
            Value(
                id=f"value-{axis}-{number}",
                text=texts[cluster.middle].text,
                axis=axis,
                cluster_id=f"{axis}-{number}",
                cluster_size=len(cluster.members),
                similarity_to_centroid=cluster.similarity,
                experience_ids=tuple(str(documents[n].metadata["id"]) for n in cluster.members),
            )
            for number, cluster in enumerate(clusters_of(vectors, clusters))
        ]
        earlier = self.records.documents({"kind": "value", "metadata": {"derived": axis}})
        self.records.remove([each.id for each in earlier])
        self.records.put([value_record(each, derived=axis) for each in values])
        return values
