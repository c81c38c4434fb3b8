"""Pieces: what a pack consists of, and the text that pieces make."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise, zip_longest
from typing import Literal, NamedTuple

from biblicus_context.assembly.reasons import Reason
from biblicus_context.retrieval.packs.block_format import WrittenBlock, unforgeable
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.retrieval.packs.writing.values import ItemPlace

BETWEEN_PACKS = "\n\n"

Importance = tuple[int, float, int, int]
"""(priority, weight, -place in the plan, -rank): the lowest goes first."""


class PackPiece(NamedTuple):
    """One block of evidence, one authored text, or what a format writes around blocks."""

    key: str
    owner: str
    text: str
    """As it is written into the pack."""
    parts: WrittenBlock | None = None
    """The text in parts, where it is more than its body."""
    place: ItemPlace | None = None
    """The place among the others that it is written for, where its format names that."""
    cut_note: str = ""
    """What follows the body where it is shortened."""
    is_cut: bool = False
    """Whether the body is shortened, and followed by the note."""
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

    @property
    def body(self) -> str:
        """The part of the text that may be shortened."""
        return self.parts.body if self.parts else self.text

    @property
    def body_start(self) -> int:
        """Where in the text the body begins."""
        return len(self.parts.opening) + len(self.parts.head) if self.parts else 0

    def written(self, parts: WrittenBlock) -> PackPiece:
        """The piece with the text of a block as a format writes it."""
        if self.guarded:
            parts = parts.unforgeable()
        return self._replace(text="".join(parts), parts=parts)

    def respelt(self, text: str, separator: str) -> PackPiece:
        """The piece with signs replaced: neither its length nor that of its parts changes."""
        if self.parts is None:
            return self._replace(text=text, separator=separator)
        ends = [*accumulate(map(len, self.parts))]
        parts = WrittenBlock(
            *(text[end - len(part) : end] for end, part in zip(ends, self.parts, strict=True))
        )
        return self._replace(text=text, parts=parts, separator=separator)

    def below(self, line: str) -> PackPiece:
        """The piece with a line above it, inside its fence."""
        parts = self.parts or WrittenBlock("", "", self.text)
        return self.written(parts._replace(head=f"{line}\n{parts.head}"))

    def shortened(self, body: str) -> PackPiece:
        """The piece with a shorter body and the note on it."""
        parts = self.parts or WrittenBlock("", "", self.text)
        note = "" if self.is_cut else self.cut_note
        return self.written(parts._replace(body=body, tail=f"{note}{parts.tail}"))._replace(
            is_cut=True
        )


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
    first = PackPiece("before", owner, before, joins_after=True)
    last = PackPiece("after", owner, after, joins_before=True)
    return [
        *([PlacedPiece(None, first)] if before else ()),
        *placed,
        *([PlacedPiece(None, last)] if after else ()),
    ]


def unforgeable_together(placed: Sequence[PlacedPiece]) -> Sequence[PlacedPiece]:
    """Pieces without a fence that spell no tag, not even across their borders."""
    texts = in_parts([each.piece for each in placed])
    joined = "".join(texts)
    safe = unforgeable(joined)
    if safe == joined:
        return placed
    ends = [*accumulate(map(len, texts))]
    slices = [safe[end - len(text) : end] for end, text in zip(ends, texts, strict=True)]
    return [
        each._replace(piece=each.piece.respelt(text, separator))
        for each, text, separator in zip_longest(
            placed, slices[::2], slices[1::2], fillvalue=BETWEEN_PACKS
        )
        if isinstance(each, PlacedPiece)
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
