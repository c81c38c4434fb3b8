"""A nested context as a pack: its own draft, flattened into the pieces of its packs and texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from biblicus_context.assembly.draft import Draft, Placement
from biblicus_context.assembly.packs.frames import Frame
from biblicus_context.assembly.packs.piece import PackPiece
from biblicus_context.assembly.packs.row import PackRow
from biblicus_context.assembly.steps.parts import PackPart, TextPart

_AUTHORED_LAST = 1_000_000_000
"""Above every priority an author may give a pack, so that evidence goes first."""


class InnerRow(NamedTuple):
    """Pieces that follow each other, from one pack or one text of a nested context."""

    pieces: Sequence[PackPiece]
    place: str
    numbers: Sequence[int] = ()
    """Of a pack: the numbers of the pieces in its own row."""
    row: PackRow | None = None


def inner_rows(draft: Draft) -> list[InnerRow]:
    """Everything a nested context would place, in order, as pieces of its outer pack."""
    frames = draft.placed_frames(
        Placement({index: gathered.fitted for index, gathered in draft.packs.items()})
    )
    rows: list[InnerRow] = []
    for index, part in enumerate(draft.parts):
        if isinstance(part, TextPart):
            rows.extend(_of_text(draft, index, part, frames[index]))
        elif isinstance(part, PackPart) and not part.quoted:
            rows.append(_of_pack(draft, index, part))
    return [row for row in rows if row.pieces]


def _of_text(draft: Draft, index: int, part: TextPart, frame: Frame) -> Iterator[InnerRow]:
    """An authored text; a pack that it quotes is between its words, joined to them by nothing."""
    # A text that repeats evidence is as long as the evidence, so it gives way like evidence.
    repeats = len(frame) == 1 and frame[0] != draft.text_without_packs(index)
    elastic = part.shrink or (part.render is not None and repeats)
    for at, piece in enumerate(frame):
        if isinstance(piece, int):
            pack = draft.parts[piece]
            assert isinstance(pack, PackPart)
            yield _of_pack(draft, piece, pack)
        elif piece or len(frame) > 1:
            words = PackPiece(
                key=f"{part.place}#{at}" if at else part.place,
                owner=part.place,
                text=piece,
                elastic=elastic,
                importance=(_AUTHORED_LAST + part.priority, 1.0, -index, 0),
                joins_before=at > 0,
                joins_after=at < len(frame) - 1,
            )
            yield InnerRow((words,), part.place)


def _of_pack(draft: Draft, index: int, part: PackPart) -> InnerRow:
    fitted = draft.packs[index].fitted
    numbers = sorted(fitted.kept)
    kept = [fitted.kept[at] for at in numbers]
    by_importance = sorted(range(len(kept)), key=lambda at: kept[at].importance, reverse=True)
    rank = {at: place for place, at in enumerate(by_importance)}
    claim = part.claim
    pieces = [
        piece._replace(
            key=f"{part.place}/{piece.key}",
            owner=f"{part.place}/{piece.owner}",
            elastic=piece.elastic and not part.options.pin,
            importance=_within(piece, (claim.priority, claim.weight, -index, -rank[at])),
        )
        for at, piece in enumerate(kept)
    ]
    return InnerRow(pieces, part.place, numbers, fitted.row)


def _within(
    piece: PackPiece, importance: tuple[int, float, int, int]
) -> tuple[int, float, int, int]:
    """A text that may shrink is more important than all evidence, at every level."""
    return piece.importance if piece.importance[0] >= _AUTHORED_LAST else importance
