"""The Protocol of a store: batches in, blocks out, always for a principal."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from biblicus_context.stores.answers import Direction, Info, Nearby, Related, Usage
from biblicus_context.stores.filters import NO_FILTERS, Filters
from biblicus_context.stores.model import Batch, Block, Document, Relation
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.ranking import Ranking
from biblicus_context.stores.searching import Searching


class Reads(Searching, Ranking, Protocol):
    """The reading side: every answer holds only what the principal may see.

    `at` pins a read to a version of the workspace: the same call with the same version gives the
    same answer, whatever is written meanwhile, so pages (`offset`, `limit`) are disjoint and
    complete. Without it a read is of the newest version. A version that is not kept any more
    raises VersionGoneError. Uses and feedback make no version: counts and the time of a document's
    last use may change under a pinned read. Ids that are unknown or hidden are left out of an answer; nobody can
    tell which of the two they are.
    """

    def version(self, principal: Principal) -> int:
        """The number of the workspace's newest version; every batch that is written makes one."""
        ...

    def changed(self, principal: Principal) -> datetime | None:
        """When the workspace's newest version was written; None where nothing ever was."""
        ...

    def source(self, principal: Principal) -> str | None:
        """Where the workspace's documents come from, as the last one to say it called it."""
        ...

    def blocks(
        self, principal: Principal, ids: Sequence[str], *, at: int | None = None
    ) -> tuple[Block, ...]:
        """The blocks with these ids, in the order asked for."""
        ...

    def documents(
        self, principal: Principal, ids: Sequence[str], *, at: int | None = None
    ) -> tuple[Document, ...]:
        """The documents with these ids, in the order asked for."""
        ...

    def blocks_of(
        self, principal: Principal, document_id: str, *, at: int | None = None
    ) -> tuple[Block, ...]:
        """All blocks of a document, in their order."""
        ...

    def list_documents(
        self,
        principal: Principal,
        *,
        filters: Filters = NO_FILTERS,
        after: str | None = None,
        limit: int = 100,
        at: int | None = None,
    ) -> tuple[Document, ...]:
        """Documents in the order of their ids, from the first one after `after`."""
        ...

    def neighbours(
        self,
        principal: Principal,
        block_id: str,
        *,
        before: int = 1,
        after: int = 1,
        at: int | None = None,
    ) -> tuple[Block, ...]:
        """A block and those around it in the same document and session, in their order."""
        ...

    def nearby(
        self,
        principal: Principal,
        block_ids: Sequence[str],
        *,
        reach: int = 4,
        at: int | None = None,
    ) -> tuple[Nearby, ...]:
        """The places around many blocks, each within `reach` in the same document and session."""
        ...

    def related(
        self,
        principal: Principal,
        document_id: str,
        *,
        types: Collection[str] = (),
        direction: Direction = "out",
        depth: int = 1,
        limit: int = 100,
        at: int | None = None,
    ) -> tuple[Related, ...]:
        """Documents within `depth` relations of these types (none named: all), nearest first.

        Each document comes once; of equal depth the heavier relation comes first. A way never
        leads through a document that is hidden from the principal.
        """
        ...

    def relations_of(
        self, principal: Principal, document_ids: Sequence[str], *, at: int | None = None
    ) -> tuple[Relation, ...]:
        """Every relation from these documents to one that may be seen, by source, target and type."""
        ...

    def usage(self, principal: Principal, block_ids: Sequence[str]) -> Mapping[str, Usage]:
        """How these blocks have been used, for those that have been.

        Counts stay while a document has a block of this id, and go with it; so does the time of its
        last use, which a document that is put again keeps unless it says a later one.
        """
        ...

    def known_vectors(
        self, principal: Principal, model: str, keys: Sequence[str]
    ) -> Mapping[str, bytes]:
        """Rows of this model by the key they were written with, for those that are there."""
        ...

    def vectors(
        self,
        principal: Principal,
        model: str,
        block_ids: Sequence[str],
        *,
        at: int | None = None,
    ) -> Mapping[str, bytes]:
        """The embeddings of these blocks by this model, as they were written."""
        ...

    def fingerprints(self, principal: Principal) -> Mapping[str, str]:
        """The `text_hash` of every document by its id, so that an ingest can tell what changed."""
        ...

    def info(self, principal: Principal, *, at: int | None = None) -> Info:
        """What the principal can see, in numbers."""
        ...


class Writes(Protocol):
    """The writing side: a batch is durable as a whole, or has not happened.

    A principal replaces, removes and relates what it can see; ids that it cannot are as unknown.
    """

    def write(self, principal: Principal, batch: Batch) -> int:
        """Write a batch in one transaction; the version it made is returned."""
        ...

    def record_use(self, principal: Principal, block_ids: Sequence[str], *, when: datetime) -> None:
        """Count that these blocks were placed in a context; this makes no version."""
        ...

    def record_feedback(
        self,
        principal: Principal,
        *,
        helpful: Sequence[str] = (),
        unhelpful: Sequence[str] = (),
    ) -> None:
        """Count what was said of these blocks; this makes no version."""
        ...

    def record_source(self, principal: Principal, source: str) -> None:
        """Say where the workspace's documents come from; this makes no version."""
        ...

    def prepare(self, principal: Principal) -> None:
        """Do now what the first searches after an ingest would otherwise do."""
        ...


class Store(Reads, Writes, Protocol):
    """Where evidence lives. All methods may be called from several threads at once."""

    def check(self) -> tuple[str, ...]:
        """What is wrong with the store; empty where all is well. Nothing is changed."""
        ...

    def vacuum(self) -> None:
        """Forget all but the newest version of every workspace, and give the space back.

        Others may read and write meanwhile.
        """
        ...

    def close(self) -> None:
        """Let go of files; the store cannot be used afterwards."""
        ...
