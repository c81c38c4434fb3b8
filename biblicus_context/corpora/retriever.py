"""A retriever over a corpus: returns a pack that stays within the limits of a request."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.base.doors import door
from biblicus_context.base.effects import Effectful
from biblicus_context.base.forks import GATE
from biblicus_context.base.threads import run
from biblicus_context.base.timestamps import moment
from biblicus_context.corpora.answer_cache import AnswerCache, RememberedAnswers, scope_of
from biblicus_context.corpora.errors import (
    PartialIndexError,
    finishing,
    missing_vectors,
    partial_index,
    waiting_vectors,
)
from biblicus_context.corpora.evidence import Evidence, as_chosen, pack_block
from biblicus_context.corpora.index import Index, Pin
from biblicus_context.corpora.search.foreign_query import foreign_query
from biblicus_context.corpora.search.query import CurrentView, SearchQuery
from biblicus_context.corpora.search.searcher import CorpusSearcher, RankingPage
from biblicus_context.corpora.search.settings import SearchSettings
from biblicus_context.corpora.search.share_reading import filled_page, limits_of
from biblicus_context.corpora.search.surroundings import RankedSurroundings
from biblicus_context.errors import InputError, UnknownNameError
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.choosing.fit import Chosen, within_caps
from biblicus_context.retrieval.packs.facts import facts_of
from biblicus_context.retrieval.packs.pack import ContextPack, ContextPackBlock
from biblicus_context.retrieval.rank.store_facts import HasStoreFacts, StoreFacts
from biblicus_context.retrieval.relevance import Relevance
from biblicus_context.retrieval.requests.abilities import FillsShare, InTwoSteps
from biblicus_context.retrieval.requests.request import ASSEMBLY, NOW, ContextRetrieverRequest
from biblicus_context.spec.retriever_settings import SearchSpec
from biblicus_context.stores import (
    NO_FILTERS,
    TermCounts,
    Usage,
    Vectors,
    VersionGoneError,
    View,
    require_ranking,
)
from biblicus_context.stores.checks import LARGEST
from biblicus_context.stores.errors import ViewMovedError
from biblicus_context.text.counters import Counter, Counters, default_counter

T = TypeVar("T")

_MOST_REMEMBERED: Final = 64
"""Queries whose version, and filled settings whose searcher, are remembered."""


@door
class Judged(NamedTuple):
    """The hits of a search, and whether any of them is relevant, where `min_score: auto` decides it."""

    hits: list[Evidence]
    relevance: Relevance | None


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

        `answer_cache` keeps what the setting `cache` remembers; by default the cache of the corpus
        does, else this process. Pass the `answers` of the same retriever for another principal to share them.
        """
        self._index = index
        self._settings = settings
        self._counters = counters or Counters()
        self._warning = warning or (lambda: None)
        self._pins = BoundedMemory[str, Pin](_MOST_REMEMBERED)
        self._searchers = BoundedMemory[str, CorpusSearcher](_MOST_REMEMBERED)
        cache = settings.spec.cache
        kept = index.answer_cache if answer_cache is None else answer_cache
        self.answers = answers or (RememberedAnswers(cache, kept) if cache else None)
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

    @property
    def joins(self) -> bool:
        """Whether it waits for nothing but a store on another machine, and so may wait with others."""
        with_vectors = self.spec.compares_vectors
        return self._settings.is_built_in and self._index.joins(with_vectors=with_vectors)

    def unfinished(self, request: ContextRetrieverRequest) -> ContextPack:
        """The page, in which blocks that a slow compactor has to shorten are whole."""
        with GATE.inside():
            pack = self._remembered(request)
            # Of now, not of when the answer was remembered.
            said = (
                self._missing(request),
                self._waiting,
                self.language_warning(request.query),
                self._warning(),
            )
            warnings = [each for each in said if each]
        return pack.model_copy(update={"warnings": warnings}) if warnings else pack

    def _missing(self, request: ContextRetrieverRequest) -> str | None:
        """That the index is not complete, where its author wants it searched all the same."""
        index = self._index
        if not self._allows_partial or index.is_awaited or index.root is None:
            return None
        if not self._read(request, lambda _, pin: pin).is_partial:
            return None
        now = index.is_being_made
        problem = partial_index(index.name, is_being_made=now)
        return f"{problem}. {finishing(index.name, index.root, is_being_made=now)}"

    def language_warning(self, query: str) -> str | None:
        """That a query is in a language that the embedder does not know, where vectors are compared."""
        if not self.spec.compares_vectors or self._index.is_awaited:
            return None
        embedder = self._index.query_embedder
        return None if embedder is None else foreign_query(query, embedder)

    @property
    def _waiting(self) -> str | None:
        """That blocks wait for their vectors, or have none, in the search that was made last."""
        index = self._index
        if not self.spec.compares_vectors:
            return None
        if index.waiting:
            return waiting_vectors(index.name, index.waiting, index.embedded_now, index.root)
        blocks, embedder = index.missing_vectors.blocks, index.query_embedder
        if not blocks or embedder is None:
            return None
        return missing_vectors(index.name, blocks, embedder.model)

    @property
    def _allows_partial(self) -> bool:
        own = self.spec.index
        return self._index.allows_partial if own is None else own == "partial"

    def _allowed(self, pin: Pin) -> Pin:
        """The pin, unless its version is a part of the index and nobody wants that."""
        root = self._index.root
        if pin.is_partial and root is not None and not self._allows_partial:
            require_ranking()  # an index is never complete without what it is made with
            now = self._index.is_being_made
            raise PartialIndexError(self._index.name, root, is_being_made=now)
        return pin

    def _remembered(self, request: ContextRetrieverRequest) -> ContextPack:
        if self._index.is_awaited:
            decided = self._searcher(request.metadata).relevance_in_nothing(request.query)
            return ContextPack(text="", evidence_count=0, blocks=[], relevance=decided)
        if self.answers is None:
            return self._answer(request)
        pin, hidden, activity = self._version(request)
        settings = {**self._settings.config, **self._settings.filled_values(request.metadata)}
        version = (
            self._index.store_name,
            pin.version,
            pin.written,
            hidden,
            self._index.has_embedder,
            *activity,
        )
        scope = scope_of(self._index.principal, version, settings, request)
        embedder = self._index.query_embedder if self.answers.compares_queries else None
        compute, is_whole = partial(self._answer, request), partial(self._index.keeps, pin.version)
        return self.answers.answer(request, scope, embedder, compute, is_whole)

    def _version(self, request: ContextRetrieverRequest) -> tuple[Pin, int, Sequence[object]]:
        """The version that a request reads, since when the principal sees of it what it sees now, and
        what the user did if the answer depends on that: it makes no version."""

        def read(view: View, pin: Pin) -> tuple[Pin, int, Sequence[object]]:
            done = view.activity(limit=LARGEST) if self.spec.depends_on_activity else ()
            return pin, view.hidden, [(each.document_id, each.action, each.when) for each in done]

        return self._read(request, read)

    def _answer(self, request: ContextRetrieverRequest) -> ContextPack:
        searcher = self._searcher(request.metadata)
        counter = self._counter(request.counter)
        page, chosen = self._read(
            request,
            lambda view, pin: filled_page(
                partial(_page, searcher, view, pin), searcher.choosing, request, counter
            ),
        )
        self._index.store_made()
        placed = _placed(page, chosen)
        return ContextPack(
            text=self.spec.join_with.join(each.block.text for each in placed),
            # The size of the page, not what fitted: the engine pages on while pages come back full.
            evidence_count=page.hits,
            blocks=[
                pack_block(each, facts, self.spec)
                for each, facts in zip(placed, chosen.chosen, strict=True)
            ],
            left_out=[each.block for each in (*page.left_out, *chosen.left_out)],
            relevance=page.relevance,
            more=page.more or len(placed) < len(page.evidence),
        )

    def store_facts(self, request: ContextRetrieverRequest) -> StoreFacts:
        """What a ranking of blocks of this corpus may ask, in the version that the request reads."""
        index, text = self._index, request.query
        pin = self._known_pin(request) or self._read(request, lambda _, pin: pin)
        read = partial(index.read_near, pin.version)

        def asking(ask: Callable[[SearchQuery], T]) -> T:
            def asked(view: View) -> T:
                query = SearchQuery(
                    reading=CurrentView(view),
                    embedder=None,
                    text=text,
                    filters=NO_FILTERS,
                    now=pin.now,
                )
                return ask(query)

            return read(asked)

        def count_terms(terms: Sequence[str]) -> TermCounts:
            return read(lambda view: view.count_terms(terms))

        def usage(ids: Sequence[str]) -> Mapping[str, Usage]:
            return read(lambda view: view.usage(ids))

        travels = index.joins(with_vectors=False)
        return StoreFacts(count_terms, usage, partial(RankedSurroundings, asking), travels)

    def warm_up(self) -> None:
        """Open the index, and load the embedder and what the first search needs."""
        retriever = self
        if self._settings.templates:  # which only a call can fill: any search loads the same
            usual = SearchSettings.parse({}, self._settings.parts, place=self._settings.place)
            retriever = CorpusRetriever(self._index, usual, counters=self._counters)
        retriever(ContextRetrieverRequest(query=self._index.name, limit=1))

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
        return self.judged(
            query, offset=offset, limit=limit, max_tokens=max_tokens, vector=vector, counter=counter
        ).hits

    def judged(
        self,
        query: str,
        *,
        offset: int,
        limit: int,
        max_tokens: int | None = None,
        vector: Sequence[float] | None = None,
        counter: str | None = None,
    ) -> Judged:
        """The same, with the decision whether any of them is relevant."""
        if not isinstance(query, str):
            raise InputError("a query is a text", place="query", found=query)
        if self._index.is_awaited:
            return Judged([], self._searcher({}).relevance_in_nothing(query))
        with GATE.inside():
            try:
                return self._judged(query, offset, limit, max_tokens, vector, counter)
            finally:
                self._index.store_made()

    def _judged(
        self,
        query: str,
        offset: int,
        limit: int,
        max_tokens: int | None,
        vector: Sequence[float] | None,
        counter: str | None,
    ) -> Judged:
        request = ContextRetrieverRequest(
            query=query, offset=offset, limit=limit, max_tokens=max_tokens, counter=counter
        )
        given = None if vector is None else self._index.query_vector(vector)
        searcher = self._searcher({})
        # One moment for all pages, or each would be ranked again.
        return self._read(
            request,
            lambda view, pin: self._found(
                partial(_page, searcher, view, pin, vector=given), searcher, request
            ),
        )

    def _found(
        self,
        read: Callable[[ContextRetrieverRequest], RankingPage],
        searcher: CorpusSearcher,
        request: ContextRetrieverRequest,
    ) -> Judged:
        if request.max_tokens is None:
            page = read(request)
            return Judged([*page.evidence], page.relevance)
        counter = self._counter(request.counter)
        page, found = filled_page(read, searcher.choosing, request, counter)
        chosen = _placed(page, found)
        if page.more and len(page.evidence) < request.limit:
            page = read(request.model_copy(update={"limit": len(page.evidence) + 1}))
        filling = {each.block.id for each in chosen}
        hits = chosen + [e for e in page.evidence if e.block.id not in filling][:1]
        return Judged(hits, page.relevance)

    def _counter(self, name: str | None) -> Counter:
        try:
            return self._counters.get(name) if name is not None else default_counter()
        except UnknownNameError:  # a counter of the assembler that was not passed to this retriever
            return default_counter()

    def _read(self, request: ContextRetrieverRequest, read: Callable[[View, Pin], T]) -> T:
        """What is read of the version of a request; of the newest one if that is no longer kept."""
        assembly, now = request.metadata.get(ASSEMBLY), moment(request.metadata.get(NOW))
        index, known = self._index, self._known_pin(request)
        if known is not None:
            pin = self._allowed(known)
            try:
                return index.read(pin.version, lambda view: read(view, pin))
            except VersionGoneError:  # the caller paused for longer than the store keeps versions
                if isinstance(assembly, str):
                    index.forget_pin(assembly)

        def begin(view: View) -> tuple[T] | Pin:
            try:
                if not isinstance(assembly, str):
                    pin = self._allowed(index.pinned(view, now))
                    self._pins.put(request.query, pin)
                    return (read(view, pin),)
                pin = self._allowed(index.pin(assembly, view, now))
                # Another request of the assembly may have been faster.
                return (read(view, pin),) if pin.version == view.version else pin
            except ViewMovedError:  # the version of the pin is not the newest one
                self._pins.forget(request.query)
                if isinstance(assembly, str):
                    index.forget_pin(assembly)
                raise

        made = index.read(None, begin)
        if not isinstance(made, Pin):
            return made[0]
        return index.read(made.version, lambda view: read(view, made))

    def _known_pin(self, request: ContextRetrieverRequest) -> Pin | None:
        assembly = request.metadata.get(ASSEMBLY)
        if isinstance(assembly, str):
            return self._index.known_pin(assembly)
        return self._pins.get(request.query) if request.offset > self.spec.offset else None

    def _searcher(self, metadata: Mapping[str, Any]) -> CorpusSearcher:
        """The searcher for these settings, with placeholders filled as in the metadata of a request."""
        values = self._settings.filled_values(metadata)
        return self._searchers.get_or_compute(
            json.dumps(values, sort_keys=True, default=repr),
            lambda: CorpusSearcher(self._index, self._settings.filled(values)),
        )


def _page(
    searcher: CorpusSearcher,
    view: View,
    pin: Pin,
    request: ContextRetrieverRequest,
    vector: Vectors | None = None,
) -> RankingPage:
    return searcher.page(
        view, request.query, offset=request.offset, limit=request.limit, pin=pin, vector=vector
    )


def _placed(page: RankingPage, chosen: Chosen) -> list[Evidence]:
    """What is chosen of a page, with the texts that it has room for."""
    found = {each.block.id: each for each in page.evidence}
    return [as_chosen(found[each.id], each) for each in chosen.chosen]


def _shortened(block: ContextPackBlock, facts: Candidate) -> ContextPackBlock:
    if facts.text == block.text:
        return block
    return block.model_copy(update={"text": facts.text}, deep=True).carrying(facts)
