"""A query to one version of a corpus: its principal, its words and its vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from biblicus_context.base.lazy import lazy
from biblicus_context.corpora.quick_vectors import MadeForQuery, MissingVectors, QuickVectors
from biblicus_context.embedders import CachedEmbedder
from biblicus_context.retrieval.analysis import query_terms, rare_terms
from biblicus_context.retrieval.fusion import Fusion, StandardScores
from biblicus_context.stores import Ahead, Block, Bm25, Filters, Found, TermCounts, Vectors, View

if TYPE_CHECKING:
    from biblicus_context.base.arrays import Integers
    from biblicus_context.corpora.evidence import RankedBlock
    from biblicus_context.spec.retriever_settings import SearchSpec

WEIGHTS: Final = Bm25(heading=2, text=1)
NEAREST: Final = 10


class FoundByMeaning(NamedTuple):
    """A search by the vectors of one model."""

    found: Found
    nearest: Integers
    """The rows of the best by meaning alone: a ranking may have others first, for their words."""


class CurrentView:
    """The view that a ranking reads in: its pages are read one after the other, each in a view of its own.

    All of them are of one version and one principal, so that nobody can tell.
    """

    def __init__(self, view: View) -> None:
        self.view = view


@dataclass(frozen=True)
class SearchQuery:
    """What every ranker gets; what it asks never changes while pages are read."""

    reading: CurrentView
    embedder: CachedEmbedder | None
    text: str
    filters: Filters
    now: datetime
    fusion: Fusion = field(default_factory=StandardScores)
    """Merges the scores of several searches."""
    given: Vectors | None = None
    """The vector that the caller passed in place of the embedding of the text."""
    quick: QuickVectors | None = None
    """What made the vectors of blocks that wait for those of the embedder."""
    made: MadeForQuery = field(default_factory=MadeForQuery)
    """Vectors of such blocks that were made for this query: each page may add some."""
    ranked: list[tuple[SearchSpec, Sequence[RankedBlock]]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )
    """Candidates that are ranked already: a ranker that is called for more blocks begins with them.

    Not part of `replace`: with other filters they are others.
    """
    shown: int = 0
    """How many of the best blocks are about to be shown, as far as that is known."""
    compared: int = 0
    """How many of them are compared with the query by their embeddings."""
    outlined: dict[str, Sequence[Block]] = field(default_factory=dict, compare=False, repr=False)
    """The first blocks of the children of documents, as far as they were read ahead."""
    missing: MissingVectors = field(default_factory=MissingVectors)
    """Where a search notes the blocks that it cannot compare."""
    judges: bool = False
    """Whether words and meaning together decide if anything is relevant."""
    by_meaning: dict[str, FoundByMeaning | None] = field(default_factory=dict)
    """By model: where a search notes what is judged; None once it is."""

    @property
    def view(self) -> View:
        """What the principal sees of the version that is searched."""
        return self.reading.view

    def count_terms(self, terms: Sequence[str]) -> TermCounts:
        """How many blocks of the view that is open now contain each of these terms."""
        return self.view.count_terms(terms)

    @property
    def ahead(self) -> Ahead:
        """What will be read of the best blocks, and of those that are judged with them."""
        notes = [each for each in self.by_meaning.values() if each is not None]
        also = (row for each in notes for row in each.found.names.sources[each.nearest].tolist())
        if not self.compared or self.vector is None:
            return Ahead(self.shown, also=tuple(also))
        return Ahead(self.shown, self.compared, self.vector.model, tuple(also))

    @lazy
    def words(self) -> tuple[str, ...]:
        """The words worth searching for."""
        return tuple(query_terms(self.text))

    @lazy
    def terms(self) -> tuple[str, ...]:
        """The same without those that most blocks have, as a search leaves them out of its `words`."""
        if not self.words:
            return ()
        counts = self.view.count_terms(self.words)
        return rare_terms(self.words, counts.found, counts.blocks)

    @lazy
    def quick_vector(self) -> Vectors | None:
        """The quick embedding of the query."""
        if self.quick is None or not self.text.strip():
            return None
        embedder = self.quick.embedder
        row = embedder.embed_query(self.text)
        return Vectors(embedder.model, embedder.dimensions, row.astype("<f4").tobytes())

    @lazy
    def vector(self) -> Vectors | None:
        """The embedding of the query; None if the query is blank or the retriever compares no vectors."""
        if self.given is not None or self.embedder is None or not self.text.strip():
            return self.given if self.embedder is not None else None
        row = self.embedder.embed_query(self.text)
        return Vectors(self.embedder.model, self.embedder.dimensions, row.astype("<f4").tobytes())
