"""A pack as a flat row of pieces, and how a row is fitted to a number of tokens.

A retriever's blocks and a nested context's texts become the same thing here, so fitting is the same
for both, however deep contexts nest. Only evidence, and text that may shrink, gives way: the least
important piece first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol

from biblicus_context.assembly.limits import SMALLEST_REMNANT
from biblicus_context.assembly.packs.piece import PackPiece, PieceChange, PlacedPiece, in_parts
from biblicus_context.assembly.reasons import Reason
from biblicus_context.assembly.shortener import Shortener
from biblicus_context.base.effects import Effectful
from biblicus_context.base.lazy import lazy
from biblicus_context.retrieval.packs.writing.surrounding_text import Origin
from biblicus_context.text.counters import Counter, count_followed, count_joined
from biblicus_context.text.headings import shortened_words

JOIN_SLACK = 4
"""Tokens by which a joined text may count less than its pieces measured one by one.

A block that looks up to this much too large is joined and counted before it is given up: without
the slack, blocks that fit exactly were dropped.
"""

_MOST_MISSES: Final = 16
"""Blocks that look a little too large, and are, after which only those are joined that look small enough."""
_DROPPED: Final = PieceChange("dropped")


class Surroundings(NamedTuple):
    """What an arrangement knows in addition to the pieces that are placed."""

    total: int
    """The blocks that the row has to offer."""
    sources: Mapping[Origin, int] = MappingProxyType({})
    """Blocks by kind and document in packs that are placed before."""


class Arrangement(Protocol):
    """Puts the pieces that are placed into the order of the text, with what a format writes around them."""

    @property
    def names_sources(self) -> bool:
        """Whether the text depends on which kinds of blocks are placed before."""
        ...

    def __call__(
        self, pieces: Mapping[int, PackPiece], surroundings: Surroundings
    ) -> Sequence[PlacedPiece]:
        """The pieces, by their numbers in the row, as they are placed."""
        ...


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
    is_notice: bool = False
    """Whether its one piece says that nothing was found."""
    blocks: int | None = None
    """How many blocks it has to offer, where that is not the number of its pieces."""
    sources: Mapping[Origin, int] = field(default_factory=dict)
    """Blocks by kind in packs that are placed before this one, where its format asks for them."""

    @lazy
    def pieces(self) -> Mapping[int, PackPiece]:
        """All pieces by number."""
        return dict(enumerate(self.make()))

    @property
    def offers(self) -> int:
        """How many blocks it has to offer."""
        return len(self.tokens) if self.blocks is None else self.blocks

    def arranged(self, pieces: Mapping[int, PackPiece]) -> Sequence[PlacedPiece]:
        """Pieces of this row in the order of the text, with what a format adds to them."""
        kept = {number: pieces[number] for number in sorted(pieces)}
        if self.arrange is None:
            return [PlacedPiece(number, piece) for number, piece in kept.items()]
        return self.arrange(kept, Surroundings(self.offers, self.sources))

    def format_tokens(self, pieces: Mapping[int, PackPiece], counter: Counter) -> int:
        """The tokens of what its format writes around these pieces."""
        if self.arrange is None:
            return 0
        texts = [piece.text for number, piece in self.arranged(pieces) if number is None]
        return sum(counter.count_many(texts)) * self.copies if texts else 0

    def parts(self, pieces: Mapping[int, PackPiece]) -> list[str]:
        """Pieces of this row, arranged, and between them what separates them."""
        if self.arrange is None:
            return in_parts([pieces[number] for number in sorted(pieces)])
        return in_parts([placed.piece for placed in self.arranged(pieces)])


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

    def placed(self) -> Sequence[PlacedPiece]:
        """The pieces that are placed, each with its number, in the order of the text."""
        return self.row.arranged(self.kept)

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
    blocks: int | None = None,
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
    return PackRow(each, lambda: pieces, arrange=arrange, copies=copies, blocks=blocks)


def notice(piece: PackPiece, counter: Counter, copies: int) -> PackRow:
    """A row with a text that says that nothing was found."""
    tokens = (counter.count(piece.text) * copies,)
    return PackRow(tokens, lambda: (piece,), copies=copies, is_notice=True, blocks=0)


def _by_separator(pieces: Sequence[PackPiece]) -> dict[str, list[str]]:
    texts: dict[str, list[str]] = {}
    for piece in pieces:
        texts.setdefault(piece.separator, []).append(piece.text)
    return texts


def everything(row: PackRow, counter: Counter) -> FittedPack:
    """The whole row."""
    parts = row.parts(row.pieces) if row.whole is None else row.whole
    (tokens,) = count_joined(counter, [parts])
    return FittedPack(row, None, parts, tokens * row.copies, {})


def after_sources(
    fitted: FittedPack, sources: Mapping[Origin, int], counter: Counter
) -> FittedPack:
    """The same pieces, written for what is placed before them."""
    if dict(fitted.row.sources) == dict(sources):
        return fitted
    row = replace(fitted.row, sources=sources, whole=None)
    if fitted.chosen is None:
        return everything(row, counter)
    return _placed(row, fitted.chosen, fitted.changes, counter)


def evidence_of(fitted: FittedPack) -> int:
    """The tokens of blocks that are placed."""
    row, changes = fitted.row, fitted.changes
    return sum(
        changes[at].tokens if at in changes else row.tokens[at]
        for at, piece in fitted.kept.items()
        if piece.block is not None
    )


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


def with_dropped(
    fitted: FittedPack, more: Sequence[tuple[PackPiece, int]], counter: Counter
) -> FittedPack:
    """The pack with further pieces that it has to offer, none of which is placed, in their order."""
    row = fitted.row
    own = [(piece, row.tokens[at], at) for at, piece in row.pieces.items()]
    known = {piece.key for piece, _, _ in own}
    new = [(piece._replace(key=_new_key(piece.key, known)), tokens, None) for piece, tokens in more]
    both = sorted((*own, *new), key=lambda each: each[0].importance, reverse=True)
    if any(
        a is not b for a, b in zip(own, (each for each in both if each[2] is not None), strict=True)
    ):
        both = [*own, *new]  # their order is another one
    pieces = [piece for piece, _, _ in both]
    numbers = {before: at for at, (_, _, before) in enumerate(both) if before is not None}
    offered = None if row.blocks is None else row.blocks + len(new)
    larger = PackRow(
        tuple(tokens for _, tokens, _ in both),
        lambda: pieces,
        arrange=row.arrange,
        copies=row.copies,
        blocks=offered,
        sources=row.sources,
    )
    changes = {numbers[at]: change for at, change in fitted.changes.items()}
    changes |= {at: _DROPPED for at, (_, _, before) in enumerate(both) if before is None}
    kept = {numbers[at]: piece for at, piece in fitted.kept.items()}
    return _placed(larger, kept, changes, counter)


def _new_key(key: str, known: set[str]) -> str:
    while key in known:
        key += " again"
    known.add(key)
    return key


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
    waiting = deque(
        index for index in reversed(_going_first(fitted.row)) if index in fitted.changes
    )
    misses = 0
    while waiting:
        slack = JOIN_SLACK if misses < _MOST_MISSES else 0
        run = _fitting(fitted, waiting, room + slack)
        if run:
            fitted, taken = _as_many(fitted, run, room, shortener.counter)
            for _ in range(taken):
                waiting.popleft()
            if taken == len(run):
                continue
            misses += 1
        index = waiting.popleft()
        if may_cut:
            shortened = yield from _shortened(fitted, index, room, shortener)
            if shortened is not None and shortened.tokens > fitted.tokens:
                fitted = shortened
            may_cut = False
    return fitted


def _fitting(fitted: FittedPack, waiting: Iterable[int], room: int) -> list[int]:
    """The first of these pieces that together are within the room, as far as pieces are known one by one."""
    run: list[int] = []
    tokens = fitted.tokens
    for index in waiting:
        tokens += fitted.row.tokens[index] - fitted.changes[index].tokens
        if tokens > room:
            break
        run.append(index)
    return run


def _as_many(
    fitted: FittedPack, run: Sequence[int], room: int, counter: Counter
) -> tuple[FittedPack, int]:
    """The row with as many of these pieces, whole, as fit into the room; and how many that is.

    Halved until they fit: joining and counting a row once for each piece would take quadratic time.
    """
    few, many, best = 0, len(run), fitted
    tried = many
    while few < many:
        candidate = _with_whole(fitted, run[:tried], counter)
        if candidate.tokens <= room:
            few, best = tried, candidate
        else:
            many = tried - 1
        tried = (few + many + 1) // 2
    return best, few


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


def _with_whole(fitted: FittedPack, run: Sequence[int], counter: Counter) -> FittedPack:
    kept = {**fitted.kept, **{index: fitted.row.pieces[index] for index in run}}
    back = set(run)
    changes = {at: change for at, change in fitted.changes.items() if at not in back}
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
    if not piece.may_shorten:
        return None
    empty = _with(fitted, index, piece.shortened(""), shortener.counter)
    left = room - empty.tokens
    while left >= SMALLEST_REMNANT or (left > 0 and not fitted.kept):
        answer = yield from shortener.shorten(piece.body, left // fitted.row.copies)
        if not answer.text.strip():
            return None
        text = shortened_words(piece.body, answer.text) if piece.block else answer.text
        candidate = _with(fitted, index, piece.shortened(text), shortener.counter)
        if candidate.tokens <= room:
            before = fitted.tokens - (known.tokens if known else 0)
            if not fitted.kept:  # the format writes its own texts with the first piece
                before = candidate.row.format_tokens(candidate.kept, shortener.counter)
            change = PieceChange("shortened", candidate.tokens - before, answer.note or "")
            return candidate._replace(changes={**candidate.changes, index: change})
        left -= max(1, candidate.tokens - room)
    return None
