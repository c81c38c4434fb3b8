"""The text of a pack as it was placed, also where it stands inside a nested context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.packs.row import BETWEEN_PACKS, Piece, in_parts
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.assembly.steps.parts import PackPart


def pack_text(result: ContextAssemblyResult, name: str) -> str:
    """What all places of a pack hold, a blank line between two of them."""
    assert result.draft is not None
    return BETWEEN_PACKS.join(filter(None, _texts(result.draft, name)))


def _texts(draft: Draft, name: str) -> Iterator[str]:
    assert draft.standing is not None
    for index, part in _packs(draft):
        fitted = draft.standing.packs[index]
        if part.name == name:
            yield fitted.text
        nested = draft.packs[index].nested
        if nested is not None:
            kept = [fitted.kept[at] for at in sorted(fitted.kept)]
            yield from _nested_texts(nested, kept, name)


def _nested_texts(draft: Draft, pieces: Sequence[Piece], name: str) -> Iterator[str]:
    for index, part in _packs(draft):
        before = f"{part.place}/"
        own = [
            piece._replace(owner=piece.owner.removeprefix(before))
            for piece in pieces
            if piece.owner.startswith(before)
        ]
        if part.name == name:
            yield "".join(in_parts(own))
        nested = draft.packs[index].nested
        if nested is not None:
            yield from _nested_texts(nested, own, name)


def _packs(draft: Draft) -> Iterator[tuple[int, PackPart]]:
    for index, part in enumerate(draft.parts):
        if isinstance(part, PackPart):
            yield index, part
