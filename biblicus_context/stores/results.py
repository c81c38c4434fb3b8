"""What a store returns: hits, places, relations and counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, NamedTuple, TypeAlias

from biblicus_context.stores.model import Block, Document, Relation

Search: TypeAlias = Literal["text", "fuzzy", "vector", "recent"]
Direction: TypeAlias = Literal["out", "in", "both"]


# A search makes thousands of these, and a named tuple is made several times as fast as a frozen
# dataclass.
class BlockPlace(NamedTuple):
    """Where a block is: enough to weigh it by length and to join it with its neighbours."""

    block_id: str
    document_id: str
    session: str | None
    position: int
    tokens: int


class Hit(NamedTuple):
    """A block that a search found; `score` is raw, higher is better, and its scale is the search's."""

    place: BlockPlace
    score: float
    search: Search

    @property
    def block_id(self) -> str:
        """The block that was found."""
        return self.place.block_id


class Sibling(NamedTuple):
    """A document `distance` places after the document `of` in the row of their parent's children."""

    of: str
    document_id: str
    distance: int


class Nearby(NamedTuple):
    """A block `distance` places after the block `of`; negative if it is before."""

    of: str
    place: BlockPlace
    distance: int


@dataclass(frozen=True, slots=True)
class Related:
    """A document reached by relations, and the last relation of the shortest path to it."""

    document_id: str
    relation: Relation
    depth: int


@dataclass(frozen=True, slots=True)
class Usage:
    """How often a block was placed in a context, and the feedback on it."""

    used: int = 0
    helpful: int = 0
    unhelpful: int = 0
    last_used: datetime | None = None


_NEVER: Final = Usage()


class EvidenceRow(NamedTuple):
    """A block with all that is shown of it."""

    block: Block
    document: Document
    replaces: tuple[str, ...] = ()
    """The documents that its document superseded, by id, as far as the principal may see them."""
    usage: Usage = _NEVER


@dataclass(frozen=True, slots=True)
class DocumentTree:
    """What is around documents in the tree of their parents."""

    above: tuple[Document, ...] = ()
    """The documents and what they are inside, ordered by id."""
    below: tuple[Document, ...] = ()
    """The first children of each, in the order of the parents."""
    siblings: tuple[Sibling, ...] = ()
    """The nearest siblings of each, in their order."""


@dataclass(frozen=True, slots=True)
class TermCounts:
    """How many blocks there are, and how many contain each term."""

    blocks: int
    found: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class VectorCount:
    """How many embeddings of one model there are."""

    dimensions: int
    rows: int


@dataclass(frozen=True, slots=True)
class WorkspaceState:
    """The newest version of a workspace: cheap to ask for, whatever it contains."""

    version: int
    """Every batch that is written makes the next one; 0 where nothing was ever written."""
    changed: datetime | None = None
    """When this version was written."""
    source: str | None = None
    """Where the documents come from, as recorded last."""
    ages: bool = False
    """Whether a document that can be seen has a `valid_from` or `valid_to`: time alone changes results."""
    is_partial: bool = False
    """Whether an ingest began to fill the workspace, and has not finished: it runs, or was interrupted."""
    remains_until: datetime | None = None
    """Until when the files may hold bytes of what was removed; None: none that this principal could see.

    Without a `keep_seconds` of the store it is in the past: only a read that began before the removal
    and has not ended, or a call that was interrupted, keeps them. `purge` waits for it.
    """


Action: TypeAlias = Literal["edit", "view"]


@dataclass(frozen=True, slots=True)
class Activity:
    """The last time a user did something with a document."""

    document_id: str
    action: Action
    when: datetime
    times: int = 1
    """How often the user did it in all."""


@dataclass(frozen=True, slots=True)
class Info:
    """What a principal can see of a store, in numbers."""

    version: int
    documents: int
    blocks: int
    tokens: int
    relations: int
    kinds: Mapping[str, int]
    """Documents of each kind."""
    vectors: Mapping[str, VectorCount]
    """Embeddings of each model."""


@dataclass(frozen=True, slots=True)
class Bm25:
    """Weights of a text search: of a term in title or headings, of a term in the text, and k1 and b."""

    heading: float = 1.0
    text: float = 1.0
    k1: float = 1.2
    b: float = 0.75
