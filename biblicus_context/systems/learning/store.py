"""What was learned, in corpora of this package: found as soon as it is written."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self, TypeAlias

from biblicus_context import (
    Corpus,
    CorpusDeclaration,
    Embedder,
    Evidence,
    Principal,
    Record,
    Summary,
    code_unit,
)
from biblicus_context.systems.learning.models import (
    Axis,
    CodeUnit,
    Commit,
    Experience,
    Hit,
    Memory,
    Value,
)
from biblicus_context.systems.learning.searcher import Searcher
from biblicus_context.systems.learning.views import AXES, view

_Known: TypeAlias = Memory | Experience | Value


class LearningStore:
    """Memories, experiences, values, code and commits of one workspace; it is a `Searcher`."""

    def __init__(self, place: Path, principal: Principal, embedder: Embedder | None) -> None:
        self._place, self._principal, self._embedder = place, principal, embedder
        self._records, self._code, self._commits = (
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
        await to_thread(self._records.put, [_record(memory, "memory", memory.content)])

    async def record_experience(self, experience: Experience) -> None:
        """Write an experience, in place of the one with its id; it is found on four axes."""
        views = [_record(experience, _kind(axis), view(experience, axis)) for axis in AXES]
        await to_thread(self._records.put, views)

    async def record_value(self, value: Value) -> None:
        """Write a value, in place of the one with its id."""
        await to_thread(self._records.put, [_record(value, "value", value.text)])

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
                await to_thread(self._records.clusters, {"kind": _kind(axis)}, most)
            )
        ]
        gone = [f"value-{axis}-{number}" for number in range(len(values), 1_000)]
        await to_thread(self._records.remove, gone)
        await to_thread(self._records.put, [_record(each, "value", each.text) for each in values])
        return values

    def searcher(self) -> Searcher:
        """What an assembler asks."""
        return self

    async def search_memories(self, query: str, limit: int) -> Sequence[Hit]:
        """Facts, preferences, decisions, error messages."""
        return await to_thread(self._known, Memory, query, limit, kind="memory")

    async def search_code(self, query: str, limit: int) -> Sequence[Hit]:
        """Functions, classes and methods."""
        found = await to_thread(_found, self._code, query, limit, kind="code")
        return [Hit(CodeUnit(**code_unit(each)._asdict()), likeness) for each, likeness in found]

    async def search_experiences(
        self, query: str, limit: int, *, axis: Axis = "full", **where: str | None
    ) -> Sequence[Hit]:
        """Experiences, by their text on an axis."""
        names = {"outcome": "outcome_status"}
        known = {names.get(name, name): value for name, value in where.items() if value}
        search = {"kind": _kind(axis), **({"metadata": known} if known else {})}
        return await to_thread(self._known, Experience, query, limit, **search)

    async def search_values(self, query: str, limit: int) -> Sequence[Hit]:
        """Principles."""
        return await to_thread(self._known, Value, query, limit, kind="value")

    async def search_commits(self, query: str, limit: int) -> Sequence[Hit]:
        """Commits."""
        found = await to_thread(_found, self._commits, query, limit, kind="commit")
        return [Hit(_commit(each), likeness) for each, likeness in found]

    def close(self) -> None:
        """Close the files."""
        for corpus in (self._records, self._code, self._commits):
            corpus.close()

    def _index(self, name: str, **settings: Any) -> Summary:
        declared = CorpusDeclaration(name=name, config=settings)
        own: dict[str, Any] = {"principal": self._principal, "embedder": self._embedder}
        with Corpus.open(declared, store=self._place / name, **own) as corpus:
            return corpus.ingest()

    def _known(self, model: type[_Known], query: str, limit: int, **filters: Any) -> list[Hit]:
        found = _found(self._records, query, limit, **filters)
        return [
            Hit(model(**{**each.document.metadata, "created_at": each.document.created}), likeness)
            for each, likeness in found
        ]


def _kind(axis: Axis) -> str:
    return "experience" if axis == "full" else f"experience-{axis}"


def _record(item: _Known, kind: str, text: str) -> Record:
    is_view = kind.startswith("experience-")
    return Record(
        id=f"{item.id}#{kind}" if is_view else item.id,
        kind=kind,
        text=text,
        parent=item.id if is_view else None,
        created=item.created_at or datetime.now(UTC),
        metadata=item.model_dump(mode="json", exclude={"created_at"}),
    )


def _found(corpus: Corpus, query: str, limit: int, **filters: Any) -> list[tuple[Evidence, float]]:
    """The order of the search, which knows words as well, with the cosines as figures."""
    found = corpus.search(query, limit=limit, filters=filters, maximum_items_per_source=1)
    return [*zip(found, sorted(corpus.likeness(query, found), reverse=True), strict=True)]


def _commit(found: Evidence) -> Commit:
    known: dict[str, Any] = dict(found.document.metadata)
    return Commit(
        **{**known, "files_changed": known["files"], "created_at": found.document.created}
    )
