"""What a pack does not use of its share flows to the packs that want more.

By priority; packs of one priority divide it by their weights, as they divided the budget. Within the
pack budget, and under each pack's own cap. Blocks that are there already come first; a retriever is
asked again only where it is known to have more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from typing import Final

from biblicus_context.assembly.division import Claim, serving_order
from biblicus_context.assembly.draft import Draft, Gathered
from biblicus_context.assembly.packs.row import fill
from biblicus_context.assembly.steps.parts import FirstPart, PackPart, RetrieverSource
from biblicus_context.base.effects import Effectful
from biblicus_context.base.ratios import exactly

Refit = Callable[[Draft, int, int], Effectful[Gathered]]
"""The pack of this number under another share."""

_PASSES: Final = 3
"""A pack may leave a part of what flowed to it, so it flows on, but not without end. In the last pass
each may have all that is left: a part of it may be too little for any block."""


def flowed(draft: Draft, refit: Refit) -> Effectful[Draft]:
    """The draft with packs that use what others leave; the packs together stay within their budget."""
    draft = _with_room_for_pinned(draft)
    if not wanting(draft):
        return draft
    draft = yield from _passed_on(draft, refit)
    if any(_needs_to_ask(draft.packs[index]) for index in wanting(draft)):
        # What a cut block leaves of a share is known once it is cut, and then others may ask for it.
        # Where nobody has to ask, `fit` cuts and tops up, as it knows what the whole leaves.
        for index in draft.packs:
            draft = yield from _filled(draft, index)
        draft = yield from _passed_on(draft, refit, fills=True)
    return draft


def _passed_on(draft: Draft, refit: Refit, *, fills: bool = False) -> Effectful[Draft]:
    left = spare(draft)
    for last in (*[False] * (_PASSES - 1), True):
        before = left
        if before <= 0:
            break
        hungry = wanting(draft)
        for place, index in enumerate(hungry):
            more = left if last else _part_of(draft, left, hungry[place:])
            share = grown_share(draft, index, more)
            if share > (draft.shares[index] or 0):
                taken = _taken(draft, index)
                gathered = yield from refit(draft, index, share)
                draft = draft._replace(
                    packs={**draft.packs, index: gathered},
                    shares={**draft.shares, index: share},
                )
                if fills:
                    draft = yield from _filled(draft, index)
                left += taken - _taken(draft, index)
        if left == before and len(hungry) < 2:
            break
    return draft


def _part_of(draft: Draft, left: int, waiting: Sequence[int]) -> int:
    """What the first of these gets of what is left: its part by weight among those of its priority.

    It is rounded up, so that the last token goes to the heaviest.
    """
    claims = [_claim(draft, index) for index in waiting]
    weights = [exactly(each.weight) for each in claims if each.priority == claims[0].priority]
    return ceil(left * weights[0] / sum(weights)) if sum(weights) else left


def _claim(draft: Draft, index: int) -> Claim:
    part = draft.parts[index]
    assert isinstance(part, PackPart)
    return part.claim


def _filled(draft: Draft, index: int) -> Effectful[Draft]:
    """The draft in which the last block of this pack is cut to fill its share."""
    gathered = draft.packs[index]
    if not _fills_later(draft, index) or gathered.share is None:
        return draft
    shortener = draft.limits.shortener(gathered.query)
    fitted = yield from fill(gathered.fitted, gathered.share, shortener)
    filled = gathered._replace(fitted=fitted, is_filled=True)
    return draft._replace(packs={**draft.packs, index: filled})


def _with_room_for_pinned(draft: Draft) -> Draft:
    """The draft in which pinned packs over their share have what others leave."""
    for index, part in enumerate(draft.parts):
        if not isinstance(part, PackPart) or not part.options.pin or index not in draft.packs:
            continue
        gathered = draft.packs[index]
        tokens, cap = gathered.fitted.tokens, part.claim.cap
        over = gathered.share is not None and tokens > gathered.share
        # Where nothing but the whole is limited, the others give way to it as they do to texts.
        has_room = draft.packs_fill_the_rest or spare(draft) >= 0
        if over and has_room and (cap is None or tokens <= cap):
            draft = draft._replace(
                packs={**draft.packs, index: gathered._replace(share=tokens)},
                shares={**draft.shares, index: tokens},
            )
    return draft


def spare(draft: Draft, without: int | None = None) -> int:
    """The tokens of the pack budget that no pack uses or may still fill; 0 without a pack budget."""
    if draft.pack_total is None or draft.limits.overflow != "compact":
        return 0
    taken = (_taken(draft, index) for index in draft.shares if index != without)
    return draft.pack_total - sum(taken)


def grown_share(draft: Draft, index: int, more: int) -> int:
    """The share of a pack that gets this much more than it takes now, under its own cap."""
    share, cap = _taken(draft, index) + more, _claim(draft, index).cap
    return share if cap is None else min(share, cap)


def wanting(draft: Draft) -> list[int]:
    """The packs that left something out, or whose retriever has more; the first to be served first."""
    packs = [
        (index, part)
        for index, part in enumerate(draft.parts)
        if isinstance(part, PackPart)
        and not part.options.pin
        and index in draft.packs
        and (wants_more(draft.packs[index]) or _gave_way(draft, part, draft.packs[index]))
    ]
    if not packs:
        return []
    return [packs[at][0] for at in serving_order([part.claim for _, part in packs])]


def wants_more(gathered: Gathered) -> bool:
    """Whether a larger share would be used."""
    if not gathered.share or gathered.failure:
        return False
    if gathered.further is not None or not gathered.fitted.is_whole:
        return True
    return gathered.nested is not None and bool(wanting(gathered.nested))


def _gave_way(draft: Draft, part: PackPart, gathered: Gathered) -> bool:
    """Whether a pack was not asked because others are sure of tokens, which they may not use."""
    if gathered.share != 0 or gathered.not_asked or gathered.nested or part.claim.cap == 0:
        return False
    return any(isinstance(each, PackPart) and each.claim.minimum for each in draft.parts)


def _needs_to_ask(gathered: Gathered) -> bool:
    """Whether what it wants is not among the blocks that `fit` may give back."""
    return gathered.further is not None or gathered.nested is not None


def _taken(draft: Draft, index: int) -> int:
    """What a pack uses; a pack whose last block is cut only in the end may fill its share."""
    part, share = draft.parts[index], draft.shares[index] or 0
    if isinstance(part, FirstPart):
        return share
    gathered = draft.packs.get(index)
    if not isinstance(part, PackPart) or gathered is None:
        return 0
    return share if _fills_later(draft, index) else gathered.fitted.tokens


def _fills_later(draft: Draft, index: int) -> bool:
    part, gathered = draft.parts[index], draft.packs[index]
    final = draft.level > 0 or gathered.is_filled
    retrieved = isinstance(part, PackPart) and isinstance(part.source, RetrieverSource)
    return retrieved and not final and not gathered.fitted.is_whole
