"""A pack as a flat row of pieces, and how a row is fitted to a number of tokens.

A retriever's blocks and a nested context's texts become the same thing here, so fitting is the same
for both, however deep contexts nest. Only evidence, and text that may shrink, gives way: the least
important piece first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from biblicus_context.assembly.reasons import Reason
from biblicus_context.assembly.shortener import Shortener
from biblicus_context.base.effects import Effectful
from biblicus_context.base.lazy import lazy
from biblicus_context.retrieval.packs.block_format import unforgeable
from biblicus_context.retrieval.packs.pack import ContextPackBlock
from biblicus_context.text.counters import Counter, count_followed, count_joined

BETWEEN_PACKS = "\n\n"
SMALLEST_REMNANT = 12
"""Tokens below which a remnant of a block says too little to be placed."""

JOIN_SLACK = 4
"""Tokens by which a joined text may count less than its pieces measured one by one.

A block that looks up to this much too large is joined and counted before it is given up: without
the slack, blocks that fit exactly were dropped.
"""

Importance = tuple[int, float, int, int]
"""(priority, weight, -place in the plan, -rank): the lowest goes first."""


class PackPiece(NamedTuple):
    """One block of evidence or one authored text, ready to be placed."""

    key: str
    owner: str
    body: str
    head: str = ""
    tail: str = ""
    separator: str = BETWEEN_PACKS
    importance: Importance = (0, 1.0, 0, 0)
    block: ContextPackBlock | None = None
    page: int = 1
    guarded: bool = False
    """Whether it may spell no tag: it, or another block of the assembly, is in a fence."""
    elastic: bool = False
    """Whether it may be dropped or shortened."""
    joins_before: bool = False
    """Whether nothing separates it from the piece before: words around a pack that they quote."""
    joins_after: bool = False

    def with_body(self, body: str) -> PackPiece:
        """The piece with another body, which can open and close no fence either."""
        return self._replace(body=unforgeable(body) if self.guarded else body)

    @property
    def text(self) -> str:
        """The piece as it is written into the pack."""
        return f"{self.head}{self.body}{self.tail}" if self.head or self.tail else self.body


class PieceChange(NamedTuple):
    """What happened to a piece that is not placed as it came, and the tokens it has now."""

    action: Literal["shortened", "dropped"]
    tokens: int = 0
    note: str = ""
    reason: Reason | None = None
    """A fact that is not a limit; None: which limit bound, the figures say in the end."""


_DROPPED: Final = PieceChange("dropped")

Arrangement = Callable[[Sequence[PackPiece]], Sequence[PackPiece]]


@dataclass(frozen=True)
class PackRow:
    """The tokens of each piece that a pack has to offer, and the pieces, made when they are needed."""

    tokens: tuple[int, ...] = ()
    """Of all copies together, as everything that is counted here."""
    make: Callable[[], Sequence[PackPiece]] = tuple
    whole: Sequence[str] | None = None
    """The text of all pieces in parts, where it is known without them."""
    arrange: Arrangement | None = None
    copies: int = 1
    """How often the pack is placed."""

    @lazy
    def pieces(self) -> Mapping[int, PackPiece]:
        """All pieces by number."""
        return dict(enumerate(self.make()))

    def parts(self, pieces: Mapping[int, PackPiece]) -> list[str]:
        """Pieces of this row, arranged, and between them what separates them."""
        kept = [pieces[index] for index in sorted(pieces)]
        return in_parts(self.arrange(kept) if self.arrange else kept)


class FittedPack(NamedTuple):
    """A row after fitting: the pieces kept, the text they make, and what changed."""

    row: PackRow
    chosen: Mapping[int, PackPiece] | None
    """None: every piece."""
    parts: Sequence[str]
    """The text in parts: a piece, what separates it from the next one, and so on."""
    tokens: int
    changes: Mapping[int, PieceChange]

    @property
    def kept(self) -> Mapping[int, PackPiece]:
        """The pieces that are placed, by number."""
        return self.row.pieces if self.chosen is None else self.chosen

    @property
    def text(self) -> str:
        """The text as it is placed."""
        return "".join(self.parts)

    def placed(self) -> list[tuple[int, PackPiece]]:
        """The pieces that are placed, each with its number, in the order of the text."""
        numbers = sorted(self.kept)
        if self.row.arrange is None:
            return [(number, self.kept[number]) for number in numbers]
        # Arranging may return changed copies: a piece is known by its key, not by itself.
        number_of = {self.kept[number].key: number for number in numbers}
        arranged = self.row.arrange([self.kept[number] for number in numbers])
        return [(number_of[piece.key], piece) for piece in arranged]

    @property
    def is_whole(self) -> bool:
        """Whether every piece is placed as it came."""
        return not self.changes

    @property
    def keeps_a_whole_block(self) -> bool:
        """Whether something is placed just as it came."""
        return any(index not in self.changes for index in self.kept)


def row_of(
    pieces: Sequence[PackPiece],
    counter: Counter,
    arrange: Arrangement | None = None,
    copies: int = 1,
) -> PackRow:
    """Measure pieces once: what each adds to a text that it is joined to.

    The separator is measured after the piece, as the text then ends in the line break at which the
    remembered count of the joined text is split, so that text is tokenised only once.
    """
    tokens = {
        separator: iter(count_followed(counter, texts, separator))
        for separator, texts in _by_separator(pieces).items()
    }
    each = tuple(next(tokens[piece.separator]) * copies for piece in pieces)
    return PackRow(each, lambda: pieces, arrange=arrange, copies=copies)


def _by_separator(pieces: Sequence[PackPiece]) -> dict[str, list[str]]:
    texts: dict[str, list[str]] = {}
    for piece in pieces:
        texts.setdefault(piece.separator, []).append(piece.text)
    return texts


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


def everything(row: PackRow, counter: Counter) -> FittedPack:
    """The whole row."""
    parts = row.parts(row.pieces) if row.whole is None else row.whole
    (tokens,) = count_joined(counter, [parts])
    return FittedPack(row, None, parts, tokens * row.copies, {})


def far_too_much(row: PackRow) -> FittedPack:
    """The whole row, only estimated: for a row so far over its share that blocks are dropped anyway."""
    return FittedPack(row, None, (), sum(row.tokens), {})


def copied(fitted: FittedPack, copies: int, reason: Reason | None = None) -> FittedPack:
    """The same pack, placed this often; the reason is for one that is not placed at all."""
    before = fitted.row.copies
    if copies == before:
        return fitted
    if not copies:
        return nothing(fitted.row, reason)
    row = replace(
        fitted.row,
        tokens=tuple(each // before * copies for each in fitted.row.tokens),
        copies=copies,
    )
    changes = {
        index: change._replace(tokens=change.tokens // before * copies)
        for index, change in fitted.changes.items()
    }
    return fitted._replace(row=row, tokens=fitted.tokens // before * copies, changes=changes)


def nothing(row: PackRow, reason: Reason | None = None) -> FittedPack:
    """None of the row."""
    change = _DROPPED._replace(reason=reason)
    return FittedPack(row, {}, (), 0, dict.fromkeys(range(len(row.tokens)), change))


def drop_blocks(whole: FittedPack, room: int, counter: Counter) -> FittedPack:
    """Drop whole pieces that may go, least important first, until the row fits or none is left."""
    fitted = whole
    order = deque(index for index in _going_first(whole.row) if index in whole.kept)
    at_least = 1
    while fitted.tokens > room and order:
        gone: list[int] = []
        freed = 0
        while order and (freed < fitted.tokens - room or len(gone) < at_least):
            gone.append(order.popleft())
            freed += whole.row.tokens[gone[-1]]
        fitted = _without(fitted, gone, counter)
        # Counts of joined texts may stay a little over again and again. Dropping twice as many
        # each time keeps the number of counts small; `fill` gives back what went needlessly.
        at_least *= 2
    return fitted


def fill(fitted: FittedPack, room: int, shortener: Shortener) -> Effectful[FittedPack]:
    """Give back what went, most important first: whole, and the first too large one cut.

    A block that was cut to a smaller room is made whole again, or longer.
    """
    may_cut = True
    for index in reversed(_going_first(fitted.row)):
        change = fitted.changes.get(index)
        if change is None:
            continue
        if fitted.tokens - change.tokens + fitted.row.tokens[index] <= room + JOIN_SLACK:
            whole = _with(fitted, index, fitted.row.pieces[index], shortener.counter)
            if whole.tokens <= room:
                fitted = whole
                continue
        if may_cut:
            shortened = yield from _shortened(fitted, index, room, shortener)
            if shortened is not None and shortened.tokens > fitted.tokens:
                fitted = shortened
            may_cut = False
    return fitted


def cut_to(fitted: FittedPack, room: int, shortener: Shortener) -> Effectful[FittedPack]:
    """Fit into `room`: whole blocks go, then the compactor cuts one. Pinned texts stay, whatever the room."""
    smaller = drop_blocks(fitted, room, shortener.counter)
    return (yield from fill(smaller, room, shortener))


def _going_first(row: PackRow) -> list[int]:
    """Indexes of what may go, the least important first."""
    elastic = [index for index, piece in row.pieces.items() if piece.elastic]
    return sorted(elastic, key=lambda index: row.pieces[index].importance)


def _without(fitted: FittedPack, gone: Sequence[int], counter: Counter) -> FittedPack:
    leaving = set(gone)
    kept = {index: piece for index, piece in fitted.kept.items() if index not in leaving}
    changes = {**fitted.changes, **dict.fromkeys(gone, _DROPPED)}
    return _placed(fitted.row, kept, changes, counter)


def _with(fitted: FittedPack, index: int, piece: PackPiece, counter: Counter) -> FittedPack:
    kept = {**fitted.kept, index: piece}
    changes = {at: change for at, change in fitted.changes.items() if at != index}
    return _placed(fitted.row, kept, changes, counter)


def _placed(
    row: PackRow,
    kept: Mapping[int, PackPiece],
    changes: Mapping[int, PieceChange],
    counter: Counter,
) -> FittedPack:
    parts = row.parts(kept)
    (tokens,) = count_joined(counter, [parts])
    return FittedPack(row, kept, parts, tokens * row.copies, changes)


def _shortened(
    fitted: FittedPack, index: int, room: int, shortener: Shortener
) -> Effectful[FittedPack | None]:
    """The row with this piece cut to what is left, or None when that would say too little."""
    piece, known = fitted.row.pieces[index], fitted.changes.get(index)
    empty = _with(fitted, index, piece.with_body(""), shortener.counter)
    left = room - empty.tokens
    while left >= SMALLEST_REMNANT or (left > 0 and not fitted.kept):
        answer = yield from shortener.shorten(piece.body, left // fitted.row.copies)
        if not answer.text.strip():
            return None
        candidate = _with(fitted, index, piece.with_body(answer.text), shortener.counter)
        if candidate.tokens <= room:
            before = fitted.tokens - (known.tokens if known else 0)
            change = PieceChange("shortened", candidate.tokens - before, answer.note or "")
            return candidate._replace(changes={**candidate.changes, index: change})
        left -= max(1, candidate.tokens - room)
    return None
