"""Step 4: shrink in the declared order until the exact total fits.

History shrinks first, oldest turn first; then packs, the least important first; then system texts
that may shrink. What is left over in the end goes back to blocks that were dropped. Every figure is
the exact count of the messages as they would be sent.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from biblicus_context.assembly.division import serving_order
from biblicus_context.assembly.draft import Draft, Gathered, Placement
from biblicus_context.assembly.history.selection import SelectedTurns
from biblicus_context.assembly.history.summary import summarised
from biblicus_context.assembly.history.turns import history_part, turns_for
from biblicus_context.assembly.packs.brought_back import brought_back
from biblicus_context.assembly.packs.row import FittedPack, cut_to, drop_blocks, fill
from biblicus_context.assembly.packs.sources import depending, with_sources
from biblicus_context.assembly.registries import Registries
from biblicus_context.assembly.result.binding import cap_of
from biblicus_context.assembly.result.budget_errors import cannot_shrink, overflowing
from biblicus_context.assembly.steps.late_requests import asked_later
from biblicus_context.assembly.steps.layout import MessageLayout, lay_out
from biblicus_context.assembly.steps.parts import PackPart, TextPart
from biblicus_context.assembly.steps.quotes import (
    as_quoted,
    check_frames,
    has_quoted,
    wants_back,
)
from biblicus_context.base.effects import Effectful
from biblicus_context.errors import BudgetError

MOST_PASSES = 6
"""Attempts to meet a figure exactly.

