"""SQLite as a source: one file for each collection of a workspace, in a folder of the store's own."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from functools import wraps
from importlib.util import find_spec
from pathlib import Path
from threading import local
from typing import Concatenate, Final, ParamSpec, TypeVar

from biblicus_context.stores import checks, refusals
from biblicus_context.stores.arguments import ActivityQuery, RecordedUsage
from biblicus_context.stores.errors import StoreError
from biblicus_context.stores.filters import Filters
from biblicus_context.stores.model import Batch, Block, Document, Relation
from biblicus_context.stores.results import (
    Action,
    Activity,
    BlockPlace,
    Direction,
    EvidenceRow,
    Hit,
    Info,
    Nearby,
    Sibling,
    Usage,
    WorkspaceState,
)
from biblicus_context.stores.source import Applied, Names, Owner, Packs, ReadState, Scope, Wanted
from biblicus_context.stores.sqlite.files.connections import (
    open_database,
    seal_database,
    transaction,
)
from biblicus_context.stores.sqlite.files.database_errors import (
    FAILURES,
    REBUILD,
    as_store_errors,
    store_error,
)
from biblicus_context.stores.sqlite.files.erasure import erase
from biblicus_context.stores.sqlite.files.folder import Folder, is_writable, marker_problems
from biblicus_context.stores.sqlite.files.integrity import problems
from biblicus_context.stores.sqlite.files.open_workspaces import OpenWorkspaces
from biblicus_context.stores.sqlite.files.seal import break_seal
from biblicus_context.stores.sqlite.files.workspace import Workspace
from biblicus_context.stores.sqlite.read import (
    activity,
    info,
    lookups,
    places,
    relations,
    trees,
    usage,
)
from biblicus_context.stores.sqlite.read.evidence import evidence
from biblicus_context.stores.sqlite.read.reading import WorkspaceReading
from biblicus_context.stores.sqlite.schema.packing import packs as column_packs
from biblicus_context.stores.sqlite.write import cleanup, tokens, vocabulary, word_index, writer

T = TypeVar("T")
Rest = ParamSpec("Rest")

PATIENCE_SECONDS: Final = 1.0
"""How long a write that removes something waits for reads that began before it."""


def _translated(
    read: Callable[Concatenate[SqliteReading, Rest], T],
) -> Callable[Concatenate[SqliteReading, Rest], T]:
    """Errors of the database name the file; those of who uses the view meanwhile are not touched."""

    @wraps(read)
    def translated(self: SqliteReading, /, *args: Rest.args, **kwargs: Rest.kwargs) -> T:
        try:  # not a context manager: each read would make one
            return read(self, *args, **kwargs)
        except FAILURES as error:
            raise store_error(self.place, error) from error

    return translated


class SqliteReading:
    """One transaction on the file of a workspace."""

    def __init__(self, workspace: Workspace, reading: WorkspaceReading, user: str | None) -> None:
        self._workspace = workspace
        self._own = reading
        self._user = user
        self.place = str(workspace.path)

    @property
    def pin(self) -> ReadState:
        return self._own.pin

    @property
    def owner(self) -> Owner:
        return self._workspace.owner

    def damaged(self, problem: str) -> StoreError:
        return StoreError(f"the file is damaged ({problem})", place=self.place, fix=REBUILD)

    @_translated
    def read(self, wanted: Wanted) -> Packs:
        connection, after = self._own.connection, wanted.columns_after
        arrays = self._workspace.arrays
        words = arrays.IndexedWords(connection, [*wanted.stems, *wanted.phrases])
        matrix = None
        if wanted.model is not None:
            matrix = self._workspace.matrices.extended(
                connection, self.pin, wanted.model, wanted.matrix
            )
        return Packs(
            columns=b"" if after is None else b"".join(column_packs(connection, after)),
            messages=lookups.messages(connection, wanted.messages_after),
            documents=[arrays.rows_meeting(self._own, each) for each in wanted.filters],
            occurrences={each: words.occurrences(each) for each in wanted.stems},
            positions={each: words.positions(each) for each in wanted.phrases},
            matrix=matrix,
        )

    @_translated
    def names(self, rows: Sequence[int]) -> Names:
        return places.places_of(self._own, rows)

    @_translated
    def spelt_like(self, stems: Sequence[str]) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = self._workspace.arrays.spelt_like(self._own.connection, stems)
        return found

    @_translated
    def evidence(self, block_ids: Sequence[str]) -> Sequence[EvidenceRow]:
        return evidence(self._own, block_ids)

    @_translated
    def evidence_at(self, rows: Sequence[int]) -> Sequence[EvidenceRow]:
        return evidence(self._own, self._ids(rows))

    @_translated
    def evidence_of(self, document_ids: Sequence[str], most: int) -> Sequence[EvidenceRow]:
        found = lookups.places_of(self._own, document_ids, most)
        return evidence(self._own, [each.block_id for each in found])

    @_translated
    def vectors_at(self, model: str, rows: Sequence[int]) -> Mapping[str, bytes]:
        return lookups.vectors(self._own, model, self._ids(rows))

    def _ids(self, rows: Sequence[int]) -> list[str]:
        named = places.places_of(self._own, rows)
        return [named[each].block_id for each in rows]

    @_translated
    def state(self) -> WorkspaceState:
        return info.state(self._own)

    @_translated
    def info(self) -> Info:
        return info.info(self._own)

    @_translated
    def documents(self, ids: Sequence[str]) -> Sequence[Document]:
        return lookups.documents(self._own, ids)

    @_translated
    def list_documents(self, filters: Filters, after: str | None, limit: int) -> Sequence[Document]:
        return lookups.list_documents(self._own, filters, after, limit)

    @_translated
    def fingerprints(self) -> Mapping[str, str]:
        return lookups.fingerprints(self._own)

    @_translated
    def blocks_of(self, document_ids: Sequence[str], most: int | None) -> Sequence[Block]:
        return lookups.blocks_of(self._own, document_ids, most)

    @_translated
    def places_of(self, document_ids: Sequence[str], most: int | None) -> Sequence[BlockPlace]:
        return lookups.places_of(self._own, document_ids, most)

    @_translated
    def nearby(self, block_ids: Sequence[str], reach: int) -> Sequence[Nearby]:
        return lookups.nearby(self._own, block_ids, reach)

    @_translated
    def recent(self, filters: Filters, offset: int, limit: int) -> Sequence[Hit]:
        return lookups.recent(self._own, filters, offset, limit)

    @_translated
    def lineage(self, ids: Sequence[str], levels: int) -> Sequence[Document]:
        return trees.lineage(self._own, ids, levels)

    @_translated
    def children(self, parents: Sequence[str], limit: int) -> Sequence[Document]:
        return trees.children(self._own, parents, limit)

    @_translated
    def siblings(self, ids: Sequence[str], reach: int) -> Sequence[Sibling]:
        return trees.siblings(self._own, ids, reach)

    @_translated
    def relations(
        self, ids: Sequence[str], types: Collection[str], direction: Direction
    ) -> Sequence[Relation]:
        return relations.relations(self._own, ids, types, direction)

    @_translated
    def usage(self, block_ids: Sequence[str]) -> Mapping[str, Usage]:
        return usage.usage(self._own, block_ids)

    @_translated
    def activity(self, query: ActivityQuery) -> Sequence[Activity]:
        return activity.activity(self._own, self._user, query)

    @_translated
    def vectors(self, model: str, block_ids: Sequence[str]) -> Mapping[str, bytes]:
        return lookups.vectors(self._own, model, block_ids)

    @_translated
    def known_vectors(self, model: str, keys: Sequence[str]) -> Mapping[str, bytes]:
        return lookups.known_vectors(self._own, model, keys)


class _OwnViews(local):
    """How many views a thread has open."""

    views = 0


class SqliteSource:
    """The files of a store; what is promised of each method is in the Protocol `Source`."""

    def __init__(
        self, folder: Folder, keep_seconds: float, *, clock: Callable[[], int] = time.time_ns
    ) -> None:
        """`clock` is what writes are dated by, in nanoseconds."""
        self.folder = folder
        self._clock = clock
        self._workspaces = OpenWorkspaces(folder)
        self._keep = int(1e6 * checks.positive(keep_seconds, "keep_seconds"))
        self._own = _OwnViews()

    @contextmanager
    def reading(self, scope: Scope, at: int | None) -> Iterator[SqliteReading]:
        """A transaction on the file, or on an empty one where nothing was ever written."""
        workspace = self._workspaces.get(scope)
        own = self._own
        with workspace.reading(scope.principal, at) as reading:
            own.views += 1
            try:
                yield SqliteReading(workspace, reading, scope.principal.user)
            finally:
                own.views -= 1

    @contextmanager
    def _writing(self, scope: Scope) -> Iterator[WorkspaceReading]:
        with self._workspaces.get_or_create(scope).writing(scope.principal) as reading:
            yield reading

    def is_made(self, scope: Scope) -> bool:
        """Whether there is a file."""
        return self._workspaces.find(scope) is not None

    def apply(
        self, scope: Scope, batch: Batch, expected: int | None, *, token: str, erase: bool
    ) -> Applied:
        """Write a batch in one transaction."""
        now = self._clock() // 1000
        workspace = self._workspaces.get_or_create(scope)
        with workspace.writing(scope.principal) as reading:
            if (done := tokens.applied(reading.connection, token)) is not None:
                return done
            if expected is not None and expected != reading.at:
                raise refusals.version_conflict(expected, reading.at)
            written = writer.write(reading, batch, now, keep=self._keep, erase=erase)
            tokens.note(reading.connection, token, written.applied)
        if written.is_due:
            workspace.erase(self._patience)
        return written.applied

    @property
    def _patience(self) -> float:
        """A thread that reads meanwhile would wait for itself."""
        return 0.0 if self._own.views else PATIENCE_SECONDS

    def purge(self, scope: Scope, seconds: float, *, all_versions: bool) -> bool:
        """Erase what was removed, and wait for reads that still see it."""
        workspace = self._workspaces.find(scope)
        if workspace is None:
            return False
        with workspace.reading(scope.principal, None) as reading:
            if not info.remains(reading):
                return False
        with workspace.transaction() as connection:
            keep = 0 if all_versions else self._keep
            is_due = cleanup.sweep(connection, self._clock() // 1000, keep)
        if not is_due:
            return False
        with workspace.reading(scope.principal, None) as reading:
            waits = info.sees_remains(reading)
        if not workspace.erase(seconds if waits else self._patience) and waits:
            raise refusals.still_read(str(workspace.path), seconds)
        return True

    def forget(self, scope: Scope) -> int:
        """Forget everything, down to the bytes in the file."""
        now = self._clock() // 1000
        workspace = self._workspaces.find(scope)
        if workspace is None:
            return 0
        with workspace.writing(scope.principal) as reading:
            version = cleanup.clear(reading.connection, now)
        workspace.erase(self._patience)
        return version

    def count(self, scope: Scope, usage_: RecordedUsage) -> None:
        """Count uses of blocks, and feedback on blocks."""
        if workspace := self._workspaces.find(scope):
            with workspace.writing(scope.principal) as reading:
                usage.record(reading, usage_)

    def note_activity(self, scope: Scope, document: str, action: Action, when: datetime) -> None:
        """Record that this user edited or viewed a document."""
        if workspace := self._workspaces.find(scope):
            with workspace.writing(scope.principal) as reading:
                activity.record(reading, scope.principal.user, document, action, when)

    def note_source(self, scope: Scope, source: str) -> None:
        """Record where documents come from."""
        with self._writing(scope) as reading:
            info.record_source(reading, source)

    def note_filling(self, scope: Scope, *, finished: bool) -> None:
        """Record that an ingest begins to fill a workspace, or has finished."""
        with self._writing(scope) as reading:
            info.record_filling(reading, finished=finished)

    def prepare(self, scope: Scope) -> None:
        """Save the embeddings in files, and sort the words of the newest blocks."""
        workspace = self._workspaces.get(scope)
        with workspace.reading(scope.principal, None) as reading:
            if find_spec("numpy") is not None:
                workspace.matrices.save(reading.connection, reading.pin)
            is_ready = vocabulary.is_complete(reading.connection) and word_index.is_tidy(
                reading.connection
            )
        if not is_ready and is_writable(workspace.path):
            with self._writing(scope) as writing:
                word_index.tidy(writing.connection)
                vocabulary.complete(writing.connection)

    def check(self) -> tuple[str, ...]:
        """What is wrong, one sentence each."""
        self._workspaces.close_all()  # the checksums of a file can be read while it is not open
        found = marker_problems(self.folder.path)
        databases = sorted([*self.folder.databases, *self.folder.missing])
        return (*found, *(each for path in databases for each in problems(path)))

    def tidy(self) -> None:
        """Forget all but the newest versions, and free the space."""
        for path in self.folder.databases:
            self._vacuum(path)

    def _vacuum(self, path: Path) -> None:
        with closing(open_database(path)) as connection, as_store_errors(str(path)):
            break_seal(path)
            with transaction(connection):
                cleanup.clean_all(connection)
            erase(connection, path, self._patience)
        del connection
        seal_database(path)
        # Open workspaces still map the embeddings' file, which is gone now.
        self._workspaces.close_all()

    def close(self) -> None:
        """Close all files."""
        self._workspaces.close()
