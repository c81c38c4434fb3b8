"""What the texts and the history of a plan leave of its budget: its packs fill that without a pack budget."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from biblicus_context.assembly.draft import Draft, Placement
from biblicus_context.assembly.history.turns import history_part, turns_for
from biblicus_context.assembly.packs.row import FittedPack, PackRow, nothing
from biblicus_context.assembly.steps.layout import lay_out
from biblicus_context.assembly.steps.parts import FirstPart, PackPart, Part, TextPart

_ANY: Final = "x"
"""In the place of a pack, so that what is written around any pack is counted."""
_EMPTY: Final = nothing(PackRow())


def left_for_packs(draft: Draft, claiming: Collection[int]) -> int:
    """The tokens that no text takes, and of those that the history wants, those that are its own.

    `claiming` are the numbers of the parts that get a share.
    """
    assert draft.limits.budget is not None
    left = draft.limits.budget - _tokens_of_texts(draft, claiming)
    return max(0, left - _tokens_of_history(draft, max(0, left)))


def _tokens_of_history(draft: Draft, left: int) -> int:
    """What the history wants, up to its own budget, or else up to half of what the texts leave.

    A long conversation without limits would take everything, and leave no evidence to answer from.
    Turns that the plan keeps are always there.
    """
    part = history_part(draft)
    if part is None or not draft.call.history:
        return 0
    own = part.spec.budget
    is_limited = own is not None and (own.max_tokens is not None or own.ratio is not None)
    wanted = turns_for(draft, left if is_limited else left // 2).tokens
    if own is None or not own.min_tokens:
        return wanted
    return max(wanted, turns_for(draft, own.min_tokens).tokens)


def _tokens_of_texts(draft: Draft, claiming: Collection[int]) -> int:
    """The messages of the plan with next to nothing in the place of each pack."""
    counter = draft.limits.counter
    any_pack = FittedPack(PackRow(), {}, (_ANY,), counter.count(_ANY), {})
    parts: list[Part] = []
    packs: dict[int, FittedPack] = {}
    groups: list[int] = []
    for index, each in enumerate(draft.parts):
        part: Part = each
        if isinstance(each, FirstPart) and index in claiming:
            part = each.alternatives[-1]  # it is placed where no other fits
        elif isinstance(each, FirstPart):
            groups.append(index)
            part = TextPart(each.place, "system", "")
        if isinstance(part, PackPart):
            packs[index] = any_pack if index in claiming and not part.quoted else _EMPTY
        elif isinstance(part, TextPart):
            part = _without_packs(draft, index, part)
        parts.append(part)
    written = draft._replace(parts=tuple(parts))
    placement = Placement(packs)
    stubs = sum(fitted.tokens for fitted in packs.values())
    if groups:
        written = _with_alternatives(draft, written, placement, groups)
    return _total(written, placement) - stubs


def _with_alternatives(
    draft: Draft, written: Draft, placement: Placement, groups: Collection[int]
) -> Draft:
    """With the fullest alternative of each group that fits: packs give way to authored texts."""
    assert draft.limits.budget is not None
    kept = turns_for(draft, 0).tokens
    for index in groups:
        group = draft.parts[index]
        assert isinstance(group, FirstPart)
        for part in group.alternatives:
            if not isinstance(part, TextPart):
                continue
            parts = (
                *written.parts[:index],
                _without_packs(draft, index, part),
                *written.parts[index + 1 :],
            )
            candidate = written._replace(parts=parts)
            if part is group.alternatives[-1] or (
                _total(candidate, placement) + kept <= draft.limits.budget
            ):
                written = candidate
                break
    return written


def _without_packs(draft: Draft, index: int, part: TextPart) -> TextPart:
    """A text as it is where every pack that it quotes is empty."""
    if part.render is None:
        return part
    here = draft._replace(parts=(*draft.parts[:index], part, *draft.parts[index + 1 :]))
    return part._replace(text=here.text_without_packs(index) or "", render=None)


def _total(draft: Draft, placement: Placement) -> int:
    return draft.limits.meter.total(lay_out(draft, placement).fixed())
