"""One search of a store: what is asked, and the answer as columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from biblicus_context.stores.filters import NO_FILTERS, Filters
from biblicus_context.stores.model import Vectors
from biblicus_context.stores.results import Bm25

if TYPE_CHECKING:
    from biblicus_context.base.arrays import Flags, Integers, Numbers, Rows
    from biblicus_context.stores.ranking.collection import CollectionBlocks

Value = TypeVar("Value")
BM25: Final = Bm25()


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """A search by words, by meaning, or by both.

    The score of a block is BM25 over what the principal can see and the filters let through: with
    other blocks, a word would be as rare as it is elsewhere. Words are compared without their case,
    accents and endings, and are never syntax. Searched is the `indexed_text` of a block (else its
    text), the title of its document and its headings.
    """

    terms: tuple[str, ...] = ()
    """One of several words is a phrase; one that is given twice counts twice."""
    words: tuple[str, ...] = ()
    """Terms that are left out where most blocks that the principal sees have them."""
    vector: Vectors | None = None
    """One embedding: blocks are compared with it by cosine."""
    filters: Filters = NO_FILTERS
    limit: int = 100
    """How many blocks each of the two searches returns. Of equal scores at the limit, the lower block
    ids are kept."""
    turn_limit: int = 0
    """The limit where a turn of a conversation is among them, if it is higher."""
    weights: Bm25 = BM25
    similarity: float | None = None
    """Words that are spelt like a term count too: by as much as they are alike, if that is at least
    this much. Two stems of n letters that differ by one wrong, missing, additional or swapped letter
    are 1 - 1/n alike."""


class FoundAround(NamedTuple):
    """Blocks with those around some of them."""

    found: Found
    moved: Integers
    """For each row of before, which row it is now."""
    near: tuple[Integers, ...]
    """For each group its rows, and those of what is within its reach."""


class Ahead(NamedTuple):
    """What will be read of the first of the rows that are named, so that it comes with their names."""

    shown: int
    """The evidence of so many."""
    compared: int = 0
    """The embeddings of so many,"""
    model: str | None = None
    """by this model."""
    also: tuple[int, ...] = ()
    """Further rows of which everything is read, by their rows in the source."""


class FoundNames(NamedTuple):
    """What it takes to name the rows of a search.

    A ranking that is remembered keeps this and not the answer, which refers to the columns of all blocks.
    """

    sources: Integers
    """The rows of the blocks in their source."""


@dataclass(frozen=True, slots=True)
class Found:
    """Blocks as columns; a row is an index into them, and means nothing in another search.

    Rows are in the order in which the blocks were last written. The columns are in memory: what is
    asked of them costs no read.
    """

    blocks: CollectionBlocks = field(repr=False)
    ordinals: Integers = field(repr=False)
    terms: tuple[str, ...]
    """What was searched for, without the common words."""
    text: Numbers
    """The BM25 of each block; 0 without any of the terms."""
    cosines: Numbers
    """The cosine of each block; NaN if it has no embedding by the model of the query, or none was given."""
    by_text: Integers
    """The rows of what the search by words returns."""
    by_vector: Integers
    """The rows of what the search by meaning returns."""
    unembedded: int = 0
    """How many of all blocks that it could have found have no embedding by the model of the query."""

    def __len__(self) -> int:
        return len(self.ordinals)

    @property
    def names(self) -> FoundNames:
        """What it takes to name its rows later."""
        return FoundNames(self.blocks.columns.table.rows[self.ordinals])

    @property
    def positions(self) -> Integers:
        """The place of each block in its document."""
        return self.blocks.columns.table.positions[self.ordinals]

    @property
    def tokens(self) -> Integers:
        """The length of each block."""
        return self.blocks.columns.table.tokens[self.ordinals]

    @property
    def turns(self) -> Flags:
        """Whether each belongs to a session."""
        return self.blocks.turns(self.ordinals)

    @property
    def sequences(self) -> Integers:
        """Equal for blocks of the same document and session."""
        return self.blocks.sequences(self.ordinals)

    @property
    def lengths(self) -> Integers:
        """How many blocks the document and session of each block has."""
        return self.blocks.index.lengths[self.ordinals]

    def around(self, groups: Sequence[tuple[Integers, int]]) -> FoundAround:
        """With the blocks within the reach of each group, as far as they meet the filters."""
        return self.blocks.around(self, groups)

    def with_cosines(self, of: Found, rows: Integers, cosines: Numbers) -> Found:
        """With these rows of another answer, whose embeddings are not stored yet, and their cosines.

        Both answers are of one view and its filters.
        """
        return self.blocks.with_cosines(self, of.ordinals[rows], cosines)

    def unit_vectors(self, rows: Integers) -> tuple[Integers, Rows]:
        """Those of these rows that have an embedding by the query's model, and these at length 1."""
        return self.blocks.unit_vectors(self.ordinals, rows)

    def sample(self, most: int) -> tuple[int, Rows]:
        """How many blocks could have been found, and the embeddings of up to `most`, evenly spread."""
        return self.blocks.sample(most)

    def remembered(self, name: str, compute: Callable[[], Value]) -> Value:
        """A few numbers that depend on all that could have been found and its embeddings, and on no query.

        They are kept with the columns, until one of these changes.
        """
        return self.blocks.remembered(name, compute)
