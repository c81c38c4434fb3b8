"""Asks the sources of a combined retriever side by side, and makes one page of their answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from time import perf_counter

from biblicus_context.assembly.packs.answers import answered, blocks_in, has_more_for_share
from biblicus_context.assembly.packs.combined_state import (
    CombinedState,
    RankedOffers,
    SourceState,
)
from biblicus_context.assembly.packs.source_call import SourceCall, block_of, failure_of
from biblicus_context.base.effects import Effect, Effectful, Outcome, perform, side_by_side
from biblicus_context.base.forks import GATE
from biblicus_context.base.outlines import outline_of
from biblicus_context.errors import RetrieverError
from biblicus_context.retrieval.analysis import query_terms
from biblicus_context.retrieval.candidate import Candidate, best_first
from biblicus_context.retrieval.choosing.choose import choose, sifted
from biblicus_context.retrieval.choosing.fit import (
    Chosen,
    PageLimits,
    within_caps,
)
from biblicus_context.retrieval.choosing.left_out import LeftOut
from biblicus_context.retrieval.choosing.merge import merge, offer
from biblicus_context.retrieval.choosing.ranking import ranked_candidates
from biblicus_context.retrieval.fusion import GivenScores
from biblicus_context.retrieval.packs.pack import ContextPack, ContextPackBlock
from biblicus_context.retrieval.rank import RankingQuery, WeightedSum
from biblicus_context.retrieval.rank.store_facts import HasStoreFacts, StoreFacts
from biblicus_context.retrieval.relevance import best_of
from biblicus_context.retrieval.requests.abilities import FillsShare, InTwoSteps
from biblicus_context.retrieval.requests.answer import MOST_ABOVE_LIMIT, EvidencePage
from biblicus_context.retrieval.requests.request import (
    CHARACTERS_PER_TOKEN,
    ContextRetrieverRequest,
    PageRequest,
)
from biblicus_context.text.counters import Counter


def combined_page(
    call: SourceCall, page: PageRequest, before: CombinedState | None, counter: Counter
) -> Effectful[tuple[ContextPack | None, CombinedState]]:
    """The next page: every source that may have more is asked once, all of them side by side.

    None where a source failed that may not be skipped: the state says what the others offered.
    """
    times = [perf_counter()]
    state = yield from _searched(call, page, before, counter)
    times.append(perf_counter())
    ranked = yield from _ranked(call, page, state)
    if isinstance(ranked, RetrieverError):
        return None, _without_page(call, state, ranked)
    times.append(perf_counter())
    limits = _limits(call, page, counter)
    whole = choose(ranked.sifted, call.combination, limits)
    done = yield from within_caps(whole, call.combination.choosing, limits)
    times.append(perf_counter())
    state = state._replace(
        placed=(*state.placed, *done.chosen),
        left_out=(*done.left_out, *ranked.elsewhere),
        ranked=ranked,
        seconds=state.seconds.plus(*times),
    )
    return _pack(call, page, state, done), state


def _limits(call: SourceCall, page: PageRequest, counter: Counter) -> PageLimits:
    write = call.written
    limits = PageLimits(
        page.limit,
        page.tokens,
        page.characters,
        counter,
        call.query,
        keeps_whole=not page.shorten,
    )
    if write is None:
        return limits

    def written(candidate: Candidate) -> str:
        return write(block_of(candidate))

    return limits._replace(written=written)


def _pack(call: SourceCall, page: PageRequest, state: CombinedState, done: Chosen) -> ContextPack:
    more = done.has_more or any(each.holds_back for each in state.sources)
    # A larger share is worth more than a further page: sources that fill shares rank for it.
    goes_on = done.is_full or (not more and any(each.next_page for each in state.sources))
    blocks = [block_of(each) for each in done.chosen]
    return ContextPack(
        text=call.combination.spec.join_with.join(block.text for block in blocks),
        evidence_count=page.limit if goes_on else len(blocks),
        blocks=blocks,
        warnings=[
            *dict.fromkeys(said for each in state.sources for said in each.warnings),
            *done.notes,
        ],
        relevance=best_of(each.relevance for each in state.sources),
        more=goes_on or more,
    )


def _searched(
    call: SourceCall, page: PageRequest, before: CombinedState | None, counter: Counter
) -> Effectful[CombinedState]:
    """The state with what all sources offer in addition."""
    if before is None:
        before = CombinedState(tuple(SourceState(each.name, each.query) for each in call.sources))
    asked = yield from side_by_side(
        [
            _asked(each, page, state, counter)
            for each, state in zip(call.sources, before.sources, strict=True)
        ]
    )
    states = tuple(state for state, _ in asked)
    new = (each for _, offers in asked for each in offers)
    error = next((each.error for each in states if each.error), None)
    return before._replace(sources=states, offers=(*before.offers, *new), error=error)


def _without_page(call: SourceCall, state: CombinedState, error: RetrieverError) -> CombinedState:
    """The state in which everything that is on no page yet is left out, as there will be none."""
    spec, placed = call.combination.spec, {each.id for each in state.placed}
    reason = failure_of(error, call.name)
    left_out = (
        LeftOut(each, "failed", detail=reason)
        for each in merge(state.offers, spec.of, call.combination.fusion)
        if each.id not in placed
    )
    return state._replace(left_out=tuple(left_out), error=error)


def _asked(
    call: SourceCall, page: PageRequest, before: SourceState, counter: Counter
) -> Effectful[tuple[SourceState, Sequence[Candidate]]]:
    """What one source offers in addition to what it offered before."""
    if before.is_settled:
        return before._replace(is_settled=False), ()
    request = before.next_page if before.pages else _first_page(call, page)
    if request is None or before.failure:
        return before, ()
    state = before._replace(requests=before.requests + 1, pages=before.pages + 1)
    try:
        if call.sources:
            state, answer = yield from _from_combined(call, request, state, counter)
        else:
            answer = yield from answered(call.source, request, call.timeout, call.name)
    except RetrieverError as error:
        return _failed(call, state, error), ()
    if state.inner is not None and state.inner.error is not None:
        return _failed(call, state, state.inner.error), ()
    if answer is None:
        return state._replace(next_page=None), ()
    pack = answer.pack
    blocks = blocks_in(pack, state.pages)
    is_full = pack.evidence_count >= request.limit
    return state._replace(
        offered=state.offered + len(blocks),
        next_page=request.following() if is_full and _may_have_more(call, pack) else None,
        holds_back=has_more_for_share(pack, request.limit) and not (is_full and call.sources),
        warnings=(*state.warnings, *pack.warnings, *_cut(call, request, answer)),
        left_out=(*state.left_out, *pack.left_out),
        relevance=state.relevance or pack.relevance,
    ), [*_offers(call, state.inner, blocks)]


def _failed(call: SourceCall, state: SourceState, error: RetrieverError) -> SourceState:
    assert call.spec is not None
    fatal = error if call.spec.on_error == "fail" else None
    return state._replace(failure=failure_of(error, call.name), error=fatal, next_page=None)


def _from_combined(
    call: SourceCall, request: PageRequest, state: SourceState, counter: Counter
) -> Effectful[tuple[SourceState, EvidencePage | None]]:
    before = state.inner.requests if state.inner else 0
    pack, inner = yield from combined_page(call, request, state.inner, counter)
    # Its own sources are asked, not the combined retriever.
    requests = state.requests - 1 + inner.requests - before
    return state._replace(requests=requests, inner=inner), EvidencePage(pack) if pack else None


def _offers(
    call: SourceCall, inner: CombinedState | None, blocks: Iterable[ContextPackBlock]
) -> Iterator[Candidate]:
    """The blocks, each with the corpus of the source that found it, which may be a source of the source."""
    corpora = {each.id: each.corpus for each in inner.placed} if inner else {}
    own = call.source.settings.corpus
    return (offer(each, call.name, corpora.get(each.evidence_item_id, own)) for each in blocks)


def _cut(call: SourceCall, request: PageRequest, answer: EvidencePage) -> Iterator[str]:
    if answer.is_cut:
        yield (
            f"source '{call.name}' returned more than {MOST_ABOVE_LIMIT:,} blocks above its limit "
            f"of {request.limit:,}; the rest was not read"
        )


def _may_have_more(call: SourceCall, pack: ContextPack) -> bool:
    """After a full page; retrievers that fill shares say it, of others nobody knows."""
    says_it = isinstance(call.source.function, FillsShare) or call.source.combined is not None
    return pack.more or not says_it


def _first_page(call: SourceCall, page: PageRequest) -> PageRequest:
    settings = call.source.settings
    characters = settings.maximum_total_characters
    if page.tokens is not None:
        guess = page.tokens * CHARACTERS_PER_TOKEN
        characters = min(characters or guess, guess)
    return PageRequest(
        query=call.query,
        offset=settings.offset,
        limit=_limit(call, page),
        characters=characters,
        tokens=page.tokens,
        metadata=call.metadata,
        counter=page.counter,
        shorten=page.shorten,
    )


def _limit(call: SourceCall, page: PageRequest) -> int:
    """The limit in the plan, else that of the page if it binds, else the source's usual one."""
    assert call.spec is not None
    declared = call.spec.limit or call.source.settings.limit
    if declared is not None:
        return declared
    is_limited = page.limit != page.tokens
    return page.limit if is_limited else call.source.limit(page.tokens)


