"""The parts of a receipt as bars: what each asked for, and what it was given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from biblicus_context.assembly.result.receipt import Receipt, ReceiptPart

Tint = Literal["system", "pack", "nested", "history", "user", "assistant", "other"]
"""What a part is drawn in: one for each kind of source."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One part of the plan."""

    place: str
    label: str
    depth: int
    tint: Tint
    given: int
    asked: int | None
    """None if it was not measured."""
    share: int | None
    action: str
    what: str

    @property
    def missing(self) -> int:
        """Tokens it asked for and was not given."""
        # What is kept whole may count less than the sum of its pieces.
        return 0 if self.action == "kept" else max(0, (self.asked or 0) - self.given)


def bars_of(receipt: Receipt) -> list[Bar]:
    """A bar for each part, nested ones after the part they are in; empty texts have none."""
    return list(_bars(receipt.parts, 0))


def _bars(parts: Iterable[ReceiptPart], depth: int) -> Iterator[Bar]:
    for part in parts:
        if part.cause == "empty":
            continue
        yield Bar(
            place=part.place,
            label=part.name or part.kind,
            depth=depth,
            tint=_tint(part),
            given=part.given,
            asked=part.asked,
            share=part.share,
            action=part.action,
            what=" · ".join(_what(part)),
        )
        yield from _bars(part.parts, depth + 1)


def _tint(part: ReceiptPart) -> Tint:
    if part.kind == "context":
        return "nested" if part.parts else "pack"
    return "other" if part.kind == "first" else part.kind


def _what(part: ReceiptPart) -> Iterator[str]:
    if part.reason:
        yield part.reason
    if part.requests > 1:
        yield f"{part.requests} requests"
    if part.blocks:
        placed = sum(block.action != "dropped" for block in part.blocks)
        yield _of(placed, len(part.blocks), "block")
    if part.turns:
        yield _of(_messages(part, "kept"), _messages(part), "message")


def _of(placed: int, offered: int, noun: str) -> str:
    if placed < offered:
        return f"{placed:,} of {offered:,} {noun}s"
    return f"{offered:,} {noun}{'' if offered == 1 else 's'}"


def _messages(part: ReceiptPart, action: str | None = None) -> int:
    """How many messages a history had, or how many of them had this happen to them."""
    return sum(turn.last - turn.first + 1 for turn in part.turns if action in (None, turn.action))
