"""Step 2: the pack budget is divided among the packs; no I/O, no counting of what packs hold."""

from __future__ import annotations

from collections.abc import Sequence

from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.packs.row import BETWEEN_PACKS
from biblicus_context.assembly.registries import Registries
from biblicus_context.assembly.steps.parts import Claim, FirstPart, PackPart, TextPart
from biblicus_context.base.ratios import exactly
from biblicus_context.text.counters import count_followed


def share(draft: Draft, _: Registries) -> Draft:
    """The draft with a share for every pack, and for every group of alternatives that has one."""
    claims: dict[int, Claim] = {}
    for index, part in enumerate(draft.parts):
        if isinstance(part, PackPart) and not part.copies:
            continue
        if isinstance(part, PackPart | FirstPart) and part.claim is not None:
            claims[index] = part.claim
    total = _total(draft)
    given = shares(total, list(claims.values()))
    return draft._replace(pack_total=total, shares=dict(zip(claims, given, strict=True)))


def _total(draft: Draft) -> int | None:
    """The pack budget; in a nested context without one, what its own texts leave of its share."""
    limits = draft.limits
    if not draft.level or limits.pack_total is not None or limits.budget is None:
        return limits.pack_total
    texts = [part.text for part in draft.parts if isinstance(part, TextPart)]
    return max(0, limits.budget - sum(count_followed(limits.counter, texts, BETWEEN_PACKS)))


def shares(total: int | None, claims: Sequence[Claim]) -> list[int | None]:
    """How many tokens each claim gets, in the order of the claims.

    The integer part of total * weight / sum of weights, at least 1 while anything is left; the
    remainder goes to the highest (priority, weight); what a cap leaves over goes to the others by
    priority, then weight. Without a total a claim gets its cap, or no limit (None).

    >>> shares(100, [Claim(weight=2), Claim(), Claim()])
    [50, 25, 25]
    >>> shares(100, [Claim(cap=10), Claim(priority=1), Claim()])
    [10, 57, 33]
    >>> shares(2, [Claim(), Claim(priority=5), Claim()])
    [1, 1, 0]
    """
    if total is None:
        return [claim.cap for claim in claims]
    if not claims:
        return []
    order = serving_order(claims)
    given = _by_weight(total, claims, order)
    return [*_capped(given, claims, order)]


def serving_order(claims: Sequence[Claim]) -> list[int]:
    """Indexes of the claims, the first to be served first: by priority, then weight, then place."""
    return sorted(
        range(len(claims)), key=lambda index: (-claims[index].priority, -claims[index].weight)
    )


def _by_weight(total: int, claims: Sequence[Claim], order: list[int]) -> list[int]:
    weights = [exactly(claim.weight) for claim in claims]
    whole = sum(weights)
    given = [0] * len(claims)
    left = total
    for index in order:
        given[index] = min(left, max(1, total * weights[index] // whole))
        left -= given[index]
    given[order[0]] += left
    return given


def _capped(given: list[int], claims: Sequence[Claim], order: list[int]) -> list[int]:
    spare = 0
    for index, claim in enumerate(claims):
        if claim.cap is not None and given[index] > claim.cap:
            spare += given[index] - claim.cap
            given[index] = claim.cap
    for index in order:
        cap = claims[index].cap
        more = spare if cap is None else min(spare, cap - given[index])
        given[index] += more
        spare -= more
    return given
