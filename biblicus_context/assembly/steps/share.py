"""Step 2: the pack budget is divided among the packs; no I/O."""

from __future__ import annotations

from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.packs.row import BETWEEN_PACKS
from biblicus_context.assembly.registries import Registries
from biblicus_context.assembly.steps.claims import Claim, shares
from biblicus_context.assembly.steps.parts import FirstPart, PackPart, TextPart
from biblicus_context.text.counters import count_followed


def share(draft: Draft, _: Registries) -> Draft:
    """The draft with a share for every pack, and for every group of alternatives that has one."""
    claims: dict[int, Claim] = {}
    for index, part in enumerate(draft.parts):
        if isinstance(part, PackPart | FirstPart) and part.claim is not None:
            claims[index] = part.claim
    given = shares(_total(draft), list(claims.values()))
    return draft._replace(shares=dict(zip(claims, given, strict=True)))


def _total(draft: Draft) -> int | None:
    """The pack budget; in a nested context without one, what its own texts leave of its share."""
    limits = draft.limits
    if not draft.level or limits.pack_total is not None or limits.budget is None:
        return limits.pack_total
    texts = [part.text for part in draft.parts if isinstance(part, TextPart)]
    return max(0, limits.budget - sum(count_followed(limits.counter, texts, BETWEEN_PACKS)))
