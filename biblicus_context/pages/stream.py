"""The finished messages as spans of text, each with the part of the plan that it comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from biblicus_context.assembly.draft import Draft, Standing
from biblicus_context.assembly.packs.row import Fitted, Piece
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.assembly.steps.layout import BETWEEN_SYSTEM_TEXTS, HISTORY, lay_out
from biblicus_context.assembly.steps.parts import HistoryPart, PackPart, TextPart
from biblicus_context.pages.wording import message_text


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a message; what joins two others belongs to no part and has no place."""

    text: str
    place: str = ""
    """The part of the plan, as the receipt names it."""
    label: str = ""
    """Which block of the part, or which message of the history."""
    source: str = ""
    score: float | None = None
    page: int | None = None
    tokens: int | None = None
    shortened: str = ""
    """Why it is not placed as it came."""


@dataclass(frozen=True, slots=True)
class Message:
    """One finished message."""

    role: str
    tokens: int
    spans: tuple[Span, ...]


def stream(result: ContextAssemblyResult) -> list[Message]:
    """Every message of a result; the spans of a message are its text, without a gap."""
    draft = result.draft
    assert draft is not None
    assert draft.standing is not None
    tokens = draft.limits.meter.measure_many(result.messages)
    rows = _rows(_with_history(draft), draft.standing, iter(result.messages))
    return [
        Message(str(message["role"]), count, tuple(row))
        for message, count, row in zip(result.messages, tokens, rows, strict=True)
    ]


def _with_history(draft: Draft) -> Draft:
    """A result does not keep its history alive; the layout needs to know that there was one."""
    assert draft.standing is not None
    past = draft.standing.history
    was_there = past.kept or past.dropped or past.older
    return draft._replace(call=draft.call._replace(history=({},) if was_there else ()))


def _rows(
    draft: Draft, standing: Standing, messages: Iterator[Mapping[str, Any]]
) -> Iterator[list[Span]]:
    """The spans of each message, in order."""
    layout = lay_out(draft, standing)
    placed = {each.part for each in layout.messages}
    parts = _parts(draft, standing)
    if layout.system_prompt:
        next(messages)
        yield _joined(spans for index, spans in parts.items() if index not in placed)
    for each in layout.messages:
        if each.part == HISTORY:
            yield from _past(draft, standing, messages)
        else:
            next(messages)
            yield parts[each.part]


def _joined(rows: Iterable[Sequence[Span]]) -> list[Span]:
    between = [Span(BETWEEN_SYSTEM_TEXTS)]
    return list(chain.from_iterable(chain(between, row) for row in rows))[1:]


def _parts(draft: Draft, standing: Standing) -> dict[int, list[Span]]:
    """The spans of each part that says something, without the history."""
    count = draft.limits.counter.count
    texts = draft.texts(standing)
    found: dict[int, list[Span]] = {}
    for index, part in enumerate(draft.parts):
        if isinstance(part, TextPart) and texts[index]:
            found[index] = [Span(texts[index], part.place, tokens=count(texts[index]))]
        elif isinstance(part, PackPart) and standing.packs[index].text:
            found[index] = list(_pack(standing.packs[index], part.place, count))
    return found


def _pack(fitted: Fitted, place: str, count: Callable[[str], int]) -> Iterator[Span]:
    """The pieces as they stand in the pack, and what stands between them."""
    reasons = {fitted.row.pieces[at].key: change.reason for at, change in fitted.changes.items()}
    kept = [fitted.kept[at] for at in sorted(fitted.kept)]
    end = 0
    for piece in fitted.row.arrange(kept) if fitted.row.arrange else kept:
        start = fitted.text.index(piece.text, end)
        if start > end:
            yield Span(fitted.text[end:start])
        end = start + len(piece.text)
        if piece.text:
            span = _piece(piece, place, reasons.get(piece.key, ""))
            yield replace(span, tokens=count(piece.text))


def _piece(piece: Piece, place: str, shortened: str) -> Span:
    block = piece.block
    if block is None:
        return Span(piece.text, place, shortened=shortened)
    return Span(
        piece.text,
        place,
        label=block.evidence_item_id,
        source=block.source or "",
        score=block.score,
        page=piece.page,
        shortened=shortened,
    )


def _past(
    draft: Draft, standing: Standing, messages: Iterator[Mapping[str, Any]]
) -> Iterator[list[Span]]:
    """A span for each message of the history, by its number in what was handed in."""
    (place,) = (part.place for part in draft.parts if isinstance(part, HistoryPart))
    past = standing.history
    numbers = chain.from_iterable(range(turn.first, turn.end) for turn in past.turns())
    labels = [*(["summary"] if past.summary else []), *(f"message {each}" for each in numbers)]
    for label, message in zip(labels, messages, strict=False):
        yield [Span(message_text(message), place, label)]
