"""Alternatives: of a `first` group, the fullest that fits next to everything that cannot shrink."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from biblicus_context.assembly.division import serving_order
from biblicus_context.assembly.draft import Draft, Gathered, Placement, Unplaced
from biblicus_context.assembly.history.selection import HistoryLimits, select
from biblicus_context.assembly.history.turns import turns_for
from biblicus_context.assembly.packs.piece import BETWEEN_PACKS
from biblicus_context.assembly.packs.row import FittedPack, PackRow, drop_blocks, nothing
from biblicus_context.assembly.reasons import PartKind, Reason
from biblicus_context.assembly.steps.flow import spare, wanting
from biblicus_context.assembly.steps.layout import lay_out
from biblicus_context.assembly.steps.parts import FirstPart, HistoryPart, PackPart, Part, TextPart
from biblicus_context.base.effects import Effectful
from biblicus_context.text.counters import count_joined

Alternative = TextPart | PackPart
_WHOLE: Final = "an alternative is placed whole or not at all"
AskForPack = Callable[[Draft, int, PackPart], Effectful[Gathered]]


_NOTHING: Final = nothing(PackRow())


def choose(draft: Draft, index: int, group: FirstPart, ask: AskForPack) -> Effectful[Draft]:
    """The draft with one alternative in the place of the group, and the others noted.

    Where none fits, the last one is placed; of texts alone the smallest.
    """
    last = len(group.alternatives) - 1
    smallest = _smallest_text(draft, group)
    unplaced = draft.unplaced
    tried: dict[int, Draft] = {}
    for number, part in enumerate(group.alternatives):
        gathered: Gathered | None = None
        own = draft
        if isinstance(part, PackPart):
            own = _with_share(draft, index, part)
            share = own.shares[index]
            if number != last and share is not None and part.claim.needs > share:
                reason = Reason("share", share, note=_WHOLE)
                unplaced = (*unplaced, Unplaced(part.place, "context", reason, part))
                continue
            gathered = yield from ask(own, index, part)
        candidate = _placed(own, index, part, gathered)
        tried[number] = candidate
        fits = _is_whole(gathered) and _fits(candidate, index)
        if fits or number == last:
            chosen = number if fits or smallest is None else smallest
            rest = group.alternatives[number + 1 :]
            if (
                chosen != number
            ):  # nothing fits: the last was tried, and the smallest text is placed
                too_large = [_too_large(draft, each, None) for each in group.alternatives]
                unplaced = (*draft.unplaced, *too_large[:chosen], *too_large[chosen + 1 :])
            note = f"{group.place}: alternative {chosen + 1} of {last + 1} is placed"
            placed = tried[chosen]
            if isinstance(group.alternatives[chosen], PackPart):
                placed = _with_tokens_of_text(placed, _instead(draft, index))
            return placed._replace(
                unplaced=(*unplaced, *map(_not_reached, rest)),
                notes=(*placed.notes, note),
            )
        unplaced = (*unplaced, _too_large(draft, part, gathered))
    return _placed(draft, index, TextPart(group.place, "system", ""), None)


def _smallest_text(draft: Draft, group: FirstPart) -> int | None:
    """The number of the smallest alternative, where all are texts; of equals the last."""
    texts = [part.text for part in group.alternatives if isinstance(part, TextPart)]
    if not texts or len(texts) < len(group.alternatives):
        return None
    sizes = draft.limits.counter.count_many(texts)
    return max(at for at, size in enumerate(sizes) if size == min(sizes))


def _with_share(draft: Draft, index: int, part: PackPart) -> Draft:
    """The share is the group's, with what others leave; an alternative may cap it further."""
    given = draft.shares.get(index)
    if given is not None and not _is_outranked(draft, index):
        given = max(given, spare(draft, without=index) + _instead(draft, index))
    limits = (given, part.claim.cap)
    share = min((limit for limit in limits if limit is not None), default=None)
    return draft._replace(shares={**draft.shares, index: share})


def _instead(draft: Draft, index: int) -> int:
    """The tokens of the text that is not placed if a pack of its group is, where packs fill the rest."""
    group = draft.parts[index]
    assert isinstance(group, FirstPart)
    last = group.alternatives[-1]
    if not draft.packs_fill_the_rest or not isinstance(last, TextPart):
        return 0
    return draft.limits.counter.count(last.text)


def _with_tokens_of_text(draft: Draft, tokens: int) -> Draft:
    """With the tokens of a text that is not placed among those that packs may use."""
    if not tokens or draft.pack_total is None:
        return draft
    return draft._replace(pack_total=draft.pack_total + tokens)


def _is_outranked(draft: Draft, index: int) -> bool:
    """Whether a pack that wants more is served before this group."""
    group = draft.parts[index]
    assert isinstance(group, FirstPart)
    if group.claim is None:
        return False
    others = [draft.parts[at] for at in wanting(draft)]
    claims = [part.claim for part in others if isinstance(part, PackPart)]
    return serving_order([group.claim, *claims])[0] != 0


def _placed(draft: Draft, index: int, part: Alternative, gathered: Gathered | None) -> Draft:
    packs = {**draft.packs, index: gathered} if gathered else draft.packs
    return draft._replace(parts=_with_part(draft.parts, index, part), packs=packs)


def _with_part(parts: tuple[Part, ...], index: int, part: Part) -> tuple[Part, ...]:
    return (*parts[:index], part, *parts[index + 1 :])


