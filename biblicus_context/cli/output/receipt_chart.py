"""A receipt drawn for a terminal: a bar for the whole, a bar for each part, what was left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from biblicus_context.assembly.result.receipt import Receipt
from biblicus_context.cli.output.terminal import can_say, sayable
from biblicus_context.pages.bars import Bar, bars_of
from biblicus_context.pages.left_out import LeftOutRow, left_out_rows

_WIDEST_BAR = 40
_NARROWEST_BAR = 8
_TINTS = {
    "system": "blue",
    "pack": "green",
    "nested": "cyan",
    "history": "yellow",
    "user": "magenta",
    "assistant": "bright_blue",
    "other": "white",
}
ACTIONS = {
    "shortened": "yellow",
    "dropped": "red",
    "failed": "bold red",
    "not asked": "bright_black",
}
"""What is not kept stands out."""
FAINT = "bright_black"


@dataclass(frozen=True, slots=True)
class _Signs:
    given: str = "█"
    missing: str = "▒"
    left: str = "·"
    dot: str = "·"


_ASCII = _Signs("#", "-", ".", "|")


class ReceiptChart:
    """A receipt as lines, none wider than the console."""

    def __init__(self, receipt: Receipt, console: Console) -> None:
        self._receipt = receipt
        self._sheet = LineLayout(console)
        self._signs = _Signs() if can_say("█▒·") else _ASCII

    def lines(self) -> Iterator[Text]:
        """Title, the whole, every part, and what was left out."""
        rows = bars_of(self._receipt)
        yield from self._sheet.wrapped(Text(self._title(), "bold"), self._sheet.width)
        yield self._whole(rows)
        yield Text()
        yield from self._parts(rows)
        for hint in self._receipt.hints:
            yield from self._sheet.indented(Text(f"hint: {sayable(hint.text)}", "yellow"), 2)
        for note in self._receipt.notes:
            yield from self._sheet.indented(Text(f"note: {sayable(note)}"), 2)
        for warning in self._receipt.warnings:
            yield from self._sheet.indented(Text(f"warning: {sayable(warning)}"), 2)
        rest = left_out_rows(self._receipt)
        if rest:
            yield from (Text(), Text("left out", "bold"))
            yield from self._left_out(rest)

    def _title(self) -> str:
        receipt = self._receipt
        used = f"{'about ' if receipt.estimated else ''}{receipt.used:,}"
        figures = f"{used} tokens, no budget"
        if receipt.budget is not None:
            figures = f"{used} of {receipt.budget:,} tokens ({receipt.used / receipt.budget:.1%})"
        named = receipt.context, receipt.model or receipt.counter, figures
        return f" {self._signs.dot} ".join(map(sayable, named))

    def _whole(self, rows: Iterable[Bar]) -> Text:
        """What is used of the budget, in the tints of the parts."""
        receipt = self._receipt
        parts = [(row.given, _TINTS[row.tint]) for row in rows if row.depth == 0]
        parts.append((max(0, receipt.framing + receipt.joins), _TINTS["other"]))
        total = max(receipt.budget or 0, sum(tokens for tokens, _ in parts), 1)
        room = self._sheet.width - 2
        ends = [room * tokens // total for tokens in accumulate(tokens for tokens, _ in parts)]
        line = Text("  ")
        for (start, end), (_, tint) in zip(pairwise([0, *ends]), parts, strict=True):
            line.append(self._signs.given * (end - start), tint)
        return line.append(self._signs.left * (room - ends[-1]), FAINT)

    def _parts(self, rows: Sequence[Bar]) -> Iterator[Text]:
        numbers = [figures(row.given, row.asked, row.action) for row in rows]
        beside = list(self._beside())
        number = max(map(len, [*numbers, *(figure for _, figure in beside)]), default=0)
        names = ["  " * row.depth + row.label for row in rows]
        label = self._sheet.label_width(names)
        room = self._sheet.width - label - number - 6
        reads = room >= _NARROWEST_BAR + 2 + _ROOM_TO_READ
        bar = min(_WIDEST_BAR, (room - 2) // 2 if reads else room)
        scale = max((row.given + row.missing for row in rows), default=0) or 1
        for row, name, figure in zip(rows, names, numbers, strict=True):
            start = Text(f"  {self._sheet.clipped(name, label)}  ")
            start.append_text(self._bar(row, bar, scale))
            start.append(f"  {figure:>{number}}")
            share = "" if row.share is None else f"share {row.share:,}"
            what = " · ".join(filter(None, [row.what, share]))
            yield from self._sheet.row(start, _happened(row.action, what, self._signs.dot))
        for name, figure in beside:
            yield Text(f"  {name:{label + bar + 2}}  {figure:>{number}}", FAINT)

    def _beside(self) -> Iterator[tuple[str, str]]:
        """Tokens that belong to no part of the plan."""
        receipt = self._receipt
        if receipt.framing:
            yield "message framing", f"{receipt.framing:,}"
        if receipt.joins:
            yield "joins", f"{receipt.joins:,}"
        if receipt.tools:
            yield "tool definitions", f"{receipt.tools:,}"
        if receipt.over:
            yield "over the budget", f"{receipt.over:,}"
        elif receipt.left is not None:
            yield "left", f"{receipt.left:,}"
        if receipt.same_prefix is not None:
            yield "begins as before", f"{receipt.same_prefix:,}"

    def _bar(self, row: Bar, width: int, scale: int) -> Text:
        """Solid for what was given, shaded for what was asked besides; never invisible."""
        given = _cells(row.given, scale, width)
        missing = min(_cells(row.missing, scale, width), max(width - given, 1))
        given = min(given, width - missing)
        line = Text(self._signs.given * given, _TINTS[row.tint])
        line.append(self._signs.missing * missing, _TINTS[row.tint])
        return line.append(" " * (width - given - missing))

    def _left_out(self, rows: Sequence[LeftOutRow]) -> Iterator[Text]:
        labels = [f"{row.part}  {row.what}".rstrip() for row in rows]
        numbers = [figures(row.given, row.asked, row.action) for row in rows]
        label = self._sheet.label_width(labels, self._sheet.width // 2)
        number = max(map(len, numbers))
        for row, name, figure in zip(rows, labels, numbers, strict=True):
            start = Text(f"  {self._sheet.clipped(name, label)}  {figure:>{number}}")
            yield from self._sheet.row(start, _happened(row.action, row.reason, self._signs.dot))


def figures(given: int, asked: int | None, action: str) -> str:
    """What was given, and of how much where that is not the same."""
    if action == "kept":
        return f"{given:,}"
    if action == "not asked":
        return "-"
    return f"{given:,} of {'?' if asked is None else f'{asked:,}'}"


def _cells(tokens: int, scale: int, width: int) -> int:
    return max(1, round(width * tokens / scale)) if tokens else 0


def _happened(action: str, reason: str, dot: str) -> Text:
    style = ACTIONS.get(action, "")
    reason = sayable(reason).replace("·", dot)
    if reason.startswith(action):
        action, reason = reason, ""
    between = f" {dot} " if action == "kept" else ": "
    return Text.assemble((action, style), f"{between}{reason}" if reason else "")


_NARROWEST = 40
_ROOM_TO_READ = 24
"""Columns below which words are hard to read."""


class LineLayout:
    """Lays out lines, none wider than the console; at 40 columns it gives up becoming narrower."""

    def __init__(self, console: Console) -> None:
        self.width = max(_NARROWEST, console.width)
        self._console = console
        self._cut = "…" if can_say("…") else "~"

    def label_width(self, labels: Iterable[str], most: int | None = None) -> int:
        """Room for these labels, if it is not too much."""
        widest = max((cell_len(sayable(label)) for label in labels), default=0)
        return min(widest, most or max(13, self.width // 3))

    def clipped(self, label: str, width: int) -> str:
        """A label in one line of exactly this width."""
        text = sayable(label).replace("\n", " ").replace("\t", " ")
        if cell_len(text) > width:
            text = set_cell_size(text, width - 1) + self._cut
        return set_cell_size(text, width)

    def row(self, start: Text, what: Text) -> Iterator[Text]:
        """A line of a table, with what happened next to it if it fits, else below."""
        room = self.width - start.cell_len - 2
        if room < min(_ROOM_TO_READ, what.cell_len):
            yield start
            yield from self.indented(what, 4)
            return
        first, *more = self.wrapped(what, max(room, 1))
        yield Text.assemble(start, "  ", first)
        yield from (Text.assemble(" " * (start.cell_len + 2), rest) for rest in more)

    def indented(self, text: Text, indent: int) -> Iterator[Text]:
        """A text in lines that begin further right."""
        for line in self.wrapped(text, self.width - indent):
            yield Text.assemble(" " * indent, line)

    def wrapped(self, text: Text, width: int) -> list[Text]:
        """A text in lines of this width."""
        lines = list(text.wrap(self._console, width))
        for line in lines:
            line.rstrip()
        return lines
