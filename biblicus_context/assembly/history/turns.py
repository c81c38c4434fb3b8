"""Which turns of the conversation stay, by the plan's history directive."""

from __future__ import annotations

from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.history.low_mark import (
    DEFAULT_LOW_MARK,
    LowMarkRule,
    from_grid,
    from_previous_start,
    step_size,
)
from biblicus_context.assembly.history.selection import (
    NO_HISTORY,
    HistoryLimits,
    SelectedTurns,
    select,
)
from biblicus_context.assembly.reasons import Reason
from biblicus_context.assembly.steps.parts import HistoryPart


def history_part(draft: Draft) -> HistoryPart | None:
    """The part that places the history, where the plan has one."""
    for part in draft.parts:
        if isinstance(part, HistoryPart):
            return part
    return None


def turns_for(draft: Draft, room: int | None) -> SelectedTurns:
    """The turns that fit into this room."""
    part = history_part(draft)
    if part is None:
        return NO_HISTORY
    spec = part.spec
    cap = draft.limits.part_of_budget(spec.budget)
    # The receipt names the limit that binds: of a cap and a room that are equal, the cap.
    capped = cap is not None and (room is None or cap <= room)
    wish = HistoryLimits(
        room=cap if capped else room,
        full=Reason("cap", cap) if capped else Reason("input_budget", draft.limits.budget),
        keep_last=len(draft.call.history) if spec.pin else spec.keep_last,
        max_turns=spec.max_turns,
        start_on=spec.start_on,
    )
    selection = select(draft.call.history, wish, draft.limits.meter)
    if spec.low_mark is None and draft.call.previous is None:
        return selection
    limits = (draft.limits.budget, cap)
    whole = min((limit for limit in limits if limit is not None), default=None)
    # Nothing may go, or nothing has to: there is no place that has to stay the same between calls.
    if spec.pin or whole is None or wish.room is None or not selection.kept:
        return selection
    return _with_low_mark(draft, spec.low_mark, whole, wish, selection)


def _with_low_mark(
    draft: Draft, low_mark: float | None, whole: int, wish: HistoryLimits, most: SelectedTurns
) -> SelectedTurns:
    """Fewer turns, where that keeps the prefix of the next calls the same."""
    assert wish.room is not None
    mark = DEFAULT_LOW_MARK if low_mark is None else low_mark
    step = step_size(whole, mark, wish.room)
    if not step or draft.limits.overflow == "error" or (most.reason and not most.over_budget):
        return most
    rule = LowMarkRule(wish.room, whole, step, wish.keep_last, wish.start_on)
    call = draft.call
    start = call.previous.start_in(call.history) if call.previous else None
    if start is not None:
        as_before = from_previous_start(call.history, most, rule, start)
        if as_before is not None:
            return as_before
    return from_grid(call.history, most, rule, draft.limits.meter)