Tokens merge where texts are joined, and a text that quotes a pack shrinks or grows with it: a step
that frees N tokens of a pack may free more or fewer of the whole. So each pass counts the finished
messages again. One pass is not enough, and a loop until it fits might never end.
"""


class MeasuredPlacement(NamedTuple):
    """A placement, and the exact tokens of everything in it but the history."""

    placement: Placement
    layout: MessageLayout
    fixed: int
    framing: int
    """Of the fixed tokens, what the message format adds."""


def fit(draft: Draft, registries: Registries) -> Effectful[Draft]:
    """The draft with a placement that is within the budget, or a `BudgetError`."""
    packs = {index: gathered.fitted for index, gathered in draft.packs.items()}
    weighed = _weigh(draft, Placement(packs))
    if draft.limits.overflow != "compact":
        return _as_asked(draft, weighed)
    _refuse_packs_over_their_share(draft)
    budget = draft.limits.budget
    if draft.packs_fill_the_rest:
        # What the history leaves in the end is theirs as well, whatever their first shares were.
        draft = draft._replace(pack_total=budget)
    if budget is None:
        history = turns_for(draft, None)
        weighed = yield from _top_up(draft, weighed, None)
        draft, weighed = yield from _with_brought_back(draft, weighed, None)
        return _finished(_with_grown_shares(draft, weighed.placement), weighed, history)
    # Turns that the plan keeps are set aside first: packs and texts give way to them, never they.
    pinned, guaranteed = _turns_first(draft)
    left = budget - max(pinned, guaranteed)
    if weighed.fixed > left:
        weighed = yield from _shrink_packs(draft, weighed, left, to_minimum=True)
        weighed = yield from _shrink_packs(draft, weighed, left, to_minimum=False)
        weighed = yield from _shrink_texts(draft, weighed, budget - pinned)
    room = budget - weighed.fixed
    if room < pinned:
        raise cannot_shrink(_finished(draft, weighed, turns_for(draft, 0)))
    history = yield from summarised(draft, registries, room, turns_for)
    room = budget - history.all_tokens
    weighed = yield from _top_up(draft, weighed, room)
    draft, weighed = yield from _with_brought_back(draft, weighed, room)
    if draft.pack_total is not None and not _are_whole(weighed.placement):
        draft, placement = yield from asked_later(
            draft, weighed.placement, room, lambda placement: _weigh(draft, placement).fixed
        )
        if placement is not weighed.placement:
            weighed = _weigh(draft, placement)
    return _finished(_with_grown_shares(draft, weighed.placement), weighed, history)


def _weigh(draft: Draft, placement: Placement) -> MeasuredPlacement:
    """Count the messages as they would be sent, framing included."""
    if has_quoted(draft):
        placement = as_quoted(draft, placement)
    placement = placement._replace(packs=with_sources(placement.packs, draft.limits.counter))
    layout = lay_out(draft, placement)
    contents = layout.fixed()
    added = draft.limits.framing.per_message * len(contents) + draft.limits.framing.per_reply
    return MeasuredPlacement(placement, layout, draft.limits.meter.total(contents), added)


def _finished(draft: Draft, weighed: MeasuredPlacement, history: SelectedTurns) -> Draft:
    placement = weighed.placement._replace(history=history)
    if has_quoted(draft):
        check_frames(draft, placement)
    tokens = weighed.fixed + history.all_tokens
    return draft._replace(
        placement=placement, layout=weighed.layout, tokens=tokens, framing=weighed.framing
    )


def _as_asked(draft: Draft, weighed: MeasuredPlacement) -> Draft:
    """Everything that was asked for: on `none` the excess is reported, on `error` it is refused."""
    if draft.limits.overflow == "none":
        return _finished(draft, weighed, turns_for(draft, None))
    budget = draft.limits.budget
    room = None if budget is None else max(0, budget - weighed.fixed)
    history = turns_for(draft, room)
    whole = _finished(draft, weighed, history)
    for index, fitted in weighed.placement.packs.items():
        share = draft.packs[index].share
        if share is not None and fitted.tokens > share:
            name = draft.parts[index].place
            problem = f"pack {name} has {fitted.tokens} tokens, its share is {share}"
            raise overflowing(whole, problem, budget=share, needed=fitted.tokens)
    if budget is not None and (whole.tokens > budget or history.over_budget):
        more = "more than " if history.over_budget else ""
        problem = (
            f"context '{draft.context.name}' needs {more}{whole.tokens} tokens, "
            f"its budget is {budget}"
        )
        raise overflowing(whole, problem, budget=budget, needed=max(whole.tokens, budget + 1))
    return whole


def _refuse_packs_over_their_share(draft: Draft) -> None:
    """Only what is pinned can be left in them."""
    for index, part in enumerate(draft.parts):
        if not isinstance(part, PackPart):
            continue
        gathered = draft.packs[index]
        if gathered.share is not None and gathered.fitted.tokens > gathered.share:
            what = "is pinned" if part.options.pin else "has pinned parts"
            raise BudgetError(
                f"pack '{part.name}' {what}, but is larger than its share",
                budget=gathered.share,
                needed=gathered.fitted.tokens,
                parts={part.place: gathered.fitted.tokens, "share": gathered.share},
                fix="Give it a larger budget or weight, or do not pin it.",
            )


def _turns_first(draft: Draft) -> tuple[int, int]:
    """The tokens of the turns that the plan never drops, and of the newest to which packs give way."""
    part = history_part(draft)
    if part is None:
        return 0, 0
    spec = part.spec
    pinned = turns_for(draft, 0).tokens if spec.keep_last or spec.pin else 0
    if spec.budget is None or not spec.budget.min_tokens:
        return pinned, 0
    return pinned, turns_for(draft, spec.budget.min_tokens).tokens


def _least_important_first(
    draft: Draft, placement: Placement, *, to_minimum: bool
) -> Iterator[tuple[int, int]]:
    """Packs that may shrink and still hold something, and the tokens that each keeps."""
    packs = [(index, part) for index, part in enumerate(draft.parts) if isinstance(part, PackPart)]
    for at in reversed(serving_order([part.claim for _, part in packs])):
        index, part = packs[at]
        floor = part.claim.floor if to_minimum else 0
        fitted = placement.packs[index]
        if fitted.kept and fitted.tokens > floor and not part.options.pin:
            yield index, floor


def _shrink_packs(
    draft: Draft, weighed: MeasuredPlacement, room: int, *, to_minimum: bool
) -> Effectful[MeasuredPlacement]:
    """Shrink packs until the total fits: first to what each is guaranteed, then below it."""
    for attempt in range(MOST_PASSES):
        over = weighed.fixed - room
        if over <= 0:  # before anything else: asking a pack what it keeps makes its pieces
            return weighed
        shrinking = [*_least_important_first(draft, weighed.placement, to_minimum=to_minimum)]
        if not shrinking:
            return weighed
        packs = dict(weighed.placement.packs)
        for index, floor in shrinking:
            if over <= 0:
                break
            before = packs[index]
            # The last pass must not fail by a token of rounding: here all goes that may.
            last = attempt == MOST_PASSES - 1
            target = max(floor, 0 if last else before.tokens - over)
            if target == 0:
                packs[index] = drop_blocks(before, 0, draft.limits.counter)
            else:
                shortener = draft.limits.shortener(draft.packs[index].query)
                packs[index] = yield from cut_to(before, target, shortener)
            over -= before.tokens - packs[index].tokens
        weighed = _weigh(draft, weighed.placement._replace(packs=packs))
    return weighed


def _shrink_texts(
    draft: Draft, weighed: MeasuredPlacement, room: int
) -> Effectful[MeasuredPlacement]:
    """Shorten system texts that may shrink, lowest priority first, later ones first."""
    shrinkable = sorted(
        (part.priority, -index)
        for index, part in enumerate(draft.parts)
        if isinstance(part, TextPart) and part.shrink
    )
    for _, negative in shrinkable:
        weighed = yield from _shrink_text(draft, weighed, room, -negative)
    return weighed


def _shrink_text(
    draft: Draft, weighed: MeasuredPlacement, room: int, index: int
) -> Effectful[MeasuredPlacement]:
    shortener = draft.limits.shortener(draft.call.question)
    for _ in range(MOST_PASSES):
        over = weighed.fixed - room
        text = draft.texts(weighed.placement)[index]
        if over <= 0 or not text:
            break
        answer = yield from shortener.shorten(text, shortener.counter.count(text) - over)
        shortened = {**weighed.placement.shortened, index: answer.text}
        weighed = _weigh(draft, weighed.placement._replace(shortened=shortened))
    return weighed


def _are_whole(placement: Placement) -> bool:
    """Whether no pack had to drop or shorten a block."""
    for fitted in placement.packs.values():  # noqa: SIM110 - asked twice in a call
        if not fitted.is_whole:
            return False
    return True


def _top_up(
    draft: Draft, weighed: MeasuredPlacement, budget: int | None
) -> Effectful[MeasuredPlacement]:
    """Give what is left to the packs that had to drop blocks, the most important first.

    Packs shrink before it is known how much of its room the history really uses; what it leaves
    would otherwise stay empty while blocks were dropped for it.
    """
    if _are_whole(weighed.placement):
        return weighed
    packs = [(index, part) for index, part in enumerate(draft.parts) if isinstance(part, PackPart)]
    hungry = [
        packs[at][0]
        for at in serving_order([part.claim for _, part in packs])
        if wants_back(weighed.placement.packs[packs[at][0]])
    ]
    room = None if budget is None else budget - weighed.fixed
    left = room
    for _ in range(MOST_PASSES):
        fuller = _weigh(draft, (yield from _filled(draft, weighed.placement, hungry, left)))
        grown = fuller.fixed - weighed.fixed
        fits = room is None or left is None or grown <= room
        if fits and _keep_shares(draft, fuller.placement.packs):
            return fuller
        if left is None or room is None:
            break
        # A text that quotes a pack grows with it. Ask for proportionally less, and for at least one
        # token less each time, so that the passes lead somewhere.
        left = left - 1 if fits else min(left - 1, left * room // grown)
    return weighed


def _with_brought_back(
    draft: Draft, weighed: MeasuredPlacement, room: int | None
) -> Effectful[tuple[Draft, MeasuredPlacement]]:
    """With blocks that were given up or left out for others, which have no place in the end."""
    packs = weighed.placement.packs
    used: int | None = None

    def free(index: int, fitted: FittedPack) -> int:
        nonlocal used
        share = draft.packs[index].share
        if draft.pack_total is not None:
            used = _tokens(packs) if used is None else used
            share = _grown_share(draft, index, used - fitted.tokens)
        limits = [None if share is None else share - fitted.tokens]
        limits.append(None if room is None else room - weighed.fixed)
        return min((limit for limit in limits if limit is not None), default=sys.maxsize)

    back = brought_back(draft, packs, free)
    if not back:
        return draft, weighed
    changed = {at: each._replace(fitted=draft.packs[at].fitted) for at, each in back.items()}
    larger = {**packs, **{at: each.fitted for at, each in back.items()}}
    draft = draft._replace(packs={**draft.packs, **changed})
    # What was only left out says so even where nothing of it can be placed.
    with_dropped = _weigh(draft, weighed.placement._replace(packs=larger))
    fuller = yield from _top_up(draft, with_dropped, room)
    return draft, fuller if room is None or fuller.fixed <= room else with_dropped


def _keep_shares(draft: Draft, packs: Mapping[int, FittedPack]) -> bool:
    """Whether packs whose texts grow with other packs are still within their shares."""
    for index in depending(packs):
        share = draft.packs[index].share
        if share is not None and draft.pack_total is not None:
            share = _grown_share(draft, index, _tokens(packs) - packs[index].tokens)
        if share is not None and packs[index].tokens > share:
            return False
    return True


def _filled(
    draft: Draft, placement: Placement, hungry: list[int], left: int | None
) -> Effectful[Placement]:
    """First each pack to its share, then from one to the next what even that left of the pack budget."""
    packs = dict(placement.packs)
    used = _tokens(packs)
    # Twice: what flows from one pack to the next is what is left once each had its own share.
    for flows in (False, True):
        if flows and draft.pack_total is None:
            break
        for index in hungry:
            before = packs[index]
            share = draft.packs[index].share
            if draft.pack_total is not None:
                most = _grown_share(draft, index, used - before.tokens)
                share = most if flows or share is None else min(share, most)
            rooms = [share, None if left is None else before.tokens + left]
            room = min((limit for limit in rooms if limit is not None), default=before.tokens)
            if room <= before.tokens or not before.changes:
                continue
            shortener = draft.limits.shortener(draft.packs[index].query)
            packs[index] = yield from fill(before, room, shortener)
            used += packs[index].tokens - before.tokens
            if left is not None:
                left -= packs[index].tokens - before.tokens
    return placement._replace(packs=packs)


def _with_grown_shares(draft: Draft, placement: Placement) -> Draft:
    """The draft with the shares of packs to which something flowed while they were topped up."""
    if draft.pack_total is None:
        return draft
    grown: dict[int, Gathered] = {}
    for index, gathered in draft.packs.items():
        tokens = placement.packs[index].tokens
        if gathered.share is not None and tokens > gathered.share:
            grown[index] = gathered._replace(share=tokens)
    return draft._replace(packs={**draft.packs, **grown}) if grown else draft


def _tokens(packs: Mapping[int, FittedPack]) -> int:
    return sum(fitted.tokens for fitted in packs.values())


def _grown_share(draft: Draft, index: int, others: int) -> int:
    """What a pack may have of the pack budget where the others have so much, under its own limits."""
    share = (draft.pack_total or 0) - others
    cap = cap_of(draft, index, draft.packs[index])
    return share if cap is None else min(share, cap)
