"""Pieces: what a pack consists of, and the text that pieces make."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from biblicus_context.assembly.reasons import Reason
from biblicus_context.retrieval.packs.block_format import WrittenBlock
from biblicus_context.retrieval.packs.pack import ContextPackBlock

BETWEEN_PACKS = "\n\n"

Importance = tuple[int, float, int, int]
"""(priority, weight, -place in the plan, -rank): the lowest goes first."""


class PackPiece(NamedTuple):
    """One block of evidence, one authored text, or what a format writes around blocks."""

    key: str
    owner: str
    body: str
    head: str = ""
    """Words before the body, such as metadata lines."""
    tail: str = ""
    opening: str = ""
    """Of the fence."""
    closing: str = ""
    cut_note: str = ""
    """What follows the body where it is shortened."""
    is_cut: bool = False
    """Whether the body is shortened, and the note is in the tail."""
    separator: str = BETWEEN_PACKS
    importance: Importance = (0, 1.0, 0, 0)
    block: ContextPackBlock | None = None
    page: int = 1
    guarded: bool = False
    """Whether it may spell no tag: it, or another block of the assembly, is in a fence."""
    elastic: bool = False
    """Whether it may be dropped or shortened."""
    may_shorten: bool = True
    """Whether its body can be cut: not where a format changes the text of the block."""
    joins_before: bool = False
    """Whether nothing separates it from the piece before: words around a pack that they quote."""
    joins_after: bool = False

    def written(self, parts: WrittenBlock) -> PackPiece:
        """The piece with the text of a block as a format writes it."""
        opening, head, body, tail, closing = parts
        return self._replace(opening=opening, head=head, body=body, tail=tail, closing=closing)

    def shortened(self, body: str) -> PackPiece:
        """The piece with a shorter body and the note on it; it can open and close no fence either."""
        tail = self.tail if self.is_cut else f"{self.cut_note}{self.tail}"
        parts = WrittenBlock(self.opening, self.head, body, tail, self.closing)
        return self.written(parts.unforgeable() if self.guarded else parts)._replace(is_cut=True)

    @property
    def text(self) -> str:
        """The piece as it is written into the pack."""
        if self.head or self.tail or self.opening:
            return f"{self.opening}{self.head}{self.body}{self.tail}{self.closing}"
        return self.body


class PlacedPiece(NamedTuple):
    """A piece in the order of the text, and its number in the row; None for what a format adds."""

    number: int | None
    piece: PackPiece


class PieceChange(NamedTuple):
    """What happened to a piece that is not placed as it came, and the tokens it has now."""

    action: Literal["shortened", "dropped"]
    tokens: int = 0
    note: str = ""
    reason: Reason | None = None
    """A fact that is not a limit; None: which limit bound, the figures say in the end."""


def surrounded(
    placed: Sequence[PlacedPiece], before: str, after: str, owner: str
) -> Sequence[PlacedPiece]:
    """The pieces between two texts of a format, where these are not empty."""
    first = PackPiece(key="before", owner=owner, body=before, joins_after=True)
    last = PackPiece(key="after", owner=owner, body=after, joins_before=True)
    return [
        *([PlacedPiece(None, first)] if before else ()),
        *placed,
        *([PlacedPiece(None, last)] if after else ()),
    ]


def in_parts(pieces: Sequence[PackPiece]) -> list[str]:
    """The texts of pieces in this order; a blank line separates pieces of different owners."""
    parts: list[str] = []
    for piece, following in pairwise(pieces):
        parts += (piece.text, _between(piece, following))
    return [*parts, *(piece.text for piece in pieces[-1:])]


def _between(piece: PackPiece, following: PackPiece) -> str:
    if piece.joins_after or following.joins_before:
        return ""
    return piece.separator if following.owner == piece.owner else BETWEEN_PACKS
