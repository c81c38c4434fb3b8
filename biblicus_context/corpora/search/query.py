"""One query to one version of a corpus: who asks, and the words and the meaning to search for."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from biblicus_context.embedders import Embedder
from biblicus_context.retrieval.analysis import query_terms, rare_terms
from biblicus_context.retrieval.fusion import Fusion, StandardScores
from biblicus_context.stores import Bm25, Filters, Principal, Store, Vectors

WEIGHTS: Final = Bm25(heading=2, text=1)


@dataclass(frozen=True)
class SearchQuery:
    """What is asked, by whom, and of which version; nothing in it changes while pages are read."""

    store: Store
    principal: Principal
    embedder: Embedder | None
    text: str
    filters: Filters
    at: int
    fusion: Fusion = field(default_factory=StandardScores)
    """Makes one score of several searches."""

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The words worth searching for; none where the query has none."""
        terms = query_terms(self.text)
        if not terms:
            return ()
        counts = self.store.count_terms(self.principal, terms, at=self.at)
        return rare_terms(terms, counts.found, counts.blocks)

    @cached_property
    def vector(self) -> Vectors | None:
        """The query's meaning; None where it has none, or nothing could be compared with it."""
        if self.embedder is None or not self.text.strip():
            return None
        row = self.embedder.embed_query(self.text)
        return Vectors(self.embedder.model, self.embedder.dimensions, row.astype("<f4").tobytes())
