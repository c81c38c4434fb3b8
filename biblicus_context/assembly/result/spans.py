"""Where everything is in the finished messages, as the layout placed it there.

Citations, cache marks, the prefix for a provider's cache, `attribute`, pages and golden tests read
these spans; nothing searches the text for what was placed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.packs.row import FittedPack
from biblicus_context.assembly.steps.layout import BETWEEN_SYSTEM_TEXTS, HISTORY, PlacedText
from biblicus_context.assembly.steps.parts import PackPart, TextPart


class PieceSpan(NamedTuple):
    """Where a block, or a text that a nested context adds to its pack, is in a message."""

    number: int | None
    """Which piece of the pack's row; None of a title, a header or a footer."""
    owner: str
    """The part it comes from; inside a nested context a path of parts."""
    start: int
    end: int
    body_start: int
    """Where its own text begins, after its id, its metadata or the opening of its fence."""
    body_end: int
    is_block: bool


class PartSpan(NamedTuple):
    """Where a part of the plan is in a message.

    A history has one for each of its messages, a text that quotes packs one for each of its own
    stretches of words, and a pack one for each time it is quoted.
    """

    part: int
    """The number of the part; of the parts of a nested context in `nested`."""
    place: str
    """The part as the receipt names it."""
    name: str
    """Of a pack."""
    message: int
    start: int
    end: int
    history: int | None = None
    """Which message of the history that was passed; None for its summary and for other parts."""
    pieces: tuple[PieceSpan, ...] = ()
    """Of a pack, in the order of the text, with those of nested packs."""
    nested: tuple[PartSpan, ...] = ()
    """The parts of a nested context."""


def spans_of(draft: Draft, messages: Sequence[Mapping[str, Any]]) -> Iterator[PartSpan]:
    """The spans of every placed part, in the order of the text."""
    assert draft.layout is not None
    number = 0
    for placed in draft.layout.messages:
        if placed.role == HISTORY:
            past = [*_history(draft, placed.texts[0].part, messages, number)]
            yield from past
            number += len(past)
            continue
        start = 0
        for text in placed.texts:
            spans = [*_text(draft, text, number, start)]
            yield from spans
            start = spans[-1].end + len(BETWEEN_SYSTEM_TEXTS)
        number += 1


def packs_named(spans: Iterable[PartSpan], name: str) -> Iterator[PartSpan]:
    """The spans of every pack of this name, also inside nested contexts."""
    for span in spans:
        if span.name == name:
            yield span
        yield from packs_named(span.nested, name)


def _history(
    draft: Draft, part: int, messages: Sequence[Mapping[str, Any]], number: int
) -> Iterator[PartSpan]:
    assert draft.placement is not None
    past = draft.placement.history
    kept = chain.from_iterable(range(turn.first, turn.end) for turn in past.turns())
    place = draft.parts[part].place
    for at, original in enumerate(chain([None] if past.summary else [], kept), number):
        content = messages[at].get("content")
        end = len(content) if isinstance(content, str) else 0
        yield PartSpan(part, place, "", at, 0, end, history=original)


def _text(draft: Draft, text: PlacedText, message: int, start: int) -> Iterator[PartSpan]:
    """A part of the plan; its own words and the packs that it quotes alternate, words come last."""
    begun = 0
    for quote in text.quotes:
        words = PlacedText(text.part, text.pieces[begun : quote.first])
        pack = PlacedText(quote.pack, text.pieces[quote.first : quote.end])
        for each in (words, pack):
            span = _part(draft, each, message, start)
            yield span
            start = span.end
        begun = quote.end
    yield _part(draft, PlacedText(text.part, text.pieces[begun:]), message, start)


def _part(draft: Draft, text: PlacedText, message: int, start: int) -> PartSpan:
    assert draft.placement is not None
    part = draft.parts[text.part]
    end = start + sum(map(len, text.pieces))
    if not isinstance(part, PackPart):
        return PartSpan(text.part, part.place, "", message, start, end)
    pieces = tuple(_pieces(draft.placement.packs[text.part], start))
    inner = draft.packs[text.part].nested
    nested = tuple(_nested(inner, pieces, message)) if inner else ()
    return PartSpan(
        text.part, part.place, part.name, message, start, end, pieces=pieces, nested=nested
    )


def _pieces(fitted: FittedPack, start: int) -> Iterator[PieceSpan]:
    for at, (number, piece) in enumerate(fitted.placed()):
        end = start + len(piece.text)
        body = start + piece.body_start
        is_block = piece.block is not None
        yield PieceSpan(number, piece.owner, start, end, body, body + len(piece.body), is_block)
        # The text of a pack alternates between pieces and what separates them.
        start = end + len("".join(fitted.parts[2 * at + 1 : 2 * at + 2]))


def _nested(
    draft: Draft, pieces: Sequence[PieceSpan], message: int, outer: str = ""
) -> Iterator[PartSpan]:
    """The parts of a nested context that have pieces left; those of a pack are next to each other."""
    by_place: dict[str, list[PieceSpan]] = {}
    for piece in pieces:
        if piece.owner.startswith(outer):
            place = piece.owner[len(outer) :].partition("/")[0]
            by_place.setdefault(place, []).append(piece)
    for index, part in enumerate(draft.parts):
        path = f"{outer}{part.place}"
        own = by_place.get(part.place)
        if not own:
            continue
        if isinstance(part, TextPart):
            # A text that quotes a pack has words before and after it.
            for piece in own:
                at = piece.start, piece.end
                yield PartSpan(index, part.place, "", message, *at, pieces=(piece,))
        elif isinstance(part, PackPart):
            inner = draft.packs[index].nested
            nested = tuple(_nested(inner, own, message, f"{path}/")) if inner else ()
            at = own[0].start, own[-1].end
            yield PartSpan(
                index, part.place, part.name, message, *at, pieces=tuple(own), nested=nested
            )
