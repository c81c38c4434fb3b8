"""The receipt as a table that a person likes to read, as wide as the terminal."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from biblicus_context.assembly.receipt import Receipt, ReceiptPart

_NARROWEST = 40
_MOST_NAMES = 6


class _Line(NamedTuple):
    part: str
    share: str
    asked: str
    given: str
    what: str


def explanation(receipt: Receipt, width: int | None = None) -> str:
    """The table, no line wider than `width` (the terminal's when absent)."""
    limit = max(_NARROWEST, width or shutil.get_terminal_size((100, 24)).columns)
    lines = [_Line("part", "share", "asked", "given", ""), *_lines(receipt)]
    widths = [max(len(line[column]) for line in lines) for column in range(4)]
    widths[0] = min(widths[0], max(16, limit // 3))
    table = (_row(line, widths, limit) for line in lines)
    return "\n".join([_clipped(_title(receipt), limit), *table, *_footer(receipt, limit)])


def _title(receipt: Receipt) -> str:
    sure = "about " if receipt.estimated else ""
    counter = receipt.model or receipt.counter
    if receipt.budget is None:
        return f"{receipt.context} · {counter} · {sure}{receipt.used:,} tokens, no budget"
    share = receipt.used / receipt.budget if receipt.budget else 1
    figures = f"{sure}{receipt.used:,} of {receipt.budget:,} tokens ({share:.1%})"
    return f"{receipt.context} · {counter} · {figures}"


def _lines(receipt: Receipt) -> Iterator[_Line]:
    yield from _parts(receipt.parts, "")
    if receipt.framing:
        yield _Line("message framing", "", "", f"{receipt.framing:,}", "")
    if receipt.joins:
        yield _Line("joins", "", "", f"{receipt.joins:,}", "")
    if receipt.left is not None:
        yield _Line("left", "", "", f"{receipt.left:,}", "")
    if receipt.over:
        yield _Line("over the budget", "", "", f"{receipt.over:,}", "overflow: none")


def _parts(parts: Iterable[ReceiptPart], indent: str) -> Iterator[_Line]:
    for part in parts:
        label = f"{indent}{part.name or part.kind}"
        yield _Line(
            label,
            _number(part.share),
            _number(part.tokens_before),
            f"{part.tokens_after:,}",
            _what(part),
        )
        yield from _parts(part.parts, f"{indent}  ")


def _what(part: ReceiptPart) -> str:
    said = part.action if not part.reason else f"{part.action}: {part.reason}"
    return " · ".join([said, *_details(part)])


def _details(part: ReceiptPart) -> Iterator[str]:
    if part.requests:
        yield f"{part.requests} request{'s' if part.requests > 1 else ''}"
    if part.blocks:
        gone = [block.id for block in part.blocks if block.action == "dropped"]
        yield f"{len(part.blocks) - len(gone)} of {len(part.blocks)} blocks"
        if gone:
            more = ", ..." if len(gone) > _MOST_NAMES else ""
            yield f"without {', '.join(gone[:_MOST_NAMES])}{more}"
    if part.turns:
        kept = sum(turn.last - turn.first + 1 for turn in part.turns if turn.action == "kept")
        offered = sum(turn.last - turn.first + 1 for turn in part.turns)
        yield f"{kept:,} of {offered:,} messages"


def _footer(receipt: Receipt, limit: int) -> Iterator[str]:
    for note in receipt.notes:
        yield _clipped(f"note: {note}", limit)


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _row(line: _Line, widths: list[int], limit: int) -> str:
    label = _clipped(line.part, widths[0]).ljust(widths[0])
    numbers = "  ".join(line[column].rjust(widths[column]) for column in (1, 2, 3))
    return _clipped(f"  {label}  {numbers}  {line.what}".rstrip(), limit)


def _clipped(text: str, width: int) -> str:
    flat = " ".join(text.split("\n"))
    return flat if len(flat) <= width else f"{flat[: width - 1]}…"
