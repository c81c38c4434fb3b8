"""What a database has to answer so that a store can be built on it: no ranking, no scores, no rights of its own.

A store checks arguments, ranks and names; a source keeps rows and hands them out for one principal and one
version. SQLite is one, and `biblicus_context.testing.memory_store` is another, in plain Python.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeAlias, runtime_checkable

from biblicus_context.base.effects import Outcome
from biblicus_context.stores.arguments import ActivityQuery, RecordedUsage
from biblicus_context.stores.errors import StoreError
from biblicus_context.stores.filters import Filters
from biblicus_context.stores.model import Batch, Document, Relation
from biblicus_context.stores.principal import Principal
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

if TYPE_CHECKING:
    from biblicus_context.base.arrays import Integers
    from biblicus_context.stores.model import Block
    from biblicus_context.stores.ranking.matrix import Matrix

WIDTH: Final = 7
"""Numbers of a block in a pack of columns: row, document, words, position, tokens, sequence, is a turn."""

MOST_REPLACED: Final = 10
"""Documents that evidence names as replaced by its own."""

Names: TypeAlias = Mapping[int, BlockPlace]


@dataclass(frozen=True, slots=True)
class Scope:
    """Who asks, and which collection of their workspace is meant: nothing of another one can be reached."""

    principal: Principal
    collection: str = ""

    @property
    def name(self) -> str:
        """Of the collection, unlike that of any other: no name has a NUL."""
        own = self.principal.workspace
        return f"{own}\0{self.collection}" if self.collection else own


class Owner:
    """What is derived from a collection is kept for this object, and is not true of another.

    A source makes a new one where the collection may be another one: its file was replaced.
    """

    def __init__(self) -> None:
        self.growing = RLock()
        """Of two threads that both find new blocks, one reads them."""


class ReadState(NamedTuple):
    """The state that all reads of a transaction are of.

    Rows of blocks and documents rise and are never given out twice, so what is derived from them in
    memory only grows.
    """

    version: int
    """The version that is read."""
    newest: int
    oldest: int
    """The oldest version whose blocks are all kept; who never saw the others can read older ones."""
    documents: int
    """The last row of a document."""
    blocks: int
    """The last row of a block."""
    repacked: int
    """The version in which columns were last packed again: what was kept of older packs is not used."""
    hidden: int
    """The last version that hid something of this one from the principal; this one if none did.

    Rights are those of now: what is derived from a version is derived again once this rises.
    """

    def is_served_from(self, oldest: int) -> bool:
        """Whether what was derived while this was the oldest version has all blocks that this read sees.

        It lacks what was gone by then: that is no part of versions from then on, nor of a transaction
        that finds it gone as well, whatever version is read of those who never saw it.
        """
        return max(self.version, self.oldest) >= oldest


class Occurrences(NamedTuple):
    """Where a stem is: 2 x row for the text of a block, 2 x row + 1 for its title and headings."""

    parts: Integers
    """In rising order; of one that is there twice the counts are added."""
    counts: Integers


class Wanted(NamedTuple):
    """What a ranking needs and does not know yet: all of it is one round trip."""

    columns_after: int | None = None
    """The short columns of blocks with a higher row."""
    filters: Sequence[Filters] = ()
    """Which blocks the principal sees and these let through."""
    stems: Sequence[str] = ()
    phrases: Sequence[str] = ()
    """Stems whose positions are needed."""
    model: str | None = None
    """The embeddings of this model,"""
    matrix: Matrix | None = None
    """and those of them that are known."""
    messages_after: int | None = None
    """The messages among documents with a higher row."""


class Message(NamedTuple):
    """A document that is a part of a conversation."""

    document: int
    """Its row."""
    conversation: str
    when: int
    """When it was made, in microseconds; 0 if nobody knows."""


class Packs(NamedTuple):
    """The answer, part by part."""

    columns: bytes = b""
    """`WIDTH` int64 for each block, by row; it may begin with blocks that are known."""
    messages: Sequence[Message] = ()
    """By row."""
    documents: Sequence[Integers] = ()
    """For each filter the rows of documents; of one with conditions on blocks, the rows of blocks."""
    occurrences: Mapping[str, Occurrences] = {}
    positions: Mapping[str, Integers] = {}
    """For each stem `part << 31 | offset`, in rising order."""
    matrix: Matrix | None = None
    """The known embeddings and newer ones; None if nothing was embedded with this model."""


class Applied(NamedTuple):
    """What a write made."""

    version: int
    removes: bool
    """Whether something is gone, or has another state, since."""


class Reading(Protocol):
    """One transaction of one scope, pinned to one version; each method is one round trip.

    Arguments are checked before they come here. What the principal may not see is not there.
    """

    @property
    def pin(self) -> ReadState: ...
    @property
    def owner(self) -> Owner:
        """The collection as this process has it open."""
        ...

    def damaged(self, problem: str) -> StoreError:
        """The error that says where what was read contradicts itself."""
        ...

    # What rankings are computed from

    def read(self, wanted: Wanted) -> Packs: ...
    def names(self, rows: Sequence[int]) -> Names:
        """What blocks are called, by row."""
        ...

    # What saves trips: a source where a read is no trip is not asked for it

    def evidence_at(self, rows: Sequence[int]) -> Sequence[EvidenceRow]:
        """The `evidence` of blocks by row."""
        ...

    def evidence_of(self, document_ids: Sequence[str], most: int) -> Sequence[EvidenceRow]:
        """The `evidence` of the first blocks of documents, up to `most` of each."""
        ...

    def vectors_at(self, model: str, rows: Sequence[int]) -> Mapping[str, bytes]:
        """The `vectors` of blocks by row."""
        ...

    def spelt_like(self, stems: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """For each stem those of the collection that may be spelt like it, and maybe others."""
        ...

    # What is shown

    def evidence(self, block_ids: Sequence[str]) -> Sequence[EvidenceRow]: ...

    # Look-ups

    def state(self) -> WorkspaceState: ...
    def info(self) -> Info: ...
    def documents(self, ids: Sequence[str]) -> Sequence[Document]: ...
    def list_documents(
        self, filters: Filters, after: str | None, limit: int
    ) -> Sequence[Document]: ...
    def fingerprints(self) -> Mapping[str, str]: ...
    def blocks_of(self, document_ids: Sequence[str], most: int | None) -> Sequence[Block]: ...
    def places_of(self, document_ids: Sequence[str], most: int | None) -> Sequence[BlockPlace]: ...
    def nearby(self, block_ids: Sequence[str], reach: int) -> Sequence[Nearby]: ...
    def recent(self, filters: Filters, offset: int, limit: int) -> Sequence[Hit]: ...
    def lineage(self, ids: Sequence[str], levels: int) -> Sequence[Document]: ...
    def children(self, parents: Sequence[str], limit: int) -> Sequence[Document]: ...
    def siblings(self, ids: Sequence[str], reach: int) -> Sequence[Sibling]: ...
    def relations(
        self, ids: Sequence[str], types: Collection[str], direction: Direction
    ) -> Sequence[Relation]: ...
    def usage(self, block_ids: Sequence[str]) -> Mapping[str, Usage]: ...
    def activity(self, query: ActivityQuery) -> Sequence[Activity]: ...
    def vectors(self, model: str, block_ids: Sequence[str]) -> Mapping[str, bytes]: ...
    def known_vectors(self, model: str, keys: Sequence[str]) -> Mapping[str, bytes]: ...


class Ask(NamedTuple):
    """A call of a method of a reading, as a value: several of them travel together."""

    reading: Reading
    name: str
    """Of the method; `pin` asks for nothing but that the transaction begins."""
    arguments: tuple[Any, ...] = ()

    def answered(self) -> Outcome:
        """The answer of the reading itself."""
        try:
            if self.name == "pin":
                return Outcome(self.reading.pin)
            return Outcome(getattr(self.reading, self.name)(*self.arguments))
        except Exception as error:
            return Outcome(error=error)


class Source(Protocol):
    """A database: what is written to it is durable as a whole, or has not happened."""

    def reading(self, scope: Scope, at: int | None) -> AbstractContextManager[Reading]:
        """A transaction that reads this version, else the newest one."""
        ...

    def is_made(self, scope: Scope) -> bool:
        """Whether anything was ever written to the collection."""
        ...

    def apply(
        self, scope: Scope, batch: Batch, expected: int | None, *, token: str, erase: bool
    ) -> Applied:
        """Write a batch in one transaction.

        A write whose token is known was done: what it made is returned again. A source that does not
        know whether a write was done, as its connection broke, raises AnswerLostError, and is asked again.

        It is refused on top of another version than the expected one. With `erase`, the bytes of what
        it removed are gone when this returns, or the state says until when they remain.
        """
        ...

    def purge(self, scope: Scope, seconds: float, *, all_versions: bool) -> bool:
        """End versions that show what was removed, and erase its bytes; whether there was any."""
        ...

    def count(self, scope: Scope, usage_: RecordedUsage) -> None:
        """Count uses and feedback of blocks."""
        ...

    def note_activity(self, scope: Scope, document: str, action: Action, when: datetime) -> None:
        """Record what a user did."""
        ...

    def note_source(self, scope: Scope, source: str) -> None:
        """Record where the documents come from."""
        ...

    def note_filling(self, scope: Scope, *, finished: bool) -> None:
        """Record that what fills the collection begins, or has finished."""
        ...

    def forget(self, scope: Scope) -> int:
        """Forget the whole collection; returns the version that this makes."""
        ...

    def prepare(self, scope: Scope) -> None:
        """Do now what the first reads after an ingest would otherwise do."""
        ...

    def check(self) -> tuple[str, ...]:
        """What is wrong with the database, one sentence each."""
        ...

    def tidy(self) -> None:
        """Forget all but the newest versions, and free the space."""
        ...

    def close(self) -> None: ...


@runtime_checkable
class RemoteSource(Source, Protocol):
    """A database on another machine: what a store asks of it at once travels in one round trip.

    To open a reading costs no trip. Its transaction begins with its first answer, which raises what
    cannot be read, such as a version that is gone; from then on `pin`, `owner` and `state` cost nothing.
    Any other method of a reading that is called by itself is a trip of its own.
    """

    def answer(self, asks: Sequence[Ask]) -> Sequence[Outcome]:
        """The outcome of each, in their order; they may be of several readings of equal sources.

        Sources of one server that are equal to each other get what all of them are asked at once.

        An error of one is its outcome, and does not keep the others from being answered.
        """
        ...
