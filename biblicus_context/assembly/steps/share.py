"""Step 2: the pack budget is divided among the packs; no I/O, no counting of what packs hold.

Texts that an author wrote into a nested context are taken first, whole: they are pinned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.packs.piece import BETWEEN_PACKS
from biblicus_context.assembly.registries import Registries
from biblicus_context.assembly.result.budget_errors import texts_too_large
from biblicus_context.assembly.steps.authored import pinned_text, texts_in, texts_of
from biblicus_context.assembly.steps.parts import (
    Claim,
    FirstPart,
    NestedSource,
    PackPart,
    TextPart,
)
from biblicus_context.base.ratios import exactly
from biblicus_context.text.counters import count_followed


def share(draft: Draft, registries: Registries) -> Draft:
    """The draft with a share for every pack, and for every group of alternatives that has one."""
    parts = list(draft.parts)
    claims: dict[int, Claim] = {}
    for index, part in enumerate(parts):
        if not isinstance(part, PackPart | FirstPart):
            continue
        parts[index] = claiming = _claiming(draft, registries, part)
        is_placed = isinstance(claiming, FirstPart) or claiming.copies
        if is_placed and claiming.claim is not None:
            claims[index] = claiming.claim
    total = _total(draft, claims)
    if draft.limits.overflow != "none":
        _refuse_texts_over_limits(draft, registries, claims)
    given = shares(total, list(claims.values()))
    return draft._replace(
        parts=tuple(parts), pack_total=total, shares=dict(zip(claims, given, strict=True))
    )


def _claiming(
    draft: Draft, registries: Registries, part: PackPart | FirstPart
) -> PackPart | FirstPart:
    """The part with its claim."""
    if isinstance(part, PackPart):
        return part._replace(claim=_claim(draft, registries, part))
    each = tuple(
        alternative._replace(claim=_claim(draft, registries, alternative))
        if isinstance(alternative, PackPart)
        else alternative
        for alternative in part.alternatives
    )
    claims = [pack.claim for pack in each if isinstance(pack, PackPart)]
    # The last alternative is placed where no other fits, so there must be room for it.
    needs = each[-1].claim.needs if each and isinstance(each[-1], PackPart) else 0
    claim = claims[0]._replace(needs=needs, elastic=True) if claims else None
    return part._replace(alternatives=each, claim=claim)


def _claim(draft: Draft, registries: Registries, part: PackPart) -> Claim:
    options = part.options
    claim = Claim(
        weight=1.0 if options.weight is None else options.weight,
        priority=options.priority or 0,
        cap=draft.limits.part_of_budget(options.budget),
        minimum=(options.budget and options.budget.min_tokens) or 0,
    )
    if not isinstance(part.source, NestedSource):
        return claim
    texts = texts_of(draft, registries, part, part.source)
    needs = texts.tokens(draft.limits.counter) * part.copies
    return claim._replace(needs=needs, elastic=not texts.is_all)


def _total(draft: Draft, claims: Mapping[int, Claim]) -> int | None:
    """The pack budget; in a nested context without one, what its own texts leave of its share."""
    limits = draft.limits
    if not draft.level or limits.pack_total is not None or limits.budget is None:
        return limits.pack_total
    texts = [part.text for part in draft.parts if isinstance(part, TextPart)]
    left = limits.budget - sum(count_followed(limits.counter, texts, BETWEEN_PACKS))
    # Texts that are counted one by one may seem larger than they are together.
    return max(left, sum(claim.needs for claim in claims.values()))


def _refuse_texts_over_limits(
    draft: Draft, registries: Registries, claims: Mapping[int, Claim]
) -> None:
    """Raise where texts that never shrink are larger than what the author allows them."""
    limits, name = draft.limits, draft.context.name
    sizes = {index: claim.needs for index, claim in claims.items() if claim.needs}
    for index, needs in sizes.items():
        part, cap = draft.parts[index], claims[index].cap
        if cap is not None and needs > cap:
            what = f"context '{name}' {part.place}"
            raise texts_too_large(draft, what, needs, "its budget", cap, {index: needs})
    together = sum(sizes.values())
    if limits.pack_total is not None and together > limits.pack_total:
        what = f"the text of the packs of context '{name}'"
        raise texts_too_large(draft, what, together, "the pack budget", limits.pack_total, sizes)
    if not draft.level or limits.budget is None:  # `fit` knows the whole of the outermost one
        return
    whole = texts_in(draft, registries).tokens(limits.counter)
    if whole > limits.budget:
        texts = {index: pinned_text(draft, index) for index in range(len(draft.parts))}
        sizes |= {index: limits.counter.count(text) for index, text in texts.items() if text}
        what = f"the text of context '{name}'"
        raise texts_too_large(draft, what, whole, "its budget", limits.budget, sizes)


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
