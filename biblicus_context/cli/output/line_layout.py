"""A sheet of known width: texts wrapped and clipped to it, by the room that signs take up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from biblicus_context.cli.output.terminal import can_say, sayable

_NARROWEST = 40
ROOM_TO_READ = 24
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
        if room < min(ROOM_TO_READ, what.cell_len):
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
