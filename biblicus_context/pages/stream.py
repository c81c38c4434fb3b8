"""The finished messages as stretches of text, each with the part of the plan that it comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from biblicus_context.assembly.draft import Draft
from biblicus_context.assembly.packs.evidence import score_of, source_of
from biblicus_context.assembly.packs.row import FittedPack
from biblicus_context.assembly.result.receipt import ReceiptPart
from biblicus_context.assembly.result.result import ContextAssemblyResult
from biblicus_context.assembly.result.spans import PartSpan, PieceSpan
from biblicus_context.assembly.steps.parts import HistoryPart, PackPart
from biblicus_context.pages.wording import message_text


@dataclass(frozen=True, slots=True)
class ShownText:
    """A stretch of a message; what separates two others belongs to no part and has no place."""

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
class ShownMessage:
    """One finished message."""

    role: str
    tokens: int
    texts: tuple[ShownText, ...]


def stream(result: ContextAssemblyResult) -> list[ShownMessage]:
    """Every message of a result; the stretches of a message are its text, without a gap."""
    draft = result.draft
    assert draft is not None
    tokens = draft.limits.meter.measure_many(result.messages)
    accounts = {part.place: part for part in result.receipt.parts}
    spans: dict[int, list[PartSpan]] = {}
    for span in result.spans:
        spans.setdefault(span.message, []).append(span)
    return [
        ShownMessage(
            str(message["role"]),
            count,
            tuple(_stretches(draft, message, spans[number], accounts)),
        )
        for number, (message, count) in enumerate(zip(result.messages, tokens, strict=True))
    ]


def _stretches(
    draft: Draft,
    message: Mapping[str, Any],
    spans: Iterable[PartSpan],
    accounts: Mapping[str, ReceiptPart],
) -> Iterator[ShownText]:
    end = 0
    for span in spans:
        if isinstance(draft.parts[span.part], HistoryPart):
            label = "summary" if span.history is None else f"message {span.history}"
            yield ShownText(message_text(message), span.place, label)
            continue
        text = message["content"]
        for start, found in _placed(draft, span, text, accounts[span.place]):
            if start > end:
                yield ShownText(text[end:start])
            end = start + len(found.text)
            if found.text:
                yield replace(found, tokens=draft.limits.counter.count(found.text))


def _placed(
    draft: Draft, span: PartSpan, text: str, account: ReceiptPart
) -> Iterator[tuple[int, ShownText]]:
    """The pieces of a pack, or a text of the plan, each with where it begins."""
    part = draft.parts[span.part]
    if not isinstance(part, PackPart):
        yield span.start, ShownText(text[span.start : span.end], span.place)
        return
    assert draft.placement is not None
    fitted = draft.placement.packs[span.part]
    for piece in span.pieces:
        # The blocks of a nested context are accounted for in its own parts.
        why = account.blocks[piece.number].reason if account.blocks else account.reason
        yield piece.start, _piece(fitted, piece, text[piece.start : piece.end], span.place, why)


def _piece(fitted: FittedPack, piece: PieceSpan, text: str, place: str, why: str) -> ShownText:
    original = fitted.kept[piece.number]
    shortened = why if piece.number in fitted.changes else ""
    block = original.block
    if block is None:
        return ShownText(text, place, shortened=shortened)
    return ShownText(
        text,
        place,
        label=block.evidence_item_id,
        source=source_of(block) or "",
        score=score_of(block),
        page=original.page,
        shortened=shortened,
    )