def _ranked(
    call: SourceCall, page: PageRequest, state: CombinedState
) -> Effectful[RankedOffers | RetrieverError]:
    """Everything offered that may be placed, best first; or what there is instead of a ranking.

    Neither the order nor what repeats what depends on the share, and packs that share a budget are
    fitted again and again: only another question, or other offers, are ranked again.
    """
    if state.error is not None:
        return state.error
    placed, known = {each.id for each in state.placed}, state.ranked
    asked, taken = (state.offers, *_question(call)), (placed, call.elsewhere)
    if known is None or known.asked != asked:
        order = yield from _ordered(call, page, state.offers)
        if isinstance(order, RetrieverError):
            return order
    elif known.taken == taken:
        return known
    else:
        order = known.order
    here = [each for each in order if each.id not in call.elsewhere]
    elsewhere = (
        LeftOut(each, "duplicate", detail=call.elsewhere[each.id])
        for each in order
        if each.id in call.elsewhere
    )
    found = sifted(here, call.combination, placed)
    return RankedOffers(asked, order, taken, found, tuple(elsewhere))


def _ordered(
    call: SourceCall, page: PageRequest, offers: Sequence[Candidate]
) -> Effectful[Sequence[Candidate] | RetrieverError]:
    """Each piece of evidence once, best first."""
    combination = call.combination
    merged = merge(offers, combination.spec.of, combination.fusion)
    weights = combination.choosing.ranking(call.metadata.get("rank"))
    if weights is None:
        return best_first(merged)
    outcome = yield from _by_weights(call, page, merged, weights)
    if outcome.error is not None:
        error = RetrieverError(call.name, f"failed to rank: {outline_of(outcome.error)}")
        error.__cause__ = outcome.error
        return error
    ranked: list[Candidate] = outcome.value
    return ranked


