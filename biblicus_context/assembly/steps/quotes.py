"""Packs with `place: quoted`: how often texts quote them, before anything is fetched and at the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from biblicus_context.assembly.draft import Draft, Placement, QuotableNames
from biblicus_context.assembly.packs.frames import (
    PROBE,
    Frame,
    check_quotes,
    copies_in,
    frame_of,
    mark,
)
from biblicus_context.assembly.packs.row import FittedPack, copied
from biblicus_context.assembly.reasons import Reason
from biblicus_context.assembly.steps.parts import FirstPart, Names, PackPart, Part, TextPart
from biblicus_context.errors import PlanError
from biblicus_context.spec.directive import FirstSpec, TextDirective
from biblicus_context.text.templates.placeholders import names_in, quote_of
from biblicus_context.text.templates.template import compile_template


def has_quoted(draft: Draft) -> bool:
    """Whether the plan has a pack that is placed only where it is quoted."""
    for part in draft.parts:  # noqa: SIM110 - asked three times in a call, and a generator is slow
        if isinstance(part, PackPart) and part.quoted:
            return True
    return False


def with_copies(draft: Draft) -> Draft:
    """The draft in which every quoted pack knows how often it is placed.

    Texts are rendered as if every pack had something: what a template then quotes is what shares
    are divided for. Of alternatives it is the one that quotes most.
    """
    if not has_quoted(draft):
        return draft
    copies: dict[int, int] = {}
    probes = _Probes(draft)
    for index, part in enumerate(draft.parts):
        alternatives = part.alternatives if isinstance(part, FirstPart) else (part,)
        most: dict[int, int] = {}
        for text in alternatives:
            if isinstance(text, TextPart) and text.render:
                for pack, times in copies_in([probes.frame(index, text)]).items():
                    most[pack] = max(times, most.get(pack, 0))
        for pack, times in most.items():
            copies[pack] = copies.get(pack, 0) + times
    _refuse_never_quoted(draft, copies)
    return draft._replace(
        parts=tuple(
            part._replace(copies=copies.get(index, 0))
            if isinstance(part, PackPart) and part.quoted
            else part
            for index, part in enumerate(draft.parts)
        )
    )


def as_quoted(draft: Draft, placement: Placement) -> Placement:
    """The placement in which every quoted pack counts as often as the texts quote it now.

    Which texts are placed, and what they quote, may depend on which packs came back empty.
    """
    copies = copies_in(draft.frames(placement).values())
    packs = {
        index: copied(fitted, copies.get(index, 0), Reason("not_quoted"))
        if _is_quoted(draft.parts[index]) and any(fitted.parts)
        else fitted
        for index, fitted in placement.packs.items()
    }
    return placement._replace(packs=packs)


def wants_back(fitted: FittedPack) -> bool:
    """Whether blocks were dropped or shortened that a larger share would give back."""
    return any(change.reason is None for change in fitted.changes.values())


def check_frames(draft: Draft, placement: Placement) -> None:
    """Raise where a text that is placed changes a pack that it quotes."""
    texts = {index: fitted.text for index, fitted in placement.packs.items()}
    names = QuotableNames(draft, texts)
    for index, frame in draft.frames(placement).items():
        part = draft.parts[index]
        if isinstance(part, TextPart) and part.render and index not in placement.shortened:
            _check(draft, part, frame, texts, names.up_to(index))


def _is_quoted(part: Part) -> bool:
    return isinstance(part, PackPart) and part.quoted


class _Probes:
    """What texts quote where every pack has something to quote; texts are asked for in order."""

    def __init__(self, draft: Draft) -> None:
        packs = {at: part for at, part in enumerate(draft.parts) if isinstance(part, PackPart)}
        marks = {at: mark(at) if part.quoted else PROBE for at, part in packs.items()}
        self._draft = draft
        self._probes = dict.fromkeys(packs, PROBE)
        self._marked = QuotableNames(draft, marks)
        self._probed = QuotableNames(draft, self._probes)

    def frame(self, index: int, part: TextPart) -> Frame:
        assert part.render is not None
        draft = self._draft
        frame = frame_of(part.render(self._marked.up_to(index)))
        if len(frame) > 1 and part.shrink:
            raise PlanError(
                "a text that quotes a pack with place: quoted cannot shrink: the pack inside it does",
                place=f"context '{draft.context.name}' {part.place}",
                fix="Remove shrink: true from this text.",
            )
        _check(draft, part, frame, self._probes, self._probed.up_to(index))
        return frame


def _check(
    draft: Draft, part: TextPart, frame: Frame, texts: Mapping[int, str], names: Names
) -> None:
    assert part.render is not None
    check_quotes(frame, texts, part.render, names, f"context '{draft.context.name}' {part.place}")


def _refuse_never_quoted(draft: Draft, copies: dict[int, int]) -> None:
    """Refuse a pack that no text can quote; one whose text is not placed in this call is not asked."""
    for index, part in enumerate(draft.parts):
        if not isinstance(part, PackPart) or not part.quoted:
            continue
        if draft.level and copies.get(index, 0) > 1:
            raise PlanError(
                f"pack '{part.name}' with place: quoted is quoted {copies[index]} times",
                place=f"context '{draft.context.name}' {part.place}",
                fix="In a nested context such a pack can be quoted once.",
            )
        if not copies.get(index) and not _may_be_quoted(draft, part):
            raise PlanError(
                f"pack '{part.name}' has place: quoted, but no later text quotes it",
                place=f"context '{draft.context.name}' {part.place}",
                fix=f"Write {quote_of(part.name)} into a text after it, or remove place: quoted.",
            )


def _may_be_quoted(draft: Draft, part: PackPart) -> bool:
    """Whether a later text, placed in this call or not, quotes the pack."""
    number = int(part.place.removeprefix("messages[").removesuffix("]"))
    return any(f"context.{part.name}" in paths for paths in _paths_after(draft, number))


def _paths_after(draft: Draft, number: int) -> Iterator[frozenset[str]]:
    for directive in (draft.context.messages or ())[number + 1 :]:
        for each in directive.first if isinstance(directive, FirstSpec) else (directive,):
            if isinstance(each, TextDirective):
                template = each.template
                yield compile_template(template).names if template else names_in(each.content or "")
