"""The pack budget, divided: one pure function from claims to shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from biblicus_context.base.ratios import exactly


class Claim(NamedTuple):
    """What one pack may say about its share."""

    weight: float = 1.0
    priority: int = 0
    cap: int | None = None


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
