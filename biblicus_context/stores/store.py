"""The Protocol of a store: batches in, blocks out, always for a principal."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from biblicus_context.arrays import Integers, Numbers, Rows
from biblicus_context.stores.answers import (
    Bm25,
    Direction,
    Hit,
    Info,
    Layout,
    Nearby,
    Place,
    Ranked,
    Related,
    TermCounts,
    Usage,
)
from biblicus_context.stores.filters import NO_FILTERS, Filters
from biblicus_context.stores.model import Batch, Block, Document, Vectors
from biblicus_context.stores.principal import Principal

BM25 = Bm25()


class Reads(Protocol):
    """The reading side: every answer holds only what the principal may see.

    `at` pins a read to a version of the workspace: the same call with the same version gives the
    same answer, whatever is written meanwhile, so pages (`offset`, `limit`) are disjoint and
    complete. Without it a read is of the newest version. A version that is not kept any more
    raises VersionGoneError. Hits are ordered by score, then by block id. Ids that are unknown or
    hidden are left out of an answer; nobody can tell which of the two they are.

    A ranking that weighs thousands of blocks would spend its time on making objects of them, so
    `rank_text`, `rank_vectors` and what follows them speak of blocks by number (see `Ranked`), and
    `places` names the few that are shown.
    """

    def version(self, principal: Principal) -> int:
        """The number of the workspace's newest version; every batch that is written makes one."""
        ...

    def changed(self, principal: Principal) -> datetime | None:
        """When the workspace's newest version was written; None where nothing ever was."""
        ...

    def search_text(
        self,
        principal: Principal,
        terms: Sequence[str],
        *,
        filters: Filters = NO_FILTERS,
        limit: int = 100,
        offset: int = 0,
        weights: Bm25 = BM25,
        at: int | None = None,
    ) -> tuple[Hit, ...]:
        """Blocks that hold any of the terms (stemmed), by BM25 over what the principal can see.

        Terms are words, never syntax; one that is given twice counts twice.
        """
        ...

    def search_fuzzy(
        self,
        principal: Principal,
        terms: Sequence[str],
        *,
        filters: Filters = NO_FILTERS,
        limit: int = 100,
        offset: int = 0,
        weights: Bm25 = BM25,
        similarity: float = 0.75,
        at: int | None = None,
    ) -> tuple[Hit, ...]:
        """As `search_text`, with words of the corpus that are spelt like a term standing in for it.

        Two stems of n letters that differ by one wrong, missing, additional or swapped letter are
        1 - 1/n alike; a word counts as much as it is alike, if by at least `similarity`.
        """
        ...

    def search_vectors(
        self,
        principal: Principal,
        query: Vectors,
        *,
        filters: Filters = NO_FILTERS,
        limit: int = 100,
        offset: int = 0,
        at: int | None = None,
    ) -> tuple[Hit, ...]:
        """Blocks whose embedding by the query's model is nearest to its one row, by cosine."""
        ...

    def rank_text(
        self,
        principal: Principal,
        terms: Sequence[str],
        *,
        filters: Filters = NO_FILTERS,
        limit: int = 100,
        weights: Bm25 = BM25,
        at: int,
    ) -> Ranked:
        """What `search_text` finds, as columns."""
        ...

    def rank_vectors(
        self,
        principal: Principal,
        query: Vectors,
        *,
        filters: Filters = NO_FILTERS,
        limit: int = 100,
        at: int,
    ) -> Ranked:
        """What `search_vectors` finds, as columns."""
        ...

    def score_text(
        self,
        principal: Principal,
        terms: Sequence[str],
        numbers: Integers,
        *,
        weights: Bm25 = BM25,
        at: int,
    ) -> Numbers:
        """What `rank_text` gives these blocks; 0.0 where no term stands."""
        ...

    def score_vectors(
        self, principal: Principal, query: Vectors, numbers: Integers, *, at: int
    ) -> Numbers:
        """What `rank_vectors` gives these blocks; not a number where there is no embedding."""
        ...

    def unit_vectors(
        self, principal: Principal, model: str, numbers: Integers, *, at: int
    ) -> tuple[Integers, Rows]:
        """Those of these blocks that have an embedding by this model, and it, brought to length 1."""
        ...

    def layout(self, principal: Principal, numbers: Integers, *, reach: int = 0, at: int) -> Layout:
        """Where these blocks stand, and those within `reach` in the same document and session."""
        ...

    def places(self, principal: Principal, numbers: Integers, *, at: int) -> tuple[Place, ...]:
        """What these blocks are called and where they stand, in the order asked for."""
        ...

    def count_terms(
        self, principal: Principal, terms: Sequence[str], *, at: int | None = None
    ) -> TermCounts:
        """In how many blocks each of these terms stands, so that common ones may be left out."""
        ...

    def recent(
        self,
        principal: Principal,
        *,
        filters: Filters = NO_FILTERS,
        limit: int = 100,
        offset: int = 0,
        at: int | None = None,
    ) -> tuple[Hit, ...]:
        """Blocks of the documents last updated (else created), newest document first.

        Inside a document the last block comes first. The score is the time in seconds since 1970.
        """
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

    def usage(self, principal: Principal, block_ids: Sequence[str]) -> Mapping[str, Usage]:
        """How these blocks have been used, for those that have been."""
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
