"""A store in a folder of its own: one SQLite file for each workspace."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from biblicus_context.base.arrays import Integers, Rows
from biblicus_context.base.doors import door
from biblicus_context.base.forks import GATE
from biblicus_context.base.paths import path_of
from biblicus_context.stores import checks, filter_checks, query_checks, refusals
from biblicus_context.stores.batch_checks import checked
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
    Sibling,
    TermCounts,
    Usage,
    WorkspaceState,
)
from biblicus_context.stores.sqlite.files.capability import require_capable
from biblicus_context.stores.sqlite.files.connections import (
    open_database,
    seal_database,
    transaction,
)
from biblicus_context.stores.sqlite.files.database_errors import as_store_errors
from biblicus_context.stores.sqlite.files.erasure import erase as erase_files
from biblicus_context.stores.sqlite.files.folder import (
    Folder,
    existing_folder,
    folder,
    is_writable,
    marker_problems,
)
from biblicus_context.stores.sqlite.files.integrity import problems
from biblicus_context.stores.sqlite.files.open_workspaces import OpenWorkspaces
from biblicus_context.stores.sqlite.files.seal import break_seal
from biblicus_context.stores.sqlite.files.workspace import Workspace
from biblicus_context.stores.sqlite.rank import vocabulary
from biblicus_context.stores.sqlite.read import activity, info, lookups, relations, trees, usage
from biblicus_context.stores.sqlite.read.reading import WorkspaceReading
from biblicus_context.stores.sqlite.read.shared_reading import SharedReadings
from biblicus_context.stores.sqlite.write import cleanup, writer
from biblicus_context.stores.store import BM25
from biblicus_context.stores.trees import MOST_LEVELS

if TYPE_CHECKING:
    from biblicus_context.stores.sqlite.rank.plain_search import PlainSearch
    from biblicus_context.stores.sqlite.rank.search import WorkspaceSearch

KEEP_SECONDS: Final = 0.0
"""How long what a write removes stays readable in the versions before it."""
PATIENCE_SECONDS: Final = 1.0
"""How long a write that removes something waits for reads that began before it."""


@door
def open_store(
    path: str | os.PathLike[str], *, create: bool = True, keep_seconds: float = KEEP_SECONDS
) -> SqliteStore:
    """Open the store in a folder, or make one there.

    A version can be read until something that it shows is removed or replaced, and `keep_seconds`
    longer. Then its bytes leave all files: by default before the write returns, else with the first
    write, opening or `purge` after that time.

    >>> from tempfile import mkdtemp
    >>> from biblicus_context.stores import Principal
    >>> with open_store(mkdtemp()) as store:
    ...     store.state(Principal("acme")).version
    0
    """
    require_capable()
    place = path_of(path, "store")
    return SqliteStore(folder(place) if create else existing_folder(place), keep_seconds)


@door
class SqliteStore:
    """Each method's contract is in the Protocol: it checks its arguments and begins one read or write."""

    def __init__(self, folder: Folder, keep_seconds: float) -> None:
        self._workspaces = OpenWorkspaces(folder)
        self._folder = folder
        self._keep = int(1e6 * checks.positive(keep_seconds, "keep_seconds"))
        self._shared = SharedReadings()

    @contextmanager
    def reading(self, principal: Principal) -> Iterator[None]:
        """Let several reads share a transaction."""
        if self._shared.is_open:
            yield
            return
        with (
            GATE.inside(),
            self._workspaces.get(principal).shared_reading(principal) as shared,
            self._shared.holding(shared),
        ):
            yield

    @contextmanager
    def _reading(self, principal: Principal, at: int | None = None) -> Iterator[WorkspaceReading]:
        with self._of_workspace(principal, at) as (_, reading):
            yield reading

    @contextmanager
    def _searching(
        self, principal: Principal, at: int | None
    ) -> Iterator[tuple[WorkspaceSearch | PlainSearch, WorkspaceReading]]:
        with self._of_workspace(principal, at) as (workspace, reading):
            yield workspace.search, reading

    @contextmanager
    def _of_workspace(
        self, principal: Principal, at: int | None
    ) -> Iterator[tuple[Workspace, WorkspaceReading]]:
        """The one way to read: in the transaction that this thread has begun, or in one of its own."""
        shared = self._shared.of(principal)
        known = shared and shared.at(at)
        if shared and known:
            with as_store_errors(str(shared.workspace.path)):
                yield shared.workspace, known
            return
        with GATE.inside():
            workspace = self._workspaces.get(principal)
            with workspace.reading(principal, at) as reading:
                yield workspace, reading

    @contextmanager
    def _writing(self, principal: Principal) -> Iterator[WorkspaceReading]:
        with (
            GATE.inside(),
            self._workspaces.get_or_create(principal).writing(principal) as reading,
        ):
            yield reading

    # Lookups

    def state(self, principal: Principal) -> WorkspaceState:
        """The newest version, and where it comes from."""
        with self._reading(principal) as reading:
            return info.state(reading)

    def hidden_since(self, principal: Principal, at: int) -> int:
        """The last version that hid something of this one."""
        with self._reading(principal, at) as reading:
            return reading.hidden

    def info(self, principal: Principal, *, at: int | None = None) -> Info:
        """What can be seen, in numbers."""
        with self._reading(principal, at) as reading:
            return info.info(reading)

    def documents(
        self, principal: Principal, ids: Sequence[str], *, at: int | None = None
    ) -> tuple[Document, ...]:
        """Documents by id."""
        with self._reading(principal, at) as reading:
            return lookups.documents(reading, checks.ids(ids, "ids"))

    def list_documents(
        self,
        principal: Principal,
        *,
        filters: Filters = NO_FILTERS,
        after: str | None = None,
        limit: int = 100,
        at: int | None = None,
    ) -> tuple[Document, ...]:
        """A page of documents in the order of their ids."""
        start = checks.optional_name(after, "after")
        most = checks.whole(limit, "limit")
        with self._reading(principal, at) as reading:
            return lookups.list_documents(reading, filter_checks.checked(filters), start, most)

    def fingerprints(self, principal: Principal) -> Mapping[str, str]:
        """The text hash of every document."""
        with self._reading(principal) as reading:
            return lookups.fingerprints(reading)

    def blocks(
        self, principal: Principal, ids: Sequence[str], *, at: int | None = None
    ) -> tuple[Block, ...]:
        """Blocks by id."""
        with self._reading(principal, at) as reading:
            return lookups.blocks(reading, checks.ids(ids, "ids"))

    def blocks_of(
        self, principal: Principal, document_id: str, *, at: int | None = None
    ) -> tuple[Block, ...]:
        """All blocks of a document."""
        with self._reading(principal, at) as reading:
            return lookups.blocks_of(reading, checks.ids([document_id], "document_id"))

    def places_of(
        self,
        principal: Principal,
        document_ids: Sequence[str],
        *,
        most: int | None = None,
        at: int | None = None,
    ) -> tuple[BlockPlace, ...]:
        """Where the blocks of many documents are."""
        each = None if most is None else checks.whole(most, "most")
        with self._reading(principal, at) as reading:
            return lookups.places_of(reading, checks.ids(document_ids, "document_ids"), each)

    def nearby(
        self,
        principal: Principal,
        block_ids: Sequence[str],
        *,
        reach: int = 4,
        at: int | None = None,
    ) -> tuple[Nearby, ...]:
        """The places around many blocks."""
        most = checks.whole(reach, "reach")
        with self._reading(principal, at) as reading:
            return lookups.nearby(reading, checks.ids(block_ids, "block_ids"), most)

    def relations(
        self,
        principal: Principal,
        document_ids: Sequence[str],
        *,
        types: Collection[str] = (),
        direction: Direction = "out",
        at: int | None = None,
    ) -> tuple[Relation, ...]:
        """Relations of documents."""
        wanted = checks.sequence(types, "types")
        ends = query_checks.direction(direction)
        with self._reading(principal, at) as reading:
            ids = checks.ids(document_ids, "document_ids")
            return relations.relations(reading, ids, wanted, ends)

    def usage(self, principal: Principal, block_ids: Sequence[str]) -> Mapping[str, Usage]:
        """How often blocks were used."""
        with self._reading(principal) as reading:
            return usage.usage(reading, checks.ids(block_ids, "block_ids"))

    def activity(
        self,
        principal: Principal,
        *,
        actions: Collection[Action] = (),
        since: datetime | None = None,
        documents: Collection[str] | None = None,
        limit: int = 100,
    ) -> tuple[Activity, ...]:
        """What this user did with documents, last first."""
        query = query_checks.activity(actions, since, documents, limit)
        with self._reading(principal) as reading:
            return activity.activity(reading, principal.user, query)

    def vectors(
        self,
        principal: Principal,
        model: str,
        block_ids: Sequence[str],
        *,
        at: int | None = None,
    ) -> Mapping[str, bytes]:
        """Embeddings by the ids of their blocks."""
        with self._reading(principal, at) as reading:
            name = checks.name(model, "model")
            return lookups.vectors(reading, name, checks.ids(block_ids, "block_ids"))

    def known_vectors(
        self, principal: Principal, model: str, keys: Sequence[str]
    ) -> Mapping[str, bytes]:
        """Embeddings by their keys."""
        with self._reading(principal) as reading:
            name = checks.name(model, "model")
            return lookups.known_vectors(reading, name, checks.ids(keys, "keys"))

    # Trees

    def lineage(
        self,
        principal: Principal,
        ids: Sequence[str],
        *,
        levels: int = MOST_LEVELS,
        at: int | None = None,
    ) -> tuple[Document, ...]:
        """Documents and what they are inside."""
        most = checks.whole(levels, "levels")
        with self._reading(principal, at) as reading:
            return trees.lineage(reading, checks.ids(ids, "ids"), most)

    def children(
        self,
        principal: Principal,
        parents: Sequence[str],
        *,
        limit: int = 100,
        at: int | None = None,
    ) -> tuple[Document, ...]:
        """The first children of many documents."""
        most = checks.whole(limit, "limit")
        with self._reading(principal, at) as reading:
            return trees.children(reading, checks.ids(parents, "parents"), most)

    def siblings(
        self, principal: Principal, ids: Sequence[str], *, reach: int, at: int | None = None
    ) -> tuple[Sibling, ...]:
        """The nearest siblings of many documents."""
        most = checks.whole(reach, "reach")
        with self._reading(principal, at) as reading:
            return trees.siblings(reading, checks.ids(ids, "ids"), most)

    # Searches

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
        """Blocks by BM25."""
        query = query_checks.text(terms, weights, similarity)
        most = checks.whole(limit, "limit")
        with self._searching(principal, at) as (search, reading):
            return search.rank_text(reading, query, filter_checks.checked(filters), among, most)

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
        """Blocks by cosine."""
        embedding = query_checks.query(query)
        most = checks.whole(limit, "limit")
        with self._searching(principal, at) as (search, reading):
            wanted = filter_checks.checked(filters)
            return search.rank_vectors(reading, embedding, wanted, among, most)

    def recent(
        self,
        principal: Principal,
        *,
        filters: Filters = NO_FILTERS,
        limit: int = 100,
        offset: int = 0,
        at: int | None = None,
    ) -> tuple[Hit, ...]:
        """Blocks of the documents last changed."""
        start, most = checks.whole(offset, "offset"), checks.whole(limit, "limit")
        with self._reading(principal, at) as reading:
            return lookups.recent(reading, filter_checks.checked(filters), start, most)

    def count_terms(
        self, principal: Principal, terms: Sequence[str], *, at: int | None = None
    ) -> TermCounts:
        """How many blocks contain each term."""
        query = query_checks.text(terms, BM25, None)
        with self._searching(principal, at) as (search, reading):
            return search.count(reading, query.terms)

    def unit_vectors(
        self, principal: Principal, model: str, numbers: Integers, *, at: int
    ) -> tuple[Integers, Rows]:
        """Embeddings by the numbers of their blocks."""
        name = checks.name(model, "model")
        with self._searching(principal, at) as (search, reading):
            return search.unit_vectors(reading, name, numbers)

    def layout(
        self,
        principal: Principal,
        numbers: Integers,
        *,
        reach: int = 0,
        filters: Filters = NO_FILTERS,
        at: int,
    ) -> Layout:
        """Where blocks are, and what is around them."""
        most, wanted = checks.whole(reach, "reach"), filter_checks.checked(filters)
        with self._searching(principal, at) as (search, reading):
            return search.layout(reading, numbers, most, wanted)

    def places(self, principal: Principal, numbers: Integers, *, at: int) -> tuple[BlockPlace, ...]:
        """Ids and positions of blocks."""
        with self._searching(principal, at) as (search, reading):
            return search.places(reading, numbers)

    # Writes

    def write(
        self,
        principal: Principal,
        batch: Batch,
        *,
        expected_version: int | None = None,
        erase: bool = True,
    ) -> int:
        """Write a batch in one transaction."""
        sound = checked(batch)
        if expected_version is not None:
            checks.whole(expected_version, "expected_version")
        now = time.time_ns() // 1000
        with GATE.inside():
            workspace = self._workspaces.get_or_create(principal)
            with workspace.writing(principal) as reading:
                if expected_version not in (None, reading.at):
                    raise refusals.version_conflict(expected_version, reading.at)
                written = writer.write(reading, sound, now, keep=self._keep, erase=erase)
            if written.is_due:
                workspace.erase(self._patience)
        return written.version

    @property
    def _patience(self) -> float:
        """A thread that reads meanwhile would wait for itself."""
        return 0.0 if self._shared.is_open else PATIENCE_SECONDS

    def purge(
        self, principal: Principal, *, timeout: float = 60.0, all_versions: bool = True
    ) -> None:
        """Erase what was removed, and wait for reads that still see it."""
        seconds = checks.positive(timeout, "timeout")
        with GATE.inside():
            workspace = self._workspaces.find(principal)
            if workspace is None or self.state(principal).remains_until is None:
                return
            with workspace.transaction() as connection:
                keep = 0 if all_versions else self._keep
                is_due = cleanup.sweep(connection, time.time_ns() // 1000, keep)
            if is_due and not workspace.erase(seconds):
                raise refusals.still_read(str(workspace.path), seconds)

    def clear(self, principal: Principal) -> int:
        """Forget everything in the workspace."""
        checks.seeing_all(principal)
        now = time.time_ns() // 1000
        with GATE.inside():
            workspace = self._workspaces.find(principal)
            if workspace is None:
                return 0
            with workspace.writing(principal) as reading:
                version = cleanup.clear(reading.connection, now)
            workspace.erase(self._patience)
            return version

    def record_usage(
        self,
        principal: Principal,
        *,
        used: Sequence[str] = (),
        helpful: Sequence[str] = (),
        unhelpful: Sequence[str] = (),
        when: datetime | None = None,
    ) -> None:
        """Count uses of blocks, and feedback on blocks."""
        counts = query_checks.usage(used, helpful, unhelpful, when)
        with GATE.inside():
            if workspace := self._workspaces.find(principal):
                with workspace.writing(principal) as reading:
                    usage.record(reading, counts)

    def record_activity(
        self, principal: Principal, document_id: str, action: Action, when: datetime
    ) -> None:
        """Record that this user edited or viewed a document."""
        name = checks.name(document_id, "document_id")
        done, moment = query_checks.action(action), query_checks.moment(when)
        with GATE.inside():
            if workspace := self._workspaces.find(principal):
                with workspace.writing(principal) as reading:
                    activity.record(reading, principal.user, name, done, moment)

    def record_source(self, principal: Principal, source: str) -> None:
        """Record where documents come from."""
        name = checks.name(source, "source")
        with self._writing(principal) as reading:
            info.record_source(reading, name)

    def record_filling(self, principal: Principal, *, finished: bool) -> None:
        """Record that an ingest begins to fill a workspace, or has finished."""
        is_finished = checks.boolean(finished, "finished")
        with self._writing(principal) as reading:
            info.record_filling(reading, finished=is_finished)

    def prepare(self, principal: Principal) -> None:
        """Do now what the first searches after an ingest would otherwise do."""
        with self._searching(principal, None) as (search, reading):
            search.prepare(reading)
            is_complete = vocabulary.is_complete(reading.connection)
        if not is_complete and is_writable(self._workspaces.get(principal).path):
            with self._writing(principal) as writing:
                vocabulary.complete(writing.connection)

    # Upkeep

    def check(self) -> tuple[str, ...]:
        """What is wrong, one sentence each."""
        self._workspaces.close_all()  # the checksums of a file can be read while it is not open
        found = marker_problems(self._folder.path)
        databases = sorted([*self._folder.databases, *self._folder.missing])
        return (*found, *(each for path in databases for each in problems(path)))

    def vacuum(self) -> None:
        """Forget all but the newest versions, and free the space."""
        for path in self._folder.databases:
            self._vacuum(path)

    def _vacuum(self, path: Path) -> None:
        with closing(open_database(path)) as connection, as_store_errors(str(path)):
            break_seal(path)
            with transaction(connection):
                cleanup.clean_all(connection)
            erase_files(connection, path, self._patience)
        del connection
        seal_database(path)
        # Open workspaces still map the embeddings' file, which is gone now.
        self._workspaces.close_all()

    def close(self) -> None:
        """Close all files."""
        self._workspaces.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self._folder.path)!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
