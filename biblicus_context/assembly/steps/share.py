"""Step 2: the pack budget is divided among the packs; no I/O, no counting of what packs hold.

Texts that an author wrote into a nested context are taken first, whole: they are pinned. Without a
pack budget, the packs divide what texts and history leave of the input budget.
"""

from __future__ import annotations

from collections.abc import Mapping

from biblicus_context.assembly.division import Claim, shares
from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.limits import nested_limits
from biblicus_context.assembly.packs.piece import BETWEEN_PACKS
from biblicus_context.assembly.registries import Registries
from biblicus_context.assembly.result.budget_errors import texts_too_large
from biblicus_context.assembly.steps.authored import pinned_text, texts_in, texts_of
from biblicus_context.assembly.steps.parts import (
    FirstPart,
    NestedSource,
    PackPart,
    Part,
    TextPart,
)
from biblicus_context.assembly.steps.remainder import left_for_packs
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
    """The pack budget; without one what texts and history leave, or in a nested context its own texts.

    Without `overflow: compact` nothing gives way, so that nothing may be filled to the last token.
    """
    limits = draft.limits
    if not claims or limits.pack_total is not None or limits.budget is None:
        return limits.pack_total
    if not draft.level:
        if limits.overflow != "compact":
            return None
        needed = sum(claim.floor for claim in claims.values())
        return min(limits.budget, max(left_for_packs(draft, claims), needed))
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
        own = _own_budget(draft, registries, part)
        if own is not None and needs > own:
            what = f"context '{name}' {part.place}, with the title and footer of its format,"
            raise texts_too_large(draft, what, needs, "its input_budget", own, {index: needs})
    together = sum(sizes.values())
    most, limit = limits.pack_total, "the pack budget"
    if most is None and not draft.level:
        most, limit = limits.budget, "the input budget"
    if most is not None and together > most:
        what = f"the text of the packs of context '{name}'"
        raise texts_too_large(draft, what, together, limit, most, sizes)
    if not draft.level or limits.budget is None:  # `fit` knows the whole of the outermost one
        return
    whole = texts_in(draft, registries).tokens(limits.counter)
    if whole > limits.budget:
        texts = {index: pinned_text(draft, index) for index in range(len(draft.parts))}
        sizes |= {index: limits.counter.count(text) for index, text in texts.items() if text}
        what = f"the text of context '{name}'"
        raise texts_too_large(draft, what, whole, "its budget", limits.budget, sizes)


def _own_budget(draft: Draft, registries: Registries, part: Part) -> int | None:
    """What a nested context allows itself, where a format writes something around its texts.

    Where none does, the nested context is refused by its own share step, which knows all its texts.
    """
    if not isinstance(part, PackPart) or part.form is None:
        return None
    if not isinstance(part.source, NestedSource):
        return None
    policy = registries.policy(part.source.context)
    budget = nested_limits(policy, draft.limits, None, registries.yardsticks).budget
    return None if budget is None else budget * part.copies
