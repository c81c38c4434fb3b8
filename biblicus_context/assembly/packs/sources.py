"""Packs whose title, header or footer names the kinds of blocks that are placed before them.

Their text changes with other packs, so it is written again whenever those change.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator, Mapping

from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.packs.formatted import origins_of
from biblicus_context.assembly.packs.row import FittedPack, after_sources, cut_to
from biblicus_context.base.effects import Effectful
from biblicus_context.retrieval.packs.writing.surrounding_text import Origin
from biblicus_context.text.counters import Counter


def with_sources(packs: Mapping[int, FittedPack], counter: Counter) -> Mapping[int, FittedPack]:
    """The packs by their places in the plan, each written for those before it."""
    last = max(depending(packs), default=None)
    if last is None:
        return packs
    written = dict(packs)
    before = Tally[Origin]()
    for index in sorted(packs):
        if index > last:
            break
        if _depends(packs[index]):
            written[index] = after_sources(packs[index], before, counter)
        if index < last:
            before = before + origins_of(piece.block for piece in packs[index].kept.values())
    return written


def depending(packs: Mapping[int, FittedPack]) -> Iterator[int]:
    """The packs that name what is placed before them."""
    return (index for index, fitted in packs.items() if _depends(fitted))


def within_shares(draft: Draft) -> Effectful[Draft]:
    """The draft with these packs written for those before them, within their shares."""
    for index in sorted(depending({at: each.fitted for at, each in draft.packs.items()})):
        packs = {at: gathered.fitted for at, gathered in draft.packs.items()}
        gathered, fitted = draft.packs[index], with_sources(packs, draft.limits.counter)[index]
        over = gathered.share is not None and fitted.tokens > gathered.share
        if over and gathered.share and draft.limits.overflow == "compact":
            shortener = draft.limits.shortener(gathered.query)
            fitted = yield from cut_to(fitted, gathered.share, shortener)
        gathered = gathered._replace(fitted=fitted)
        draft = draft._replace(packs={**draft.packs, index: gathered})
    return draft


def _depends(fitted: FittedPack) -> bool:
    arrange = fitted.row.arrange
    return arrange is not None and arrange.names_sources
