"""Which turns of the conversation stay, as the plan's history directive wants them."""

from __future__ import annotations

from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.history import NO_HISTORY, Selection, Wish, select
from biblicus_context.assembly.parts import HistoryPart


def history_part(draft: Draft) -> HistoryPart | None:
    """The part that places the history, where the plan has one."""
    return next((part for part in draft.parts if isinstance(part, HistoryPart)), None)


def turns_for(draft: Draft, room: int | None) -> Selection:
    """The turns that fit into this room."""
    part = history_part(draft)
    if part is None:
        return NO_HISTORY
    spec = part.spec
    cap = draft.limits.part_of_budget(spec.budget)
    wish = Wish(
        room=min((limit for limit in (room, cap) if limit is not None), default=None),
        keep_last=len(draft.call.history) if spec.pin else spec.keep_last,
        max_turns=spec.max_turns,
        start_on=spec.start_on,
    )
    return select(draft.call.history, wish, draft.limits.meter)
