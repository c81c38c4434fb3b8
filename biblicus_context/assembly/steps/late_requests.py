"""Requests after fitting: a pack that had to shrink may leave tokens that another pack has blocks for."""

from __future__ import annotations

from collections.abc import Callable

from biblicus_context.assembly.draft import Draft, Gathered, Placement
from biblicus_context.assembly.steps.flow import wanting
from biblicus_context.assembly.steps.parts import PackPart
from biblicus_context.base.effects import Effectful


def asked_later(
    draft: Draft, placement: Placement, room: int, measure: Callable[[Placement], int]
) -> Effectful[tuple[Draft, Placement]]:
    """The draft and placement with what packs have more, while everything stays within `room`.

    Only after a pack was shrunk for the total: before that, what a pack leaves has flowed already.
    Who asks knows that one was.
    """
    if draft.pack_total is None:
        return draft, placement
    left = room - measure(placement)
    spare = draft.pack_total - sum(each.tokens for each in placement.packs.values())
    for index in wanting(draft):
        before, placed = draft.packs[index], placement.packs[index]
        share = _share(draft, index, placed.tokens + min(left, spare))
        if before.further is None or not placed.is_whole or share <= placed.tokens:
            continue
        asked = yield from before.further(share)
        fuller = placement._replace(packs={**placement.packs, index: asked.fitted})
        grown = asked.fitted.tokens - placed.tokens
        # Where no further block fits, that answer still says which were offered, and what they need.
        if not asked.failure and grown >= 0 and (fixed := measure(fuller)) <= room:
            placement, before, asked = fuller, asked, before
            left, spare = room - fixed, spare - grown
        draft = _with_pack(draft, index, before.instead_of(asked))
    return draft, placement


def _share(draft: Draft, index: int, share: int) -> int:
    """What a pack may have of the tokens left in the total and in the pack budget, under its own cap."""
    part = draft.parts[index]
    assert isinstance(part, PackPart)
    return share if part.claim.cap is None else min(share, part.claim.cap)


def _with_pack(draft: Draft, index: int, gathered: Gathered) -> Draft:
    return draft._replace(packs={**draft.packs, index: gathered})
