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
    # A limit of as many blocks as tokens never binds: each block takes at least one token.
    if most is None or request.limit < most:
        page = read(request)
        return page, fit([each.candidate() for each in page.evidence], choosing, limits)
    wanted, first_over = _FEWEST + most // _USUAL, 0
    in_order, candidates = choosing.fills_in_order, _Candidates(choosing, counter)
    pool = most if in_order else _TO_SELECT_FROM * most
    # The page grows until it has more than the share, and then once more: a smaller block a little
    # further down may fill what the first one that is too large leaves. Both steps end at the limit.
    while True:
        limit = min(wanted, request.limit)
        page = read(request.model_copy(update={"limit": limit}))
        found = candidates.of(page.evidence)
        tokens = sum(each.tokens for each in found)
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


class _Candidates:
    """What choosing uses of evidence, made once: a larger page begins with that of the smaller one."""

    def __init__(self, choosing: Choosing, counter: Counter) -> None:
        self._between, self._counter = choosing.spec.join_with, counter
        self._known: dict[int, tuple[Evidence, Candidate]] = {}

    def of(self, page: Sequence[Evidence]) -> list[Candidate]:
        """The candidates, with the tokens that they take of a share."""
        known = self._known
        # A passage may grow with the page, and is another object then.
        new = [each for each in page if id(each) not in known]
        counts = self._counter.count_many([each.block.text + self._between for each in new])
        for each, tokens in zip(new, counts, strict=True):
            known[id(each)] = each, each.candidate(tokens=tokens)
        return [known[id(each)][1] for each in page]
