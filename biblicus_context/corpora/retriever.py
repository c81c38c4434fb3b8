"""A retriever over a corpus: returns a pack that stays within the limits of a request."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.base.doors import door
from biblicus_context.base.effects import Effectful
from biblicus_context.base.forks import GATE
from biblicus_context.base.moments import moment
from biblicus_context.base.threads import run
from biblicus_context.corpora.answer_cache import AnswerCache, RememberedAnswers, scope_of
from biblicus_context.corpora.errors import PartialIndexError, partial_index, remedy
from biblicus_context.corpora.evidence import Evidence, as_chosen, pack_block
from biblicus_context.corpora.index import Index, Pin
from biblicus_context.corpora.search.query import SearchQuery
from biblicus_context.corpora.search.searcher import CorpusSearcher, RankingPage, store_facts
from biblicus_context.corpora.search.settings import SearchSettings
from biblicus_context.corpora.search.share_reading import filled_page, limits_of
from biblicus_context.errors import InputError, UnknownNameError
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.choosing.fit import Chosen, within_caps
from biblicus_context.retrieval.packs.facts import facts_of
from biblicus_context.retrieval.packs.pack import ContextPack, ContextPackBlock
from biblicus_context.retrieval.rank.store_facts import HasStoreFacts, StoreFacts
from biblicus_context.retrieval.requests.fills_share import FillsShare
from biblicus_context.retrieval.requests.in_two_steps import InTwoSteps
from biblicus_context.retrieval.requests.request import ASSEMBLY, NOW, ContextRetrieverRequest
from biblicus_context.spec.retriever_settings import SearchSpec
from biblicus_context.stores import NO_FILTERS, TermCounts, Vectors, VersionGoneError
from biblicus_context.stores.checks import LARGEST
from biblicus_context.text.counters import Counter, Counters, default_counter

_MOST_REMEMBERED: Final = 64
"""Queries whose version, and filled settings whose searcher, are remembered."""


@door
class CorpusRetriever(FillsShare, InTwoSteps, HasStoreFacts):
    """Pages through one version of a corpus.

    A request whose limit cannot bind (a block per token) is answered with what its tokens hold.

    All requests of one assembly read one version, so an ingest between two pages neither repeats
    nor loses a block. Without an assembly, later pages read the version of the last first page of
    the same query; callers that may page through the same query at once name an assembly each.
    """

    def __init__(
        self,
        index: Index,
        settings: SearchSettings,
        *,
        counters: Counters | None = None,
        warning: Callable[[], str | None] | None = None,
        answer_cache: AnswerCache | None = None,
        answers: RememberedAnswers | None = None,
    ) -> None:
        """`warning` says what the receipt of every answer has to say, such as a stale index.

        `answer_cache` keeps what the setting `cache` remembers; by default this process does. Pass
        the `answers` of the same retriever for another principal to share them.
        """
        self._index = index
        self._settings = settings
        self._counters = counters or Counters()
        self._warning = warning or (lambda: None)
        self._pins = BoundedMemory[str, Pin](_MOST_REMEMBERED)
        self._searchers = BoundedMemory[str, CorpusSearcher](_MOST_REMEMBERED)
        cache = settings.spec.cache
        self.answers = answers or (RememberedAnswers(cache, answer_cache) if cache else None)
        """The remembered answers with their counts, if the settings have a `cache`."""
        if not settings.templates:
            self._searcher({})  # so that a mistake in the settings is reported here

    @property
    def spec(self) -> SearchSpec:
        """The settings as the author wrote them, with defaults; placeholders are not filled."""
        return self._settings.spec

    def __call__(self, request: ContextRetrieverRequest) -> ContextPack:
        """One page of blocks, without those that do not fit into the request."""
        return run(self.finished(self.unfinished(request), request))

    def finished(
        self, pack: ContextPack, request: ContextRetrieverRequest
    ) -> Effectful[ContextPack]:
        """The page with what slow compactors make of blocks above `item_cap`."""
        choosing = self._searcher(request.metadata).choosing
        limits = limits_of(request, self._counter(request.counter))
        found = {each.evidence_item_id: each for each in pack.blocks}
        whole = Chosen(tuple(map(facts_of, pack.blocks)))
        done = yield from within_caps(whole, choosing, limits)
        if done is whole:
            return pack
        blocks = [_shortened(found[each.id], each) for each in done.chosen]
        return pack.model_copy(
            update={
                "blocks": blocks,
                "text": self.spec.join_with.join(each.text for each in blocks),
                "left_out": [*pack.left_out, *(each.block for each in done.left_out)],
                "warnings": [*pack.warnings, *done.notes],
            }
        )

    @property
    def computes(self) -> bool:
        """Whether it searches a folder with what this package brings; what others provide may wait."""
        with_vectors = self.spec.compares_vectors
        return self._settings.is_built_in and self._index.computes(with_vectors=with_vectors)

    def unfinished(self, request: ContextRetrieverRequest) -> ContextPack:
        """The page, in which blocks that a slow compactor has to shorten are whole."""
        with GATE.inside():
            pack = self._remembered(request)
            # Of now, not of when the answer was remembered.
            warnings = [each for each in (self._missing(request), self._warning()) if each]
        return pack.model_copy(update={"warnings": warnings}) if warnings else pack

    def _missing(self, request: ContextRetrieverRequest) -> str | None:
        """That the index is not complete, where its author wants it searched all the same."""
        index = self._index
        if not self._allows_partial or index.is_awaited or index.root is None:
            return None
        if not self._pin(request).is_partial:
            return None
        return f"{partial_index(index.name)}. {remedy(index.name, index.root)}"

    @property
    def _allows_partial(self) -> bool:
        own = self.spec.index
        return self._index.allows_partial if own is None else own == "partial"

    def _allowed(self, pin: Pin) -> Pin:
        """The pin, unless its version is a part of the index and nobody wants that."""
        root = self._index.root
        if pin.is_partial and root is not None and not self._allows_partial:
            raise PartialIndexError(self._index.name, root)
        return pin

    def _remembered(self, request: ContextRetrieverRequest) -> ContextPack:
        if self._index.is_awaited:
            return ContextPack(text="", evidence_count=0, blocks=[])
        if self.answers is None:
            return self._answer(request)
        pin, hidden = self._sight(request)
        settings = {**self._settings.config, **self._settings.filled_values(request.metadata)}
        version = (
            self._index.folder,
            pin.version,
            pin.written,
            hidden,
            self._index.has_embedder,
            *self._recorded_activity(),
        )
        scope = scope_of(self._index.principal, version, settings, request)
        embedder = self._index.query_embedder if self.answers.compares_queries else None
        return self.answers.answer(request, scope, embedder, partial(self._answer, request))

    def _sight(self, request: ContextRetrieverRequest) -> tuple[Pin, int]:
        """The version that is read, and since when the principal sees of it what it sees now."""
        pin, index = self._pin(request), self._index
        try:
            return pin, index.store.hidden_since(index.principal, pin.version)
        except VersionGoneError:
            pin = self._newest(request)
            return pin, pin.version

    def _recorded_activity(self) -> Iterator[object]:
        """What the user edited and viewed, if the answer depends on it: this makes no version."""
        if self.spec.depends_on_activity:
            index = self._index
            for each in index.store.activity(index.principal, limit=LARGEST):
                yield each.document_id, each.action, each.when

    def _answer(self, request: ContextRetrieverRequest) -> ContextPack:
        searcher = self._searcher(request.metadata)
        with self._index.reading():
            page, chosen = filled_page(
                partial(self._page, searcher),
                searcher.choosing,
                request,
                self._counter(request.counter),
            )
        placed = _placed(page, chosen)
        return ContextPack(
            text=self.spec.join_with.join(each.block.text for each in placed),
            # The size of the page, not what fitted: the engine pages on while pages come back full.
            evidence_count=page.hits,
            blocks=[pack_block(each, self.spec) for each in placed],
            left_out=[each.block for each in (*page.left_out, *chosen.left_out)],
            more=page.more or len(placed) < len(page.evidence),
        )

    def store_facts(self, request: ContextRetrieverRequest) -> StoreFacts:
        """What a ranking of blocks of this corpus may ask, in the version that the request reads."""
        pin, index = self._pin(request), self._index
        query = SearchQuery(
            store=index.store,
            principal=index.principal,
            embedder=None,
            text=request.query,
            filters=NO_FILTERS,
            at=pin.version,
            now=pin.now,
        )
        facts = store_facts(index, query)
        return facts._replace(count_terms=partial(self._count_terms, pin))

    def _count_terms(self, pin: Pin, terms: Sequence[str]) -> TermCounts:
        count, who = self._index.store.count_terms, self._index.principal
        try:
            return count(who, terms, at=pin.version)
        except VersionGoneError:  # something was removed since
            return count(who, terms)

    def warm_up(self) -> None:
        """Open the index, and load the embedder and what the first search needs."""
        self(ContextRetrieverRequest(query=self._index.name, limit=1))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.spec.retriever_id!r}, corpus={self._index.name!r})"

    def evidence(
        self,
        query: str,
        *,
        offset: int,
        limit: int,
        max_tokens: int | None = None,
        vector: Sequence[float] | None = None,
        counter: str | None = None,
    ) -> list[Evidence]:
        """One page of hits, best first, or of it what fills `max_tokens` and the next one.

        A `vector` takes the place of the embedding of the query.
        """
        if not isinstance(query, str):
            raise InputError("a query is a text", place="query", found=query)
        if self._index.is_awaited:
            return []
        request = ContextRetrieverRequest(
            query=query, offset=offset, limit=limit, max_tokens=max_tokens, counter=counter
        )
        given = None if vector is None else self._index.query_vector(vector)
        searcher = self._searcher({})
        with GATE.inside(), self._index.reading():
            if max_tokens is None:
                return [*self._page(searcher, request, given).evidence]
            pin = self._pin(request)  # one moment for all pages, or each would be ranked again
            read = partial(self._page, searcher, vector=given, pin=pin)
            page, found = filled_page(read, searcher.choosing, request, self._counter(counter))
            chosen = _placed(page, found)
            if page.more and len(page.evidence) < limit:
                page = read(request.model_copy(update={"limit": len(page.evidence) + 1}))
            filling = {each.block.id for each in chosen}
            return chosen + [e for e in page.evidence if e.block.id not in filling][:1]

    def _counter(self, name: str | None) -> Counter:
        try:
            return self._counters.get(name) if name is not None else default_counter()
        except UnknownNameError:  # a counter of the assembler that was not passed to this retriever
            return default_counter()

    def _page(
        self,
        searcher: CorpusSearcher,
        request: ContextRetrieverRequest,
        vector: Vectors | None = None,
        *,
        pin: Pin | None = None,
    ) -> RankingPage:
        read = partial(
            searcher.page,
            request.query,
            offset=request.offset,
            limit=request.limit,
            vector=vector,
        )
        try:
            return read(pin=pin or self._pin(request))
        except VersionGoneError:  # the caller paused for longer than the store keeps versions
            return read(pin=self._newest(request))

    def _pin(self, request: ContextRetrieverRequest) -> Pin:
        assembly = request.metadata.get(ASSEMBLY)
        if isinstance(assembly, str):
            return self._allowed(self._index.pin(assembly, moment(request.metadata.get(NOW))))
        pinned = self._pins.get(request.query) if request.offset > self.spec.offset else None
        return self._newest(request) if pinned is None else pinned

    def _newest(self, request: ContextRetrieverRequest) -> Pin:
        assembly, now = request.metadata.get(ASSEMBLY), moment(request.metadata.get(NOW))
        if isinstance(assembly, str):
            return self._allowed(self._index.renew_pin(assembly, now))
        pin = self._allowed(self._index.newest(now))
        self._pins.put(request.query, pin)
        return pin

    def _searcher(self, metadata: Mapping[str, Any]) -> CorpusSearcher:
        """The searcher for these settings, with placeholders filled as in the metadata of a request."""
        values = self._settings.filled_values(metadata)
        return self._searchers.get_or_compute(
            json.dumps(values, sort_keys=True, default=repr),
            lambda: CorpusSearcher(self._index, self._settings.filled(values)),
        )


def _placed(page: RankingPage, chosen: Chosen) -> list[Evidence]:
    """What is chosen of a page, with the texts that it has room for."""
    found = {each.block.id: each for each in page.evidence}
    return [as_chosen(found[each.id], each) for each in chosen.chosen]


def _shortened(block: ContextPackBlock, facts: Candidate) -> ContextPackBlock:
    if facts.text == block.text:
        return block
    return block.model_copy(update={"text": facts.text}, deep=True).carrying(facts)
