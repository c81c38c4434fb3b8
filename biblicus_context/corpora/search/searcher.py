"""A retriever's settings at work: pages of a ranking of one version of a corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.corpora.parts import Parts
from biblicus_context.corpora.search.evidence import Evidence, Found
from biblicus_context.corpora.search.filling import Filling
from biblicus_context.corpora.search.listing import Dropped, Listing, ranked
from biblicus_context.corpora.search.passages import Passages
from biblicus_context.corpora.search.query import Question
from biblicus_context.corpora.search.reranking import AT_ONCE, weighed
from biblicus_context.corpora.search.writing import written
from biblicus_context.corpora.search_settings import retriever_spec
from biblicus_context.errors import ContextError
from biblicus_context.retrieval.analysis import query_terms
from biblicus_context.retrieval.fusion import StandardScores
from biblicus_context.retrieval.rank import Asked, Ranks
from biblicus_context.spec.retriever_settings import HybridSpec
from biblicus_context.stores import Filters

if TYPE_CHECKING:
    from biblicus_context.corpora.corpus import Corpus

_FAR: Final = 2**31
"""Behind the last block of any ranking."""
_RANKINGS: Final = 16
"""Rankings that are kept: each may be of some thousand blocks."""


class Pin(NamedTuple):
    """What does not change while a question is paged through."""

    version: int
    written: datetime | None
    """When the version was: an index that is deleted and made again counts its own from one."""
    now: datetime


class Page(NamedTuple):
    """One page of a ranking."""

    hits: int
    """How many blocks of the ranking it covers; those that stand together are one passage."""
    evidence: Sequence[Evidence]
    dropped: Sequence[Dropped]


class _Ranking(NamedTuple):
    """One ranking that is being paged through."""

    listing: Listing
    passages: Passages | None

    def page(self, offset: int, limit: int) -> Page:
        """The blocks from one place on."""
        first = self.listing.first(offset + limit)
        hits = first[offset:]
        shown = self.passages.of(first, offset) if self.passages else hits
        return Page(len(hits), shown, self.listing.dropped(offset, offset + limit))


class Searcher:
    """Answers pages; what it ranked last is kept, so that a page does not rank again."""

    def __init__(
        self, corpus: Corpus, settings: Mapping[str, Any], parts: Parts, *, place: str
    ) -> None:
        self.spec, self._kind = retriever_spec(settings, parts, place=place)
        self._corpus = corpus
        self._filters = Filters.parse(self.spec.filters, place=f"{place}.filters")
        try:
            self.filling = Filling.of(self.spec, parts.select.build(self.spec.select))
            self._rank = Ranks(parts.rank).build(self.spec.rank) if self.spec.rank else None
            self._fusion = (
                parts.fusion.build(self.spec.fusion)
                if isinstance(self.spec, HybridSpec)
                else StandardScores()
            )
        except ContextError as error:
            raise error.within(place) from None
        self._rankings = BoundedMemory[tuple[str, tuple[object, ...]], _Ranking](_RANKINGS)

    def page(self, query: str, *, offset: int, limit: int, pin: Pin) -> Page:
        """The blocks of one page, best first."""
        changes = self._rank is not None or self._filters.accessed is not None
        key = query, pin if changes else pin[:2]
        ranking = self._rankings.get(key)
        if ranking is None:
            ranking = self._ranking(query, pin, min(offset + limit, _FAR))
            self._rankings.put(key, ranking)
        try:
            return ranking.page(min(offset, _FAR), min(limit, _FAR))
        except BaseException:  # half of a ranking must not pass for the whole of it
            self._rankings.forget(key)
            raise

    def _ranking(self, query: str, pin: Pin, most: int) -> _Ranking:
        question = Question(
            store=self._corpus.store,
            principal=self._corpus.principal,
            embedder=self._corpus.asking if self.spec.compares_vectors else None,
            query=query,
            filters=self._filters,
            at=pin.version,
            fusion=self._fusion,
        )
        found = ranked(
            partial(self._found, question, pin), max(most, AT_ONCE) if self._rank else most
        )
        fetch = partial(self._corpus.evidence, at=pin.version)
        if self._rank is not None:
            asked = Asked(now=pin.now, terms=query_terms(query))
            usage = partial(self._corpus.store.usage, self._corpus.principal)
            found = weighed(found, self._rank, asked, fetch, usage)
        listing = Listing(
            found,
            lambda some: [written(each, self.spec.format) for each in fetch(some)],
            self.spec.twins,
            self.spec.maximum_items_per_source,
        )
        around = self.spec.neighbours
        together = around.blocks or around.turns
        return _Ranking(listing, Passages(question, self.spec) if together else None)

    def _found(self, question: Question, pin: Pin, most: int) -> Sequence[Found]:
        found = self._kind(question, self.spec, most)
        if question.embedder is not None:
            self._corpus.require_vectors_of(question.embedder, found, pin)
        return found