def _question(call: SourceCall) -> Iterator[object]:
    """What a ranking may ask stores about: queries and settings, which texts of other packs may fill."""
    yield call.query, call.metadata
    for each in call.sources:
        yield from _question(each)


def _by_weights(
    call: SourceCall, page: PageRequest, merged: Sequence[Candidate], weights: WeightedSum
) -> Effectful[Outcome]:
    """The ranking by the weights of the plan, which may ask stores."""
    effect = Effect(
        partial(_weighed, merged, weights, call),
        page,
        parallel=call.source.parallel,
        computes=not _asks(call, lambda each: not each.computes),
        joins=_asks(call, lambda each: each.joins)
        and not _asks(call, lambda each: not (each.joins or each.computes)),
    )
    return (yield from perform(effect))


def _asks(call: SourceCall, which: Callable[[InTwoSteps], bool]) -> bool:
    """Whether its ranking may ask the store of such a retriever."""
    function = call.source.function
    if isinstance(function, HasStoreFacts) and not isinstance(function, InTwoSteps):
        return True
    asks = isinstance(function, HasStoreFacts) and which(function)
    return asks or any(_asks(each, which) for each in call.sources)


def _weighed(
    merged: Sequence[Candidate], weights: WeightedSum, call: SourceCall, _page: PageRequest
) -> list[Candidate]:
    # Scores that are similarities, from 0 to 1, say how similar the best block is.
    as_given = isinstance(call.combination.fusion, GivenScores)
    best = max((each.score for each in merged), default=0.0)
    query = RankingQuery(
        now=call.now,
        terms=query_terms(call.query),
        similarity_of_best=lambda: min(1.0, best) if as_given else 1.0,
    )
    with GATE.inside():  # stores may be read until the ranking is there
        stores = dict(_stores(call, {each.corpus for each in merged}))
        return ranked_candidates(merged, weights, query, stores)


def _stores(call: SourceCall, found: Collection[str | None]) -> Iterator[tuple[str, StoreFacts]]:
    """What answers for the blocks of each corpus that any were found in."""
    for each in call.sources:
        function, corpus = each.source.function, each.source.settings.corpus
        if isinstance(function, HasStoreFacts) and corpus is not None and corpus in found:
            request = ContextRetrieverRequest(query=each.query, metadata=dict(each.metadata))
            yield corpus, function.store_facts(request)
        yield from _stores(each, found)
