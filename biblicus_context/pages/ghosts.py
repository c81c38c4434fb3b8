"""Ghosts: the texts of a result that are not sent, or only in part, with what was taken off."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
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


def ghosts(draft: Draft) -> Ghosts:
    """The texts of blocks that were dropped or shortened."""
    assert draft.placement is not None
    found: dict[tuple[str, str], deque[Html]] = {}
    for key, ghost in _of_context(draft, draft.placement.packs, ""):
        found.setdefault(key, deque()).append(ghost)
    return found


def _of_context(
    draft: Draft, packs: Mapping[int, FittedPack], outer: str
) -> Iterator[tuple[tuple[str, str], Html]]:
    for index, part in enumerate(draft.parts):
        if not isinstance(part, PackPart) or index not in packs:
            continue
        fitted, inner, name = packs[index], draft.packs[index].nested, f"{outer}{part.name}"
        if inner is not None:
            within = {at: gathered.fitted for at, gathered in inner.packs.items()}
            yield from _of_context(inner, within, f"{name} / ")
            continue
        for at in sorted(fitted.changes):
            original = fitted.row.pieces[at]
            yield (name, _name(original)), _ghost(original, fitted.kept.get(at))


def _name(piece: PackPiece) -> str:
    return piece.block.evidence_item_id if piece.block else piece.key


def _ghost(original: PackPiece, placed: PackPiece | None) -> Html:
    if placed is None:
        return tag("del", original.body)
    return struck(original.body, placed.body)


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
