"""Step 4: shrink in the declared order until the exact total fits.

History gives way first, oldest turn first; then packs, the least important first; then system texts
that may shrink. What is left over in the end goes back to blocks that had to go. Every figure is
the exact count of the messages as they would be sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from biblicus_context.assembly.account import pinned_parts, write_receipt
from biblicus_context.assembly.claims import serving_order
from biblicus_context.assembly.draft import Draft, Standing
from biblicus_context.assembly.history import Selection, Wish, select
from biblicus_context.assembly.layout import lay_out
from biblicus_context.assembly.parts import HistoryPart, PackPart, TextPart
from biblicus_context.assembly.registries import Registries
from biblicus_context.assembly.row import Fitted, cut_to, fill, nothing
from biblicus_context.assembly.summary import summarised
from biblicus_context.effects import Effectful
from biblicus_context.errors import BudgetError
from biblicus_context.text.compactors import CompactionRequest, shorten_checked

TOTAL_OVER = "the total was over the budget"
MOST_PASSES = 6
"""Attempts to meet a figure exactly, as joined texts count differently from their parts."""


def fit(draft: Draft, registries: Registries) -> Effectful[Draft]:
    """The draft with a standing that is within the budget, or a `BudgetError`."""
    standing = Standing({index: gathered.fitted for index, gathered in draft.packs.items()})
    if draft.limits.overflow != "compact":
        return _as_asked(draft, standing)
    _refuse_cut_pinned_packs(draft, standing)
    budget = draft.limits.budget
    if budget is None:
        standing = replace(standing, history=_select(draft, None))
        standing = yield from _top_up(draft, standing, None)
        return _finished(draft, standing)
    least = _select(draft, 0).tokens
    standing = yield from _shrink_packs(draft, standing, budget - least)
    standing = yield from _shrink_texts(draft, standing, budget - least)
    room = budget - _fixed(draft, standing)
    if room < least:
        raise _cannot_shrink(draft, standing)
    history = yield from summarised(draft, registries, room, _select)
    standing = replace(standing, history=history)
    standing = yield from _top_up(draft, standing, budget - history.all_tokens)
    return _finished(draft, standing)


def _finished(draft: Draft, standing: Standing) -> Draft:
    tokens = _fixed(draft, standing) + standing.history.all_tokens
    return replace(draft, standing=standing, tokens=tokens)


def _as_asked(draft: Draft, standing: Standing) -> Draft:
    """Everything that was asked for; what is over is reported, or refused on `error`."""
    if draft.limits.overflow == "none":
        return _finished(draft, replace(standing, history=_select(draft, None)))
    budget = draft.limits.budget
    room = None if budget is None else max(0, budget - _fixed(draft, standing))
    whole = _finished(draft, replace(standing, history=_select(draft, room)))
    for index, fitted in standing.packs.items():
        share = draft.packs[index].share
        if share is not None and fitted.tokens > share:
            name = draft.parts[index].place
            raise _overflowing(
                whole, f"pack {name} has {fitted.tokens} tokens, its share is {share}"
            )
    left_out = whole.standing is not None and whole.standing.history.over_budget
    if budget is not None and (whole.tokens > budget or left_out):
        more = "more than " if left_out else ""
        raise _overflowing(
            whole,
            f"context '{draft.context.name}' needs {more}{whole.tokens} tokens, its budget is {budget}",
        )
    return whole


def _overflowing(draft: Draft, problem: str) -> BudgetError:
    return BudgetError(
        problem,
        budget=draft.limits.budget,
        needed=draft.tokens,
        receipt=write_receipt(draft),
        fix="Raise the budget, or set overflow: compact.",
    )


def _cannot_shrink(draft: Draft, standing: Standing) -> BudgetError:
    bare = _finished(draft, replace(standing, history=_select(draft, 0)))
    return BudgetError(
        f"context '{draft.context.name}' needs {bare.tokens} tokens that cannot shrink, "
        f"its budget is {draft.limits.budget}",
        budget=draft.limits.budget,
        needed=bare.tokens,
        parts=pinned_parts(bare),
        receipt=write_receipt(bare),
        fix="Raise the budget, shorten these parts, or mark system text with shrink: true.",
    )


def _refuse_cut_pinned_packs(draft: Draft, standing: Standing) -> None:
    for index, part in enumerate(draft.parts):
        if not isinstance(part, PackPart) or not part.options.pin:
            continue
        share = draft.packs[index].share
        tokens = standing.packs[index].tokens
        if share is not None and tokens > share:
            raise BudgetError(
                f"pack '{part.name}' is pinned, but larger than its share",
                budget=share,
                needed=tokens,
                parts={part.place: tokens, "share": share},
                fix="Give it a larger budget or weight, or do not pin it.",
            )


def _fixed(draft: Draft, standing: Standing) -> int:
    """The exact tokens of everything but the history, framing included."""
    return draft.limits.meter.total(lay_out(draft, standing).fixed())


def _select(draft: Draft, room: int | None) -> Selection:
    """The turns that fit into this room, as the plan's history directive wants them."""
    for part in draft.parts:
        if isinstance(part, HistoryPart):
            spec = part.spec
            cap = draft.limits.part_of_budget(spec.budget)
            rooms = [limit for limit in (room, cap) if limit is not None]
            wish = Wish(
                room=min(rooms, default=None),
                keep_last=len(draft.call.history) if spec.pin else spec.keep_last,
                max_turns=spec.max_turns,
                start_on=spec.start_on,
            )
            return select(draft.call.history, wish, draft.limits.meter)
    return Selection()


