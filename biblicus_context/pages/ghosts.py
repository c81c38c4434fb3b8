"""Ghosts: the texts of a result that are not sent, or only in part, with what was taken off."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, TypeAlias

from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.packs.piece import PackPiece
from biblicus_context.assembly.packs.row import FittedPack
from biblicus_context.assembly.steps.parts import PackPart
from biblicus_context.pages.markup import Html, fragment, tag

Ghosts: TypeAlias = Mapping[tuple[str, str], deque[Html]]
"""What became of texts, by the part and the block that a receipt names; equal names in order."""

_WORDS: Final = re.compile(r"\s*\S+|\s+")
_MOST_WORDS: Final = 3000
"""Of a text that is compared word by word; a longer one is shown whole, and what is sent above."""


@dataclass(frozen=True, slots=True)
class ChangedText:
    """A block that was offered and is not placed as it came."""

    part: str
    """As the receipt names it."""
    block: str
    before: str
    after: str | None
    """None if nothing of it is placed."""


def ghosts(draft: Draft) -> Ghosts:
    """The texts of blocks that were dropped or shortened."""
    found: dict[tuple[str, str], deque[Html]] = {}
    for each in changed_texts(draft):
        ghost = tag("del", each.before) if each.after is None else struck(each.before, each.after)
        found.setdefault((each.part, each.block), deque()).append(ghost)
    return found


def changed_texts(draft: Draft) -> list[ChangedText]:
    """The same as texts, in the order of the plan."""
    assert draft.placement is not None
    return [*_of_context(draft, draft.placement.packs, "")]


def _of_context(draft: Draft, packs: Mapping[int, FittedPack], outer: str) -> Iterator[ChangedText]:
    for index, part in enumerate(draft.parts):
        if not isinstance(part, PackPart) or index not in packs:
            continue
        fitted, inner, name = packs[index], draft.packs[index].nested, f"{outer}{part.name}"
        if inner is not None:
            within = {at: gathered.fitted for at, gathered in inner.packs.items()}
            yield from _of_context(inner, within, f"{name} / ")
            continue
        for at in sorted(fitted.changes):
            original, placed = fitted.row.pieces[at], fitted.kept.get(at)
            after = None if placed is None else placed.body
            yield ChangedText(name, _name(original), original.body, after)


def _name(piece: PackPiece) -> str:
    return piece.block.evidence_item_id if piece.block else piece.key


def struck(before: str, after: str) -> Html:
    """A text with what was taken off it struck through, and what was put in marked.

    >>> struck("One. Two. Three.", "One. Three.")
    'One.<del> Two.</del> Three.'
    """
    one, other = _WORDS.findall(before), _WORDS.findall(after)
    if max(len(one), len(other)) > _MOST_WORDS:
        return fragment(before)
    pieces: list[Html] = []
    for kind, start, end, from_, to in SequenceMatcher(
        None, one, other, autojunk=False
    ).get_opcodes():
        gone, come = "".join(one[start:end]), "".join(other[from_:to])
        if kind == "equal":
            pieces.append(fragment(gone))
            continue
        pieces += [tag("del", gone)] if gone else []
        pieces += [tag("ins", come)] if come else []
    return fragment(*pieces)
