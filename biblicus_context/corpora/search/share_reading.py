"""Reads as much of a ranking as the tokens of a request hold, and little more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from biblicus_context.corpora.evidence import Evidence
from biblicus_context.corpora.search.searcher import RankingPage
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.choosing.choosing import Choosing
from biblicus_context.retrieval.choosing.fit import (
    Chosen,
    PageLimits,
    fills_in_order,
    fit,
    tokens_of,
)
from biblicus_context.retrieval.requests.request import ContextRetrieverRequest
from biblicus_context.text.counters import Counter

_USUAL: Final = 160
"""Tokens of a block, to guess how many are read first."""
_FEWEST: Final = 8
_FULL: Final = 0.98
"""The part of a share that counts as filled: few blocks fit into the rest."""
_LOOKED_AT: Final = 64
"""Blocks looked at, after the first that does not fit, for smaller ones that do."""
_TO_SELECT_FROM: Final = 3
"""How many times the share a selection other than by rank chooses from."""


def filled_page(
    read: Callable[[ContextRetrieverRequest], RankingPage],
    choosing: Choosing,
    request: ContextRetrieverRequest,
    counter: Counter,
) -> tuple[RankingPage, Chosen]:
    """A page, and those of its blocks that go into the pack.

    It is the page of the request; if no limit can bind, it ends where the share is full.
    """
    most = request.max_tokens
    limits = limits_of(request, counter)
    if most is None or request.limit < most:
        page = read(request)
        return page, fit(_candidates(page.evidence), choosing, limits)
    wanted, first_over = _FEWEST + most // _USUAL, 0
    in_order = fills_in_order(choosing)
    pool = most if in_order else _TO_SELECT_FROM * most
    while True:
        limit = min(wanted, request.limit)
        page = read(request.model_copy(update={"limit": limit}))
        found = _candidates(page.evidence)
        tokens = sum(tokens_of(found, choosing, counter))
        at_end = not page.more or limit == request.limit
        if tokens < pool and not at_end:
            wanted = limit + max(_FEWEST, limit * (pool - tokens) // max(tokens, 1))
            continue
        chosen = fit(found, choosing, limits)
        first_over = first_over or limit
        is_full = sum(tokens_of(chosen.chosen, choosing, counter)) >= _FULL * most
        if at_end or is_full or not in_order or limit >= first_over + _LOOKED_AT:
            return page, chosen
        wanted = first_over + _LOOKED_AT


def limits_of(request: ContextRetrieverRequest, counter: Counter) -> PageLimits:
    """What the page of a request may hold."""
    return PageLimits(
        blocks=request.limit,
        tokens=request.max_tokens,
        characters=request.maximum_total_characters,
        counter=counter,
        query=request.query,
        keeps_whole=not request.shorten,
    )


def _candidates(page: Sequence[Evidence]) -> list[Candidate]:
    return [each.candidate() for each in page]
