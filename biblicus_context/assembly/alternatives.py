"""Alternatives: of a `first` group, the fullest that fits beside everything that cannot shrink."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from biblicus_context.assembly.draft import Draft, Gathered
from biblicus_context.assembly.history import Wish, select
from biblicus_context.assembly.parts import FirstPart, HistoryPart, PackPart, TextPart
from biblicus_context.effects import Effectful

AskForPack = Callable[[Draft, int, PackPart], Effectful[Gathered]]


def choose(draft: Draft, index: int, group: FirstPart, ask: AskForPack) -> Effectful[Draft]:
    """The draft with one alternative in the place of the group."""
    room = _room(draft, index)
    last = len(group.alternatives) - 1
    for number, part in enumerate(group.alternatives):
        if isinstance(part, TextPart):
            if number == last or room is None or _tokens(draft, part) <= room:
                return _placed(draft, index, part, number, None)
            continue
        gathered = yield from ask(draft, index, part)
        if number == last or _fits_whole(gathered, room):
            return _placed(draft, index, part, number, gathered)
    return _placed(draft, index, TextPart(group.place, "system", ""), 0, None)


def _fits_whole(gathered: Gathered, room: int | None) -> bool:
    fitted = gathered.fitted
    share = gathered.share
    return (
        bool(fitted.kept)
        and fitted.is_whole
        and (share is None or fitted.tokens <= share)
        and (room is None or fitted.tokens <= room)
    )


def _placed(
    draft: Draft, index: int, part: TextPart | PackPart, number: int, gathered: Gathered | None
) -> Draft:
    parts = (*draft.parts[:index], part, *draft.parts[index + 1 :])
    packs = {**draft.packs, index: gathered} if gathered else draft.packs
    note = f"{part.place}: alternative {number + 1} of its group was placed"
    return replace(draft, parts=parts, packs=packs, notes=(*draft.notes, note))


def _room(draft: Draft, index: int) -> int | None:
    """What is left beside pinned texts, kept turns, pinned packs and the smallest other choices."""
    budget = draft.limits.budget
    if budget is None or draft.limits.overflow == "none":
        return None
    pinned = draft.limits.framing.per_reply
    for at, part in enumerate(draft.parts):
        if at == index:
            continue
        if isinstance(part, TextPart):
            pinned += 0 if part.shrink else _tokens(draft, part)
        elif isinstance(part, PackPart):
            pinned += draft.packs[at].fitted.tokens if part.options.pin else 0
        elif isinstance(part, HistoryPart):
            pinned += _kept_turns(draft, part)
        else:
            texts = [other for other in part.alternatives if isinstance(other, TextPart)]
            pinned += min((_tokens(draft, other) for other in texts), default=0)
    return budget - pinned


def _tokens(draft: Draft, part: TextPart) -> int:
    packs = {at: gathered.fitted for at, gathered in draft.packs.items()}
    text = part.text_with(draft.names(packs))
    return draft.limits.counter.count(text) + draft.limits.framing.per_message if text else 0


def _kept_turns(draft: Draft, part: HistoryPart) -> int:
    keep = len(draft.call.history) if part.spec.pin else part.spec.keep_last
    return select(draft.call.history, Wish(room=0, keep_last=keep), draft.limits.meter).tokens
