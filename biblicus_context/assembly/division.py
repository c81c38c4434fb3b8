"""Division: a number of tokens among those who claim some of it; no I/O, and nothing of an assembly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from biblicus_context.base.ratios import exactly


class Claim(NamedTuple):
    """What one pack may say about its share."""

    weight: float = 1.0
    priority: int = 0
    cap: int | None = None
    minimum: int = 0
    """The tokens it is guaranteed before others get more."""
    needs: int = 0
    """The tokens of texts in it that never shrink."""
    elastic: bool = True
    """Whether it can use more than it needs."""

    @property
    def floor(self) -> int:
        """What it gets before anything is divided."""
        least = max(self.needs, self.minimum) if self.elastic else self.needs
        return least if self.cap is None else min(least, self.cap)


def shares(total: int | None, claims: Sequence[Claim]) -> list[int | None]:
    """How many tokens each claim gets, in the order of the claims.

    Each gets what it needs first. Of the rest, it gets the integer part of
    rest * weight / sum of weights, at least 1 while anything is left; the remainder goes to the
    highest (priority, weight); what a cap leaves over goes to the others by priority, then weight.
    A claim that would get less than its minimum gets its minimum, and the others divide what is left.
    Without a total a claim gets its cap, or no limit (None).

    >>> shares(100, [Claim(weight=2), Claim(), Claim()])
    [50, 25, 25]
    >>> shares(100, [Claim(cap=10), Claim(priority=1), Claim()])
    [10, 57, 33]
    >>> shares(100, [Claim(needs=40), Claim(needs=20, elastic=False), Claim()])
    [60, 20, 20]
    >>> shares(100, [Claim(minimum=60), Claim(), Claim()])
    [60, 20, 20]
    >>> shares(2, [Claim(), Claim(priority=5), Claim()])
    [1, 1, 0]
    """
    if total is None:
        return [claim.cap for claim in claims]
    if len(claims) == 1:  # most plans have one pack, and the first call waits for this
        return [_alone(total, claims[0])]
    order = serving_order(claims)
    given = [0] * len(claims)
    for index in order:
        claim = claims[index]
        given[index] = min(total, claim.needs if claim.cap is None else min(claim.needs, claim.cap))
        total -= given[index]
    elastic = [index for index in order if claims[index].elastic]
    for index, more in _above_minimums(total, claims, elastic, given).items():
        given[index] += more
    _give_over_caps(claims, elastic, given)
    return [*given]


def _alone(total: int, claim: Claim) -> int:
    """What a claim gets that has no others."""
    most = total if claim.elastic else min(total, claim.needs)
    return most if claim.cap is None else min(most, claim.cap)


def serving_order(claims: Sequence[Claim]) -> list[int]:
    """Indexes of the claims, the first to be served first: by priority, then weight, then place."""
    return sorted(
        range(len(claims)), key=lambda index: (-claims[index].priority, -claims[index].weight)
    )


def _above_minimums(
    total: int, claims: Sequence[Claim], order: list[int], given: list[int]
) -> dict[int, int]:
    """Give each its minimum that weights would not give it; how the others divide what is left."""
    early = {
        index: claims[index].floor - given[index] for index in _short(total, claims, order, given)
    }
    for index, more in early.items():
        given[index] += more
        total -= more
    order = [index for index in order if index not in early]
    while True:
        parts = _by_weight(total, claims, order)
        short = [index for index in order if given[index] + parts[index] < claims[index].floor]
        if not short:
            return parts
        if sum(claims[index].floor - given[index] for index in order) > total:
            short = order  # not all minimums fit: the first to be served get theirs
        served = set(short)
        for index in short:
            more = min(total, max(0, claims[index].floor - given[index]))
            given[index] += more
            total -= more
        order = [index for index in order if index not in served]


def _short(
    total: int, claims: Sequence[Claim], order: Sequence[int], given: Sequence[int]
) -> list[int]:
    """Claims of which it is certain that weights give them less than their minimums.

    Serving one leaves less for each weight of the others, so the claims that ask for the most tokens
    for their weight come first, and one walk over them finds what would take a round for each.
    The first to be served gets the remainder as well, so nothing is certain of it.
    """
    wants = {index: claims[index].floor - given[index] for index in order}
    weights = {index: exactly(claims[index].weight) for index in order}
    # A claim gets a token at least while anything is left.
    sure = [index for index in order[1:] if wants[index] > 1]
    if not sure or sum(wants.values()) > total:
        return []
    whole = sum(weights.values())
    short: list[int] = []
    for index in sorted(sure, key=lambda index: wants[index] / weights[index], reverse=True):
        if total * weights[index] >= wants[index] * whole:
            break
        short.append(index)
        total -= wants[index]
        whole -= weights[index]
    return short


def _by_weight(total: int, claims: Sequence[Claim], order: Sequence[int]) -> dict[int, int]:
    weights = {index: exactly(claims[index].weight) for index in order}
    whole = sum(weights.values())
    parts: dict[int, int] = {}
    left = total
    for index in order:
        parts[index] = min(left, max(1, total * weights[index] // whole))
        left -= parts[index]
    if order:
        parts[order[0]] += left
    return parts


def _give_over_caps(claims: Sequence[Claim], order: Sequence[int], given: list[int]) -> None:
    """Take what is over a cap, and give it to the others."""
    spare = 0
    for index in order:
        cap = claims[index].cap
        if cap is not None and given[index] > cap:
            spare += given[index] - cap
            given[index] = cap
    for index in order:
        cap = claims[index].cap
        more = spare if cap is None else min(spare, cap - given[index])
        given[index] += more
        spare -= more
