"""What a store contains: documents, their blocks with embeddings, and relations."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Self, TypeAlias

from biblicus_context.base.doors import door
from biblicus_context.stores.principal import EVERYBODY, Readers

Json: TypeAlias = str | int | float | bool | Sequence["Json"] | Mapping[str, "Json"] | None
Metadata: TypeAlias = Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A file, a note, a memory, a conversation: whatever blocks are cut from.

    Its workspace is that of the principal who writes it. Times carry a time zone.
    """

    id: str
    kind: str = "document"
    title: str = ""
    path: str | None = None
    """Relative to the root of its corpus, with `/` between folders."""
    uri: str | None = None
    text_hash: str = ""
    """Hash of the source: a later ingest compares it to find changes."""
    created: datetime | None = None
    updated: datetime | None = None
    accessed: datetime | None = None
    confidence: float | None = None
    importance: float | None = None
    conversation: str | None = None
    parent: str | None = None
    """The document it is part of, by id: a page of a block, a folder of a page. It need not exist."""
    position: int | None = None
    """Its place among the documents with the same parent."""
    superseded_by: str | None = None
    """The document that replaces it, by id; searches of retrievers no longer find it."""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    """When it stops to be valid: this moment is the first at which it no longer is."""
    tags: tuple[str, ...] = ()
    metadata: Metadata = field(default_factory=dict)
    readers: Readers = EVERYBODY
    own_readers: bool | None = None
    """Whether its readers were given to itself, and do not follow those of its parent. None says
    nothing: readers that are not everybody are its own then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A chunk of a document: the unit that is found, placed and cited."""

    id: str
    """Unique in its workspace."""
    document_id: str
    position: int
    """Its place in the document; the positions in a session have no gaps."""
    text: str
    tokens: int
    heading: tuple[str, ...] = ()
    """The headings above it, outermost first; they are searched with the document's title."""
    lines: tuple[int, int] | None = None
    """First and last line in the source, from 1."""
    session: str | None = None
    """The part of a conversation or meeting that a turn belongs to."""
    metadata: Metadata = field(default_factory=dict)
    indexed_text: str | None = None
    """The text that is searched, where it differs from the text that is shown."""


@door
@dataclass(frozen=True, slots=True)
class Vectors:
    """Embeddings of one model, one row for each text, as packed little-endian float32.

    `keys` may name each row by a hash of the text that was embedded, so that a later ingest can
    ask for the rows it knows instead of embedding again.

    >>> Vectors.of("tiny", [[0.0, 1.0], [1.0, 0.0]]).rows
    2
    """

    model: str
    dimensions: int
    data: bytes = field(repr=False)
    keys: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, model: str, rows: Iterable[Sequence[float]], keys: Iterable[str] = ()) -> Self:
        """Packed from rows of numbers; a numpy matrix is faster packed by `astype("<f4").tobytes()`."""
        packed = [_packed(row) for row in rows]
        dimensions = len(packed[0]) // 4 if packed else 0
        return cls(model, dimensions, b"".join(packed), tuple(keys))

    @property
    def rows(self) -> int:
        """How many texts were embedded."""
        return len(self.data) // (4 * self.dimensions) if self.dimensions else 0

    def row(self, number: int) -> bytes:
        """One row, packed."""
        size = 4 * self.dimensions
        return self.data[number * size : (number + 1) * size]

    def picked(self, order: Sequence[int]) -> Self:
        """These rows, in this order."""
        if order == [*range(self.rows)]:
            return self
        data = b"".join(map(self.row, order))
        keys = tuple(self.keys[n] for n in order) if self.keys else ()
        return type(self)(self.model, self.dimensions, data, keys)


@dataclass(frozen=True, slots=True)
class Entry:
    """A document to put, whole: its blocks replace those it had, each with a row of every `vectors`.

    `blocks=None` keeps the blocks and vectors it has, and changes what is known of the document.
    """

    document: Document
    blocks: tuple[Block, ...] | None = None
    vectors: tuple[Vectors, ...] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """A typed arrow from one document to another; the last one written for a type and pair counts.

    It goes when a document at one of its ends is removed. An end that is not there yet may come
    later; until then the arrow is not seen.
    """

    source: str
    target: str
    type: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Batch:
    """What is written at once or not at all; removals come before what is put."""

    put: tuple[Entry, ...] = ()
    remove: tuple[str, ...] = ()
    relate: tuple[Relation, ...] = ()
    unrelate: tuple[Relation, ...] = ()


def _packed(row: Sequence[float]) -> bytes:
    return struct.pack(f"<{len(row)}f", *row)