def _least_important_first(draft: Draft, standing: Standing) -> Iterator[int]:
    """Packs that may shrink and still hold something."""
    packs = [(index, part) for index, part in enumerate(draft.parts) if isinstance(part, PackPart)]
    for at in reversed(serving_order([part.claim for _, part in packs])):
        index, part = packs[at]
        if standing.packs[index].kept and not part.options.pin:
            yield index


def _shrink_packs(draft: Draft, standing: Standing, room: int) -> Effectful[Standing]:
    for attempt in range(MOST_PASSES):
        over = _fixed(draft, standing) - room
        if over <= 0:
            return standing
        packs = dict(standing.packs)
        for index in _least_important_first(draft, standing):
            if over <= 0:
                break
            before = packs[index]
            target = max(0, before.tokens - over)
            # The last attempt wants certainty: whole packs go.
            if target == 0 or attempt == MOST_PASSES - 1:
                packs[index] = nothing(before.row, TOTAL_OVER)
            else:
                packs[index] = yield from _cut(draft, index, before, target)
            over -= before.tokens - packs[index].tokens
        standing = replace(standing, packs=packs)
    return standing


def _cut(draft: Draft, index: int, fitted: Fitted, target: int) -> Effectful[Fitted]:
    return cut_to(
        fitted,
        target,
        compactor=draft.limits.compactor,
        counter=draft.limits.counter,
        query=draft.packs[index].query,
        reason=TOTAL_OVER,
    )


def _shrink_texts(draft: Draft, standing: Standing, room: int) -> Effectful[Standing]:
    """Shorten system texts that may shrink, lowest priority first, later ones first."""
    limits = draft.limits
    texts = draft.texts(standing)
    shrinkable = sorted(
        (part.priority, -index)
        for index, part in enumerate(draft.parts)
        if isinstance(part, TextPart) and part.shrink and texts[index]
    )
    for _, negative in shrinkable:
        index = -negative
        for _ in range(MOST_PASSES):
            over = _fixed(draft, standing) - room
            if over <= 0:
                return standing
            text = draft.texts(standing)[index]
            request = CompactionRequest(
                text, limits.counter.count(text) - over, draft.call.question, limits.counter
            )
            answer = yield from shorten_checked(limits.compactor, request)
            standing = replace(standing, shortened={**standing.shortened, index: answer.text})
            if not answer.text:
                break
    return standing


def _top_up(draft: Draft, standing: Standing, budget: int | None) -> Effectful[Standing]:
    """Give what is left to the packs that had to drop blocks, the most important first."""
    packs = [(index, part) for index, part in enumerate(draft.parts) if isinstance(part, PackPart)]
    hungry = [
        packs[at][0]
        for at in serving_order([part.claim for _, part in packs])
        if standing.packs[packs[at][0]].changes
    ]
    if not hungry:
        return standing
    margin = 0
    for _ in range(MOST_PASSES):
        left = None if budget is None else budget - _fixed(draft, standing) - margin
        fuller = yield from _filled(draft, standing, hungry, left)
        over = 0 if budget is None else _fixed(draft, fuller) - budget
        if over <= 0:
            return fuller
        margin += over
    return standing


def _filled(
    draft: Draft, standing: Standing, hungry: list[int], left: int | None
) -> Effectful[Standing]:
    packs = dict(standing.packs)
    for index in hungry:
        before = packs[index]
        share = draft.packs[index].share
        rooms = [share, None if left is None else before.tokens + left]
        room = min((limit for limit in rooms if limit is not None), default=before.tokens)
        if room <= before.tokens:
            continue
        packs[index] = yield from fill(
            before,
            room,
            compactor=draft.limits.compactor,
            counter=draft.limits.counter,
            query=draft.packs[index].query,
        )
        if left is not None:
            left -= packs[index].tokens - before.tokens
    return replace(standing, packs=packs)
