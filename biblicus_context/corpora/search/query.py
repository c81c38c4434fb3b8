"""A query to one version of a corpus: its principal, its words and its vector."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from biblicus_context.base.lazy import lazy
from biblicus_context.embedders import Embedder
from biblicus_context.retrieval.analysis import query_terms, rare_terms
from biblicus_context.retrieval.fusion import Fusion, StandardScores
from biblicus_context.stores import Bm25, Filters, Principal, Store, Vectors

WEIGHTS: Final = Bm25(heading=2, text=1)


@dataclass(frozen=True)
class SearchQuery:
    """What every ranker gets; nothing in it changes while pages are read."""

    store: Store
    principal: Principal
    embedder: Embedder | None
    text: str
    filters: Filters
    at: int
    now: datetime
    fusion: Fusion = field(default_factory=StandardScores)
    """Merges the scores of several searches."""
    given: Vectors | None = None
    """The vector that the caller passed in place of the embedding of the text."""

    @lazy
    def terms(self) -> tuple[str, ...]:
        """The words worth searching for, without those that most blocks have.

        Words are counted in what the principal may read, and not below the filters: a filter must
        change which blocks are found, but not how they are scored.
        """
        terms = query_terms(self.text)
        if not terms:
            return ()
        counts = self.store.count_terms(self.principal, terms, at=self.at)
        return rare_terms(terms, counts.found, counts.blocks)

    @lazy
    def vector(self) -> Vectors | None:
        """The embedding of the query; None if the query is blank or the retriever compares no vectors."""
        if self.given is not None or self.embedder is None or not self.text.strip():
            return self.given if self.embedder is not None else None
        row = self.embedder.embed_query(self.text)
        return Vectors(self.embedder.model, self.embedder.dimensions, row.astype("<f4").tobytes())
