"""Everything a receipt says was not placed as it came, one row for each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from biblicus_context.assembly.result.receipt import Receipt, ReceiptPart


@dataclass(frozen=True, slots=True)
class LeftOutRow:
    """Something that was offered and not placed, or placed shorter."""

    place: str
    part: str
    what: str
    asked: int | None
    given: int
    action: str
    reason: str


def left_out_rows(receipt: Receipt) -> list[LeftOutRow]:
    """Blocks, turns and whole parts, in the order of the plan."""
    return list(_of_parts(receipt.parts, ""))


def _of_parts(parts: Iterable[ReceiptPart], outer: str) -> Iterator[LeftOutRow]:
    for part in parts:
        name = f"{outer}{part.name or part.kind}"
        inside = [*_of_blocks(part, name), *_of_turns(part, name)]
        inside += _of_parts(part.parts, f"{name} / ")
        yield from inside
        if part.action != "kept" and not inside:
            asked, given = part.asked, part.given
            yield LeftOutRow(part.place, name, "", asked, given, part.action, part.reason)


def _of_blocks(part: ReceiptPart, name: str) -> Iterator[LeftOutRow]:
    for block in part.blocks:
        if block.action != "kept":
            asked, given = block.asked, block.given
            reason = block.reason or part.reason
            yield LeftOutRow(part.place, name, block.id, asked, given, block.action, reason)


def _of_turns(part: ReceiptPart, name: str) -> Iterator[LeftOutRow]:
    for turn in part.turns:
        if turn.action != "kept":
            many = turn.last > turn.first
            what = f"messages {turn.first}-{turn.last}" if many else f"message {turn.first}"
            asked, given = turn.asked, turn.given
            yield LeftOutRow(part.place, name, what, asked, given, turn.action, turn.reason)
