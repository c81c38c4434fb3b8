"""Pages of a ranking of one version of a corpus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.corpora.evidence import Evidence, RankedBlock, as_written
from biblicus_context.corpora.index import Index, Pin
from biblicus_context.corpora.search.excerpts import excerpted
from biblicus_context.corpora.search.fetching import FetchedOnce
from biblicus_context.corpora.search.filling import Filling
from biblicus_context.corpora.search.floor import above_floor
from biblicus_context.corpora.search.listing import DroppedEvidence, Listing, ranked_blocks
from biblicus_context.corpora.search.outlining import outlined
from biblicus_context.corpora.search.passages import Passages
from biblicus_context.corpora.search.query import SearchQuery
from biblicus_context.corpora.search.rankers.activity import VIEW
from biblicus_context.corpora.search.rankers.registry import RetrieverKind
from biblicus_context.corpora.search.reranking import reranked
from biblicus_context.corpora.search.settings import SearchSettings
from biblicus_context.corpora.search.similarity import similarities
from biblicus_context.corpora.search.surroundings import RankedSurroundings
from biblicus_context.errors import ContextError
from biblicus_context.retrieval.analysis import query_terms
from biblicus_context.retrieval.fusion import StandardScores
from biblicus_context.retrieval.rank import RankingQuery, Ranks
from biblicus_context.spec.min_score import min_score_spec
from biblicus_context.spec.retriever_settings import (
    ActivitySpec,
    HybridSpec,
    OutlineSpec,
    SearchSpec,
)
from biblicus_context.stores import Filters, Vectors
from biblicus_context.text.counters import default_counter

_FAR: Final = 2**31
"""After the last block of any ranking."""
_RANKINGS: Final = 16
"""Rankings that are remembered: each may have some thousand blocks."""


class RankingPage(NamedTuple):
    """One page of a ranking."""

    hits: int
    """How many blocks of the ranking it covers; adjacent ones are merged into one passage."""
    evidence: Sequence[Evidence]
    dropped: Sequence[DroppedEvidence]
    more: bool
    """Whether the ranking goes on after them."""


class _Ranking(NamedTuple):
    """One ranking that is being paged through."""

    listing: Listing
    passages: Passages | None
    shorten: Callable[[Evidence], Evidence]

    def page(self, offset: int, limit: int) -> RankingPage:
        end = offset + limit
        found = self.listing.first(end + 1)  # one more, to know whether there is one
        first = found[:end]
        hits = first[offset:]
        shown = self.passages.of(first, offset) if self.passages else hits
        shown = [self.shorten(each) for each in shown]
        return RankingPage(len(hits), shown, self.listing.dropped(offset, end), len(found) > end)


class CorpusSearcher:
    """Returns pages; recent rankings are remembered, so that the next page does not rank again."""

    def __init__(self, index: Index, settings: SearchSettings) -> None:
        self._index = index
        self._spec, self._kind = settings.spec, settings.kind
        parts, place = settings.parts, settings.place
        self._filters = Filters.of(self._spec.filters)
        try:
            select = parts.select.build(self._spec.select)
            self.filling = Filling.of(self._spec, select, parts.compactors)
            self._rank = Ranks(parts.rank).build(self._spec.rank) if self._spec.rank else None
            self._fusion = (
                parts.fusion.build(self._spec.fusion)
                if isinstance(self._spec, HybridSpec)
                else StandardScores()
            )
        except ContextError as error:
            raise error.within(place) from None
        self._rankings = BoundedMemory[tuple[str, tuple[object, ...]], _Ranking](_RANKINGS)

    def page(
        self, query: str, *, offset: int, limit: int, pin: Pin, vector: Vectors | None = None
    ) -> RankingPage:
        """One page of hits, best first; a `vector` takes the place of the embedding of the query."""
        # The clock is part of the key only where it changes the ranking: by recency of use, or by a
        # filter of it. Else the same query would be ranked again in every assembly.
        filters = self._filters
        changes = (
            self._rank is not None
            or self._spec.depends_on_time
            or filters.depends_on_time
            or (filters.current and pin.ages)
        )
        hidden = self._index.store.hidden_since(self._index.principal, pin.version)
        key = query, (vector, hidden, *(pin if changes else pin[:2]))
        ranking = self._rankings.get(key)
        if ranking is None:
            ranking = self._ranking(query, vector, pin, min(offset + limit + 1, _FAR))
            self._rankings.put(key, ranking)
        try:
            return ranking.page(min(offset, _FAR), min(limit, _FAR))
        except BaseException:  # half of a ranking must not be taken for the whole
            self._rankings.forget(key)
            raise

    def _ranking(self, text: str, vector: Vectors | None, pin: Pin, most: int) -> _Ranking:
        index, spec = self._index, self._spec
        query = SearchQuery(
            store=index.store,
            principal=index.principal,
            embedder=index.query_embedder if spec.compares_vectors else None,
            text=text,
            filters=self._filters_at(pin),
            at=pin.version,
            now=pin.now,
            fusion=self._fusion,
            given=vector,
        )
        # Nothing of a ranking refers to the searcher, which remembers it: only a full collection of
        # garbage would end the cycle, and a search of a program makes a new searcher.
        blocks = ranked_blocks(
            partial(_ranked, index, self._kind, spec, query, pin),
            max(most, spec.rank_window) if self._rank else most,
        )
        fetch = FetchedOnce(partial(index.evidence, at=pin.version))
        floor = min_score_spec(spec.min_score)
        if floor is not None:
            blocks = above_floor(blocks, floor, query, spec, fetch)
        if self._rank is not None:
            facts = RankingQuery(now=pin.now, terms=query_terms(text))
            usage = partial(index.store.usage, index.principal)
            count = partial(index.store.count_terms, index.principal, at=pin.version)
            surroundings = partial(RankedSurroundings, query)
            blocks = reranked(
                blocks,
                self._rank,
                facts,
                fetch,
                usage,
                count,
                surroundings,
                partial(similarities, query, by=spec.similarity_by, fetch=fetch),
                index.name,
                spec.rank_window,
            )
        listing = Listing(
            blocks,
            lambda some: _shown(fetch(some), query, spec),
            spec.duplicates,
            spec.maximum_items_per_source,
        )
        around = spec.neighbours
        merges = around.blocks or around.turns
        shorten = partial(excerpted, spec=spec.excerpt, query=text)
        return _Ranking(listing, Passages(query, spec) if merges else None, shorten)

    def _filters_at(self, pin: Pin) -> Filters:
        filters = self._filters.resolved(pin.now)
        return replace(filters, valid_at=pin.now) if filters.current and pin.ages else filters


def _shown(found: Sequence[Evidence], query: SearchQuery, spec: SearchSpec) -> list[Evidence]:
    """The evidence with the text that the plan asks for."""
    size = spec.outline if isinstance(spec, OutlineSpec | ActivitySpec) else None
    if size is None:
        return [as_written(each, spec.format) for each in found]
    wanted = [each for each in found if isinstance(spec, OutlineSpec) or VIEW in each.parts]
    escapes = spec.format.escape_headings
    made = outlined(wanted, query, size, default_counter(), escapes_headings=escapes)
    outlines = {each.block.id: one for each, one in zip(wanted, made, strict=True)}
    return [outlines.get(each.block.id) or as_written(each, spec.format) for each in found]


def _ranked(
    index: Index, kind: RetrieverKind, spec: SearchSpec, query: SearchQuery, pin: Pin, most: int
) -> Sequence[RankedBlock]:
    ranked = kind(query, spec, most)
    if query.embedder is not None:
        index.require_vectors_of(query.embedder, ranked, pin)
    return ranked
