"""The Protocol of a store: batches in, blocks out, always for a principal."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Final, Protocol

from biblicus_context.base.arrays import Integers, Rows
from biblicus_context.stores.filters import NO_FILTERS, Filters
from biblicus_context.stores.model import Batch, Block, Document, Relation, Vectors
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.results import (
    Action,
    Activity,
    BlockPlace,
    Bm25,
    Direction,
    Hit,
    Info,
    Layout,
    Nearby,
    Ranked,
    TermCounts,
    Usage,
    WorkspaceState,
)
from biblicus_context.stores.trees import Trees

BM25: Final = Bm25()


class Lookups(Protocol):
    """Reads by id, by key and by relation."""

    def state(self, principal: Principal) -> WorkspaceState:
        """The newest version of the workspace: what a read can be pinned to."""
        ...

    def hidden_since(self, principal: Principal, at: int) -> int:
        """The last version that hid something of version `at` from the principal; `at` if none did.

        What was read or remembered of that version before has to be read again.
        """
        ...

    def info(self, principal: Principal, *, at: int | None = None) -> Info:
        """What the principal can see, in numbers."""
        ...

    def documents(
        self, principal: Principal, ids: Sequence[str], *, at: int | None = None
    ) -> tuple[Document, ...]:
        """The documents with these ids, in the order of the ids."""
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
        """Documents in the order of their ids, from the first one after `after`: a page at a time."""
        ...

    def fingerprints(self, principal: Principal) -> Mapping[str, str]:
        """The `text_hash` of every document by its id: an ingest compares them to find changes."""
        ...

    def blocks(
        self, principal: Principal, ids: Sequence[str], *, at: int | None = None
    ) -> tuple[Block, ...]:
        """The blocks with these ids, in the order of the ids."""
        ...

    def blocks_of(
        self, principal: Principal, document_id: str, *, at: int | None = None
    ) -> tuple[Block, ...]:
        """All blocks of a document, in their order."""
        ...

    def places_of(
        self,
        principal: Principal,
        document_ids: Sequence[str],
        *,
        most: int | None = None,
        at: int | None = None,
    ) -> tuple[BlockPlace, ...]:
        """Where the first blocks of many documents are, up to `most` of each (default: all).

        They are in the order of the documents, and in a document in the order of `blocks_of`.
        """
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

    def relations(
        self,
        principal: Principal,
        document_ids: Sequence[str],
        *,
        types: Collection[str] = (),
        direction: Direction = "out",
        at: int | None = None,
    ) -> tuple[Relation, ...]:
        """Relations of these types (default: all) that begin (or end, or both) at these documents.

        They are ordered by source, target and type. A relation is visible if both its documents are.
        """
        ...

    def usage(self, principal: Principal, block_ids: Sequence[str]) -> Mapping[str, Usage]:
        """How often these blocks were used; blocks that were never used are left out.

        Counts stay while a document has a block of this id, and go with it. The same is true of the
        time of its last use: a document that is put again keeps it, unless it has a later one.
        """
        ...

    def activity(
        self,
        principal: Principal,
        *,
        actions: Collection[Action] = (),
        since: datetime | None = None,
        documents: Collection[str] | None = None,
        limit: int = 100,
    ) -> tuple[Activity, ...]:
        """What this user did with (these) documents, last first; ties by document and action.

        Only documents that the principal can see now. What is done without a user is kept apart.
        """
        ...

    def vectors(
        self,
        principal: Principal,
        model: str,
        block_ids: Sequence[str],
        *,
        at: int | None = None,
    ) -> Mapping[str, bytes]:
        """The embeddings of these blocks by this model, as they were written: for an export."""
        ...

    def known_vectors(
        self, principal: Principal, model: str, keys: Sequence[str]
    ) -> Mapping[str, bytes]:
        """Embeddings by the keys they were written with: an ingest reuses them."""
        ...


class Searches(Protocol):
    """Rankings, as columns.

    A ranking weighs thousands of blocks, and would spend its time on making objects of them. So
    rankings name blocks by number (see `Ranked`), and `places` names the few that are shown. Numbers
    belong to one principal and one version; a number that is not of this view raises InputError.
    """

    def rank_text(
        self,
        principal: Principal,
        terms: Sequence[str],
        *,
        filters: Filters = NO_FILTERS,
        among: Integers | None = None,
        limit: int = 100,
        weights: Bm25 = BM25,
        similarity: float | None = None,
        at: int,
    ) -> Ranked:
        """The best blocks that contain any of the terms, by BM25 over what the principal can see
        and the filters let through: with other blocks, a word would be as rare as it is elsewhere.

        Words are compared without their case, accents and endings. Terms are words, never syntax. A
        term of several words is a phrase; a term that is given twice counts twice. What is searched
        is the `indexed_text` of a block (else its text), the title of its document and its headings.

        With a `similarity`, words that are spelt like a term count too. Two stems of n letters that
        differ by one wrong, missing, additional or swapped letter are 1 - 1/n alike; a word counts
        as much as it is alike, if by at least `similarity`.

        `among` limits the ranking to these blocks, and changes no score. Of equal scores at the
        limit, the lower block ids are kept.
        """
        ...

    def rank_vectors(
        self,
        principal: Principal,
        query: Vectors,
        *,
        filters: Filters = NO_FILTERS,
        among: Integers | None = None,
        limit: int = 100,
        at: int,
    ) -> Ranked:
        """The blocks whose embedding by the query's model is nearest to its one row, by cosine."""
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

        Inside a document the last block comes first; documents without either time are left out.
        The score is the time in seconds since 1970.
        """
        ...

    def count_terms(
        self, principal: Principal, terms: Sequence[str], *, at: int | None = None
    ) -> TermCounts:
        """How many blocks contain each of these terms, so that common terms can be left out."""
        ...

    def unit_vectors(
        self, principal: Principal, model: str, numbers: Integers, *, at: int
    ) -> tuple[Integers, Rows]:
        """Which of these blocks have an embedding by this model, and the embeddings at length 1."""
        ...

    def layout(
        self,
        principal: Principal,
        numbers: Integers,
        *,
        reach: int = 0,
        filters: Filters = NO_FILTERS,
        at: int,
    ) -> Layout:
        """Where these blocks are, and those within `reach` in the same document and session that
        meet the filters."""
        ...

    def places(self, principal: Principal, numbers: Integers, *, at: int) -> tuple[BlockPlace, ...]:
        """The ids and positions of these blocks, in the order of the numbers."""
        ...


class Reads(Lookups, Trees, Searches, Protocol):
    """The reading side: every result contains only what the principal may see.

    `at` pins a read to a version of the workspace: the same call with the same version returns the
    same result, whatever is written meanwhile, so pages are disjoint and complete. Without it, a
    read is of the newest version. A version that is no longer kept raises VersionGoneError. Uses and
    feedback make no version: counts and the time of a document's last use may change under a pinned
    read. Rights are those of now: a document that the principal may not read since, or that has
    in that version the title of one it was inside, is hidden in every older version too; `hidden_since` tells
    whether there is one. Unknown and hidden ids are left out of a result, and nobody can tell which of the two they
    are.
    """

    def reading(self, principal: Principal) -> AbstractContextManager[object]:
        """What a search is inside of: its reads, a dozen in this thread for this principal, may share a
        transaction and see one state of the store, so that only the first has to begin one.

        Every read returns the same inside as outside, but that of the newest version may return what
        was the newest when this began.
        """
        ...


class Writes(Protocol):
    """The writing side: a batch is durable as a whole, or has not happened.

    A principal replaces, removes and relates what it can see; ids that it cannot see are unknown.
    """

    def write(
        self,
        principal: Principal,
        batch: Batch,
        *,
        expected_version: int | None = None,
        erase: bool = True,
    ) -> int:
        """Write a batch in one transaction, and return the version it made.

        With an `expected_version`, a write on top of any other is a VersionConflictError, and nothing
        is written: so what was read of that version still holds. The counts of a block that its
        document loses go to the block that is there in its place.

        When this returns, no file holds bytes of what the batch removed or replaced, unless
        `remains_until` of the state says until when. Versions that show it have ended. With
        `erase=False` both are left to `purge`, or to the next write that removes something: for an
        ingest of many batches.
        """
        ...

    def purge(
        self, principal: Principal, *, timeout: float = 60.0, all_versions: bool = True
    ) -> None:
        """End the versions that show what was removed from the workspace, and erase its bytes.

        Waits for reads that still see it, up to `timeout` seconds: then it raises StillReadError.
        Without `all_versions`, those that the store still keeps (`keep_seconds`) stay.
        """
        ...

    def clear(self, principal: Principal) -> int:
        """Forget everything in the workspace, and return the version that this makes.

        Nothing of it is left anywhere: no older version, no count, no activity, no byte of a text.
        Whoever may read its documents, all of them go, so the principal must be one that sees all.
        Where nothing was ever written, this makes no version.
        """
        ...

    def record_usage(
        self,
        principal: Principal,
        *,
        used: Sequence[str] = (),
        helpful: Sequence[str] = (),
        unhelpful: Sequence[str] = (),
        when: datetime | None = None,
    ) -> None:
        """Count blocks that were placed in a context (`when` they were), and feedback on blocks.

        This makes no version.
        """
        ...

    def record_activity(
        self, principal: Principal, document_id: str, action: Action, when: datetime
    ) -> None:
        """Record that this user edited or viewed a document; one that it cannot see is ignored.

        The last time is kept for each document and action, of the last 1,000 for each user. This
        makes no version. It is forgotten with the document.
        """
        ...

    def record_source(self, principal: Principal, source: str) -> None:
        """Record where the workspace's documents come from; this makes no version."""
        ...

    def record_filling(self, principal: Principal, *, finished: bool) -> None:
        """Record that an ingest begins to fill the workspace, or has finished; this makes no version.

        A process that is killed between the two leaves the workspace partial, for every process. To
        `clear` it ends that.
        """
        ...

    def prepare(self, principal: Principal) -> None:
        """Do now what the first searches after an ingest would otherwise do."""
        ...


class Store(Reads, Writes, Protocol):
    """Where evidence lives. All methods may be called from several threads at once."""

    def check(self) -> tuple[str, ...]:
        """The problems of the store; empty if there are none. A check changes nothing."""
        ...

    def vacuum(self) -> None:
        """Forget all but the newest version of every workspace, and free the space.

        Others may read and write meanwhile.
        """
        ...

    def close(self) -> None:
        """Close all files; the store cannot be used afterwards."""
        ...
