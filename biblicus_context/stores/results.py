"""What a store answers: hits, places, relations and counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias

from biblicus_context.base.arrays import Flags, Integers, Numbers
from biblicus_context.stores.model import Relation

Search: TypeAlias = Literal["text", "fuzzy", "vector", "recent"]
Direction: TypeAlias = Literal["out", "in", "both"]


# A question makes thousands of these, and a named tuple is made several times as fast as a
# frozen dataclass.
class Place(NamedTuple):
    """Where a block stands: enough to weigh it by length and to join it with its neighbours."""

    block_id: str
    document_id: str
    session: str | None
    position: int
    tokens: int


class Hit(NamedTuple):
    """A block that a search found; `score` is raw, higher is better, and its scale is the search's."""

    place: Place
    score: float
    search: Search

    @property
    def block_id(self) -> str:
        """The block that was found."""
        return self.place.block_id


class Ranked(NamedTuple):
    """What a search found, as columns, in the order of the numbers of the blocks.

    A number is the place of a block among all that a principal can see of a version, in the order
    in which they were last written: good for that principal and that version, and for nothing else.
    """

    numbers: Integers
    scores: Numbers


class Layout(NamedTuple):
    """Where blocks stand, as columns, in the order of their numbers."""

    numbers: Integers
    sequences: Integers
    """The number of the first block of the same document and session."""
    positions: Integers
    tokens: Integers
    turns: Flags
    """Which of them belong to a session."""


class Nearby(NamedTuple):
    """A block that stands `distance` places after (before: negative) the block `of`."""

    of: str
    place: Place
    distance: int


@dataclass(frozen=True, slots=True)
class Related:
    """A document reached over relations, and the last one of the shortest way to it."""

    document_id: str
    relation: Relation
    depth: int


@dataclass(frozen=True, slots=True)
class Usage:
    """How often a block was placed in a context, and what was said of it there."""

    used: int = 0
    helpful: int = 0
    unhelpful: int = 0
    last_used: datetime | None = None


@dataclass(frozen=True, slots=True)
class TermCounts:
    """How many blocks there are, and in how many of them each term stands."""

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
    """Weights of a text search: a term in the title or headings, a term in the text, and BM25's own."""

    heading: float = 1.0
    text: float = 1.0
    k1: float = 1.2
    b: float = 0.75