def _is_whole(gathered: Gathered | None) -> bool:
    if gathered is None:
        return True
    fitted, share = gathered.fitted, gathered.share
    found = fitted.kept and not fitted.row.is_notice
    return bool(found) and fitted.is_whole and (share is None or fitted.tokens <= share)


def _fits(draft: Draft, index: int) -> bool:
    """Whether this alternative fits next to all that stays and the smallest of other groups."""
    budget = draft.limits.whole
    if budget is None or draft.limits.overflow == "none":
        return True
    draft = _with_smallest(draft)
    nothing_gives_way = draft.limits.overflow == "error"
    fixed = _tokens(draft, _whole(draft) if nothing_gives_way else _least(draft, index))
    if not nothing_gives_way:
        return fixed + _kept_turns(draft) <= budget
    history = turns_for(draft, max(0, budget - fixed))
    return not history.over_budget and fixed + history.tokens <= budget


def _with_smallest(draft: Draft) -> Draft:
    """The draft with the least that each group can come to."""
    for at, part in enumerate(draft.parts):
        if isinstance(part, FirstPart):
            draft = draft._replace(parts=_with_part(draft.parts, at, _smallest(draft, part)))
    return draft


def left_for(draft: Draft, index: int) -> int | None:
    """What all that stays leaves to a nested context, in which alternatives are chosen by it."""
    budget = draft.limits.whole
    if budget is None or draft.limits.overflow == "none":
        return None
    packs = [(at, part) for at, part in enumerate(draft.parts) if isinstance(part, PackPart)]
    missing = [at for at, _ in packs if at not in draft.packs]
    draft = _with_smallest(draft)
    known = _least(draft, index)
    placed = known._replace(packs={**dict.fromkeys(missing, _NOTHING), **known.packs})
    fixed = _tokens(draft, placed) + _kept_turns(draft)
    between = draft.limits.counter.count(BETWEEN_PACKS) if fixed else 0
    waiting = [part.claim.needs for at, part in packs if at in missing and at != index]
    return max(0, budget - fixed - between - sum(each + between for each in waiting if each))


def _tokens(draft: Draft, placement: Placement) -> int:
    """The tokens of the messages; of a nested context those of its texts, as one text."""
    contents = lay_out(draft, placement).fixed()
    if not draft.level:
        return draft.limits.meter.total(contents)
    pieces = [piece for content in contents for piece in (*content, BETWEEN_PACKS)]
    (tokens,) = count_joined(draft.limits.counter, [pieces[:-1]])
    return tokens


def _whole(draft: Draft) -> Placement:
    """Everything as it came."""
    return Placement({at: gathered.fitted for at, gathered in draft.packs.items()})


def _least(draft: Draft, index: int) -> Placement:
    """The placement without everything that may shrink."""
    shrinkable = {
        at: "" for at, part in enumerate(draft.parts) if isinstance(part, TextPart) and part.shrink
    }
    return Placement(_pinned_packs(draft, index), shrinkable)


def _smallest(draft: Draft, group: FirstPart) -> TextPart:
    """The least that another group can come to; an alternative that is a pack may be empty."""
    texts = [part for part in group.alternatives if isinstance(part, TextPart)]
    if len(texts) < len(group.alternatives) or not texts:
        return TextPart(group.place, "system", "")
    return min(texts, key=lambda part: draft.limits.counter.count(part.text))


def _pinned_packs(draft: Draft, index: int) -> dict[int, FittedPack]:
    return {
        at: gathered.fitted
        if at == index or _is_pinned(draft.parts[at])
        else drop_blocks(gathered.fitted, 0, draft.limits.counter)
        for at, gathered in draft.packs.items()
    }


def _is_pinned(part: Part) -> bool:
    return isinstance(part, PackPart) and part.options.pin


def _kept_turns(draft: Draft) -> int:
    for part in draft.parts:
        if isinstance(part, HistoryPart):
            keep = len(draft.call.history) if part.spec.pin else part.spec.keep_last
            return select(
                draft.call.history, HistoryLimits(room=0, keep_last=keep), draft.limits.meter
            ).tokens
    return 0


def _too_large(draft: Draft, part: Alternative, gathered: Gathered | None) -> Unplaced:
    reason = _why_not(part, gathered) or _full(draft)
    reason = reason._replace(note=_WHOLE)
    return Unplaced(part.place, _kind(part), reason, part, gathered)


def _full(draft: Draft) -> Reason:
    """What has no place for an alternative that is whole: the total, or the share of a nested context."""
    limits = draft.limits
    if draft.level and limits.budget is not None and limits.whole == limits.budget:
        return Reason("share", limits.budget + limits.around, of=draft.context.name)
    return Reason("input_budget", limits.total)


def _why_not(part: Alternative, gathered: Gathered | None) -> Reason | None:
    """Why this alternative is not whole; None where it is."""
    if not isinstance(part, PackPart) or gathered is None or _is_whole(gathered):
        return None
    if not gathered.fitted.row.tokens or gathered.fitted.row.is_notice:
        return Reason("nothing_found")
    capped = gathered.share == part.claim.cap
    return Reason("cap" if capped else "share", gathered.share)


def _not_reached(part: Alternative) -> Unplaced:
    reason = Reason("alternative", detail="an alternative before it fits")
    return Unplaced(part.place, _kind(part), reason, part)


def _kind(part: Alternative) -> PartKind:
    return part.role if isinstance(part, TextPart) else "context"
