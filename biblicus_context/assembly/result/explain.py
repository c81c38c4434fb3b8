"""The receipt as a table for people, as wide as the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from biblicus_context.assembly.reasons import counted
from biblicus_context.assembly.result.receipt import (
    Receipt,
    ReceiptBlock,
    ReceiptPart,
    ReceiptSource,
)
from biblicus_context.base.doors import door

_NARROWEST = 40
_MOST_NAMES = 6
_ROOM_TO_READ = 24
_FOUND_NOTHING: Final = frozenset({"nothing_found", "min_score", "relevance"})


class _Line(NamedTuple):
    part: str
    share: str
    asked: str
    given: str
    what: str


def _width_here() -> int:
    import shutil  # loads what compresses files

    return shutil.get_terminal_size((100, 24)).columns


@door
def explanation(receipt: Receipt, width: int | None = None, *, details: bool = False) -> str:
    """The table, no line wider than `width` (the terminal's when absent)."""
    limit = max(_NARROWEST, width or _width_here())
    lines = [_Line("part", "share", "asked", "given", ""), *_lines(receipt, details=details)]
    widths = [max(len(line[column]) for line in lines) for column in range(4)]
    widths[0] = min(widths[0], max(16, limit // 3))
    table = (row for line in lines for row in _rows(line, widths, limit))
    notes = (row for note in receipt.notes for row in _wrapped(f"note: {note}", limit, "  "))
    hints = (row for hint in receipt.hints for row in _wrapped(f"hint: {hint.text}", limit, "  "))
    warned = (f"warning: {each}" for each in receipt.warnings)
    warnings = (row for each in warned for row in _wrapped(each, limit, "  "))
    title = _wrapped(_title(receipt), limit, "  ")
    return "\n".join([*title, *table, *hints, *notes, *warnings])


def _title(receipt: Receipt) -> str:
    sure = "about " if receipt.estimated else ""
    counter = receipt.model or receipt.counter
    if receipt.budget is None:
        return f"{receipt.context} · {counter} · {sure}{receipt.used:,} tokens, no budget"
    share = receipt.used / receipt.budget if receipt.budget else 1
    figures = f"{sure}{receipt.used:,} of {receipt.budget:,} tokens ({share:.1%})"
    return f"{receipt.context} · {counter} · {figures}"


def _lines(receipt: Receipt, *, details: bool) -> Iterator[_Line]:
    yield from _parts(receipt.parts, "", details=details)
    if receipt.framing:
        yield _Line("message framing", "", "", f"{receipt.framing:,}", "")
    if receipt.joins:
        yield _Line("joins", "", "", f"{receipt.joins:,}", "")
    if receipt.same_prefix is not None and receipt.previous_used is not None:
        share = receipt.same_prefix / max(1, receipt.used)
        before = f"{receipt.previous_used:,}"
        what = f"{share:.1%} begins as the previous result did"
        yield _Line("same prefix", "", before, f"{receipt.same_prefix:,}", what)
    if receipt.tools:
        what = "taken off the budget first"
        yield _Line("tool definitions", "", "", f"{receipt.tools:,}", what)
        for tool in receipt.tool_definitions if details else ():
            yield _Line(f"  {tool.name}", "", "", f"{tool.tokens:,}", "")
    if receipt.over:
        yield _Line("over the budget", "", "", f"{receipt.over:,}", "overflow: none")
    elif receipt.left is not None:
        yield _Line("left", "", "", f"{receipt.left:,}", "")


def _parts(parts: Iterable[ReceiptPart], indent: str, *, details: bool) -> Iterator[_Line]:
    for part in parts:
        if part.cause == "empty":
            continue
        yield _Line(
            f"{indent}{part.name or part.kind}",
            _number(part.share),
            _number(part.asked),
            f"{part.given:,}",
            _what(part),
        )
        yield from _sources(part.sources, f"{indent}  ", details=details)
        if details:
            yield from (_block(block, f"{indent}  ") for block in part.blocks)
        yield from _parts(part.parts, f"{indent}  ", details=details)


def _sources(sources: Iterable[ReceiptSource], indent: str, *, details: bool) -> Iterator[_Line]:
    """The sources of a combined retriever: those that failed, or all of them."""
    for source in sources:
        if details or source.failure:
            blocks = f"source: {source.placed} of {counted(source.offered, 'block')} placed"
            asked = counted(source.requests, "request")
            what = f"source failed: {source.failure}" if source.failure else f"{blocks} · {asked}"
            yield _Line(f"{indent}{source.name}", "", "", "", what)
        yield from _sources(source.sources, f"{indent}  ", details=details)


def _block(block: ReceiptBlock, indent: str) -> _Line:
    given, asked = f"{block.given:,}", _number(block.asked)
    reason = f"{block.action}: {block.reason}" if block.reason else block.action
    return _Line(f"{indent}{block.id}", "", asked, given, " · ".join([reason, *_score(block)]))


def _score(block: ReceiptBlock) -> Iterator[str]:
    """The score and what it is made of, and who found it: why a block is where it is."""
    if block.sources:
        yield f"from {', '.join(block.sources)}"
    if block.score is not None:
        parts = ", ".join(f"{name} {part:.2f}" for name, part in block.parts.items())
        yield f"score {block.score:.2f}" + (f" ({parts})" if parts else "")


def _what(part: ReceiptPart) -> str:
    # "0 kept" of a pack that found nothing would say that something was there to keep.
    found_nothing = part.action == "kept" and part.cause in _FOUND_NOTHING
    said = part.reason if found_nothing or part.reason.startswith(part.action) else part.action
    if part.reason and said == part.action:
        between = " · " if part.action == "kept" else ": "
        said = f"{part.action}{between}{part.reason}"
    return " · ".join([said, *_details(part)])


def _details(part: ReceiptPart) -> Iterator[str]:
    if part.requests:
        yield counted(part.requests, "request")
    if part.format:
        yield f"{part.format:,} of these for title, header and footer"
    if part.blocks:
        gone = [block.id for block in part.blocks if block.action == "dropped"]
        offered = len(part.blocks)
        placed = f"{offered - len(gone)} of {offered}" if gone else f"{offered}"
        yield f"{placed} block{'s' if offered > 1 else ''}"
        if gone:
            more = ", ..." if len(gone) > _MOST_NAMES else ""
            yield f"without {', '.join(gone[:_MOST_NAMES])}{more}"
    if part.turns:
        kept = sum(turn.last - turn.first + 1 for turn in part.turns if turn.action == "kept")
        offered = sum(turn.last - turn.first + 1 for turn in part.turns)
        yield f"{kept:,} of {offered:,} messages"


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _rows(line: _Line, widths: list[int], limit: int) -> Iterator[str]:
    """A line of the table; a long explanation continues below."""
    indent = line.part[: len(line.part) - len(line.part.lstrip(" "))]
    label = f"{indent}{_clipped(line.part, widths[0] - len(indent))}".ljust(widths[0])
    numbers = "  ".join(line[column].rjust(widths[column]) for column in (1, 2, 3))
    start = f"  {label}  {numbers}"
    beside = limit - len(start) - 2
    if beside >= min(_ROOM_TO_READ, len(line.what)):
        first, *more = _wrapped(line.what, max(beside, 1), "") or [""]
        yield f"{start}  {first}".rstrip()
        yield from (f"{' ' * len(start)}  {row}" for row in more)
    else:
        yield start.rstrip()
        yield from _wrapped(f"    {line.what}", limit, "    ")


def _wrapped(text: str, width: int, indent: str) -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent=indent)


def _clipped(text: str, width: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= width else f"{flat[: width - 1]}…"
