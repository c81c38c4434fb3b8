"""Pages of a ranking of one version of a corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain, islice
from threading import Lock
from typing import Final, NamedTuple, TypeAlias

from biblicus_context.base.bounded_memory import BoundedMemory
from biblicus_context.base.forks import child_lock
from biblicus_context.base.joining import holding
from biblicus_context.corpora.evidence import Evidence, RankedBlock, as_written, evidence_of
from biblicus_context.corpora.index import Index, Pin
from biblicus_context.corpora.search.fetching import FetchedOnce
from biblicus_context.corpora.search.listing import Listing, LostHits, ranked_blocks
from biblicus_context.corpora.search.outlining import outlined, read_first_blocks
from biblicus_context.corpora.search.passages import Passages
from biblicus_context.corpora.search.query import CurrentView, SearchQuery
from biblicus_context.corpora.search.rankers.activity import VIEW
from biblicus_context.corpora.search.rankers.registry import RetrieverKind
from biblicus_context.corpora.search.relevance import JUDGED, HitJudge
from biblicus_context.corpora.search.settings import SearchSettings
from biblicus_context.corpora.search.similarity import similarities
from biblicus_context.corpora.search.surroundings import RankedSurroundings
from biblicus_context.errors import ContextError
from biblicus_context.retrieval.analysis import is_small_talk, query_terms, telling_terms
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.choosing.choosing import Choosing
from biblicus_context.retrieval.choosing.floor import COMPARED_AT_ONCE, above_floor
from biblicus_context.retrieval.choosing.left_out import LeftOut
from biblicus_context.retrieval.choosing.ranking import rank_in_groups
from biblicus_context.retrieval.excerpt import excerpt
from biblicus_context.retrieval.fusion import StandardScores
from biblicus_context.retrieval.rank import RankingQuery, WeightedSum
from biblicus_context.retrieval.rank.store_facts import StoreFacts
from biblicus_context.retrieval.relevance import FAR, NOTHING_ASKED, Relevance, judged
from biblicus_context.spec.choosing import MinScoreSpec, min_score_spec
from biblicus_context.spec.retriever_settings import (
    ActivitySpec,
    ExcerptSpec,
    HybridSpec,
    OutlineSpec,
    SearchSpec,
)
from biblicus_context.stores import Filters, Usage, Vectors, View
from biblicus_context.text.counters import default_counter

_Ahead: TypeAlias = Callable[[Sequence[Candidate]], object]
_Similar: TypeAlias = Callable[[Sequence[RankedBlock]], Sequence[float]]

_FAR: Final = 2**31
"""After the last block of any ranking."""
_MOST_SHOWN: Final = 200
"""Blocks whose texts are read with their names, before anybody knows whether they are shown."""
_JUDGED_AT_ONCE: Final = 50
"""Hits that are compared at once where each is judged."""
_MORE_AT_ONCE: Final = 2
_GOES_ON: Final = 0.25
"""The share of them that has to be near for the ranking to go on."""
_MOST_WITH_JUDGED: Final = 50
_RANKINGS: Final = 16
"""Rankings that are remembered: each may have some thousand blocks."""


class RankingPage(NamedTuple):
    """One page of a ranking."""

    hits: int
    """How many blocks of the ranking it covers; adjacent ones are merged into one passage."""
    evidence: Sequence[Evidence]
    left_out: Sequence[LeftOut]
    """What the ranking leaves out among them."""
    more: bool
    """Whether the ranking goes on after them."""
    relevance: Relevance | None = None
    """Whether the best of the ranking are relevant, where `min_score: auto` decides it."""


@dataclass(slots=True)
class _Decision:
    """What is known of a ranking once its first hits are read."""

    relevance: Relevance | None = None


class _Ranking(NamedTuple):
    """One ranking that is being paged through, by one thread at a time."""

    reading: CurrentView
    listing: Listing
    passages: Passages | None
    shorten: Callable[[Evidence], Evidence]
    decision: _Decision
    lock: Lock

    def page(self, view: View, offset: int, limit: int) -> RankingPage:
        with holding(self.lock):
            self.reading.view = view
            return self._page(offset, limit)

    def _page(self, offset: int, limit: int) -> RankingPage:
        end = offset + limit
        found = self.listing.first(end + 1)  # one more, to know whether there is one
        first = found[:end]
        hits = first[offset:]
        shown = self.passages.of(first, offset) if self.passages else hits
        shown = [self.shorten(each) for each in shown]
        left_out = self.listing.left_out(offset, end)
        return RankingPage(len(hits), shown, left_out, len(found) > end, self.decision.relevance)


class CorpusSearcher:
    """Returns pages; recent rankings are remembered, so that the next page does not rank again."""

    def __init__(self, index: Index, settings: SearchSettings) -> None:
        self._index = index
        self._spec, self._kind = settings.spec, settings.kind
        parts, place = settings.parts, settings.place
        self._filters = Filters.of(self._spec.filters)
        self.choosing = Choosing.of(self._spec, parts.choosing, place=place)
        try:
            self._fusion = (
                parts.choosing.fusion.build(self._spec.fusion)
                if isinstance(self._spec, HybridSpec)
                else StandardScores()
            )
        except ContextError as error:
            raise error.within(place) from None
        self._rankings = BoundedMemory[tuple[str, tuple[object, ...]], _Ranking](_RANKINGS)

    def page(
        self,
        view: View,
        query: str,
        *,
        offset: int,
        limit: int,
        pin: Pin,
        vector: Vectors | None = None,
    ) -> RankingPage:
        """One page of hits, best first; a `vector` takes the place of the embedding of the query.

        The view is of the version of the pin.
        """
        # The clock is part of the key only where it changes the ranking: by recency of use, or by a
        # filter of it. Else the same query would be ranked again in every assembly.
        filters = self._filters
        changes = (
            self.choosing.rank is not None
            or self._spec.depends_on_time
            or filters.depends_on_time
            or (filters.current and pin.ages)
        )
        key = query, (vector, view.hidden, *(pin if changes else pin[:2]))
        ranking = self._rankings.get(key)
        if ranking is None:
            ranking = self._ranking(view, query, vector, pin, min(offset + limit + 1, _FAR))
            self._rankings.put(key, ranking)
        try:
            return ranking.page(view, min(offset, _FAR), min(limit, _FAR))
        except BaseException:  # half of a ranking must not be taken for the whole
            self._rankings.forget(key)
            raise

    def relevance_in_nothing(self, text: str) -> Relevance | None:
        """The decision where nobody has written yet, the same as where nothing may be read.

        Without it an asker would know which of the two it is.
        """
        floor = min_score_spec(self._spec.min_score)
        if floor is None or not floor.judges or not text.strip():
            return None
        if is_small_talk(text):
            return NOTHING_ASKED
        return judged((), {}, None, missing=[*dict.fromkeys(telling_terms(text))])

    def _ranking(
        self, view: View, text: str, vector: Vectors | None, pin: Pin, most: int
    ) -> _Ranking:
        index, spec = self._index, self._spec
        weights, lost = self.choosing.rank, LostHits()
        floor = min_score_spec(spec.min_score)
        judges = floor is not None and floor.judges and bool(text.strip())
        query = SearchQuery(
            reading=CurrentView(view),
            embedder=index.query_embedder if spec.compares_vectors else None,
            text=text,
            filters=self._filters_at(pin),
            now=pin.now,
            fusion=self._fusion,
            given=vector,
            quick=index.quick_vectors if spec.compares_vectors else None,
            shown=min(
                max(most, spec.rank_window if weights else 0, JUDGED if judges else 0), _MOST_SHOWN
            ),
            compared=COMPARED_AT_ONCE if spec.min_score else int(weights is not None),
            missing=index.missing_vectors,
            judges=judges,
        )
        decision = _Decision()
        # Nothing of a ranking refers to the searcher, which remembers it: only a full collection of
        # garbage would end the cycle, and a search of a program makes a new searcher.
        fetch = FetchedOnce(lambda some: evidence_of(query.view, some))
        similar = partial(similarities, query, by=spec.similarity_by, fetch=fetch)
        blocks = ranked_blocks(
            partial(_ranked, index, self._kind, spec, query, pin),
            max(most, spec.rank_window) if weights else most,
        )
        judge = HitJudge(query, fetch)
        if judges:
            blocks = _relevant(blocks, judge, query, decision, lost)
        if floor is not None and (floor.least or not floor.judges):
            blocks = _above_floor(blocks, floor, similar, spec.similarity_by, lost)
        if weights is not None:
            ahead = _read_ahead(query, spec) if view.travels else None
            window = spec.rank_window
            blocks = _reranked(blocks, weights, index.name, query, similar, fetch, window, ahead)
        if judges and floor is not None and floor.each == "auto":
            blocks = _near(blocks, judge, lost)
        listing = Listing(blocks, lambda some: _shown(fetch(some), query, spec), spec, lost)
        around = spec.neighbours
        merges = around.blocks or around.turns
        shorten = partial(_excerpted, spec=spec.excerpt, query=text)
        passages = Passages(query, spec) if merges else None
        return _Ranking(query.reading, listing, passages, shorten, decision, child_lock())

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


def _read_ahead(query: SearchQuery, spec: SearchSpec) -> _Ahead | None:
    """Reads what outlines and passages will be made of; None where there are none."""
    size = spec.outline if isinstance(spec, OutlineSpec | ActivitySpec) else None
    around, is_whole = spec.neighbours, isinstance(spec, OutlineSpec)
    if size is None and not (around.blocks or around.turns):
        return None

    def outlines(candidates: Sequence[Candidate]) -> None:
        shown = (each.document for each in candidates if is_whole or VIEW in each.parts)
        if size is not None:
            read_first_blocks(query, size, [*dict.fromkeys(filter(None, shown))])

    def near(candidates: Sequence[Candidate], *, turns: bool) -> None:
        ids = [each.id for each in candidates if each.is_turn == turns]
        reach = around.turns if turns else around.blocks
        if ids and reach:
            query.view.nearby(ids, reach=reach)

    def read(candidates: Sequence[Candidate]) -> None:
        query.view.together(
            partial(outlines, candidates),
            partial(near, candidates, turns=False),
            partial(near, candidates, turns=True),
        )

    return read


def _above_floor(
    blocks: Iterator[RankedBlock],
    floor: MinScoreSpec,
    similar: _Similar,
    part: str,
    lost: LostHits,
) -> Iterator[RankedBlock]:
    """The ranking without what is not similar enough, with the similarity as a part of each score."""

    def lose(hit: RankedBlock, least: float, similarity: float | None) -> None:
        lost.add_unread(hit, "min_score", detail=f"{least:g}", score=similarity)

    for each, similarity in above_floor(blocks, floor, similar, lose):
        parts = {**each.parts, part: similarity or 0.0}
        yield each._replace(parts_of=partial(_same, parts))


def _relevant(
    blocks: Iterator[RankedBlock],
    judge: HitJudge,
    query: SearchQuery,
    decision: _Decision,
    lost: LostHits,
) -> Iterator[RankedBlock]:
    """The ranking, or nothing of it if none of its first hits is relevant."""
    if is_small_talk(query.text):  # nobody asks anything: nothing is searched or embedded
        decision.relevance = NOTHING_ASKED
        return
    # What will be shown is read with what is judged, as mostly, something is relevant; a lot of it
    # only where it has travelled with the names.
    shown = query.shown if query.view.travels or query.shown <= _MOST_WITH_JUDGED else 0
    first = [*islice(blocks, max(JUDGED, shown))]
    decision.relevance = decided = judge.decide(first[:JUDGED], first[JUDGED:])
    if decided.verdict == "nothing":
        for each in first[:JUDGED]:
            lost.add_unread(each, "relevance", detail=decided.text)
        return
    yield from chain(first, blocks)


def _near(blocks: Iterator[RankedBlock], judge: HitJudge, lost: LostHits) -> Iterator[RankedBlock]:
    """The ranking without what is far from relevant; it ends where nearly everything is."""
    most = _JUDGED_AT_ONCE
    while some := [*islice(blocks, most)]:
        far = judge.far(some)
        for each, is_far in zip(some, far, strict=True):
            if is_far:
                lost.add_unread(each, "relevance", detail=FAR)
            else:
                yield each
        if far.count(False) < _GOES_ON * len(some):
            return
        if judge.travels:  # whoever reads on reads a lot, and each read is a trip
            most *= _MORE_AT_ONCE


def _reranked(
    blocks: Iterator[RankedBlock],
    weights: WeightedSum,
    corpus: str,
    query: SearchQuery,
    similar: _Similar,
    fetch: FetchedOnce,
    window: int,
    ahead: _Ahead | None,
) -> Iterator[RankedBlock]:
    """The same blocks by the weights of the plan, with the components as parts."""
    first = next(blocks, None)
    if first is None:
        return
    facts = RankingQuery(
        now=query.now,
        terms=query_terms(query.text),
        similarity_of_best=cache(lambda: similar([first])[0]),
    )
    around = partial(RankedSurroundings, lambda ask: ask(query))
    travels = query.view.travels
    stores = {corpus: StoreFacts(query.count_terms, _as_read, around, travels, ahead)}
    candidates = _candidates(chain([first], blocks), corpus, fetch, window)
    for each in rank_in_groups(candidates, weights, facts, stores, window):
        yield RankedBlock(each.id, each.document or "", each.score, partial(_same, each.parts))


def _candidates(
    blocks: Iterator[RankedBlock], corpus: str, fetch: FetchedOnce, window: int
) -> Iterator[Candidate]:
    """What ranking uses of blocks, read in groups of the size in which they are ranked."""
    while some := [*islice(blocks, window)]:
        for evidence in fetch(some):
            yield evidence.candidate(usage=evidence.usage)._replace(corpus=corpus)


def _as_read(_ids: Sequence[str]) -> Mapping[str, Usage]:
    """Nothing more: evidence is read with its usage."""
    return {}


def _same(parts: Mapping[str, float], _block: str) -> Mapping[str, float]:
    return parts


def _ranked(
    index: Index, kind: RetrieverKind, spec: SearchSpec, query: SearchQuery, pin: Pin, most: int
) -> Sequence[RankedBlock]:
    ranked = kind(query, spec, most)
    if query.embedder is not None:
        index.require_vectors_of(query.view, query.embedder, ranked, pin)
    return ranked


def _excerpted(evidence: Evidence, *, spec: ExcerptSpec | None, query: str) -> Evidence:
    """The evidence with an excerpt as its text, if the plan asks for one."""
    if spec is None:
        return evidence
    counter = default_counter()
    marks = spec.marks or ("", "")
    text = excerpt(evidence.block.text, query_terms(query), spec.tokens, counter, marks)
    return replace(evidence, block=replace(evidence.block, text=text, tokens=counter.count(text)))
