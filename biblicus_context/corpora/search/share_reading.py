"""Reads as much of a ranking as the tokens of a request hold, and little more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from biblicus_context.corpora.evidence import Evidence
from biblicus_context.corpora.search.filling import Filling
from biblicus_context.corpora.search.searcher import RankingPage
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
    filling: Filling,
    request: ContextRetrieverRequest,
    counter: Counter,
) -> tuple[RankingPage, list[Evidence]]:
    """A page, and those of its blocks that go into the pack.

    It is the page of the request; if no limit can bind, it ends where the share is full.
    """
    most = request.max_tokens
    if most is None or request.limit < most:
        page = read(request)
        return page, filling.chosen(page.evidence, request, counter)
    wanted, first_over = _FEWEST + most // _USUAL, 0
    while True:
        limit = min(wanted, request.limit)
        page = read(request.model_copy(update={"limit": limit}))
        tokens = filling.tokens(page.evidence, counter)
        pool = most if filling.is_plain else _TO_SELECT_FROM * most
        at_end = not page.more or limit == request.limit
        if tokens < pool and not at_end:
            wanted = limit + max(_FEWEST, limit * (pool - tokens) // max(tokens, 1))
            continue
        chosen = filling.chosen(page.evidence, request, counter)
        first_over = first_over or limit
        is_full = filling.tokens(chosen, counter) >= _FULL * most
        if at_end or is_full or not filling.is_plain or limit >= first_over + _LOOKED_AT:
            return page, chosen
        wanted = first_over + _LOOKED_AT
