"""Tables for people: where there is little room names fold, and figures never do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from biblicus_context.cli.output.terminal import console, room, show

_BETWEEN = 2
_LEAST = 12
"""Columns that a name is left with; a table of many figures becomes wider than its terminal."""


class Column(NamedTuple):
    """One column: figures stand to the right, and what `folds` takes several lines where it has to."""

    head: str
    right: bool = False
    folds: bool = False


def show_table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """A table as wide as the terminal allows, or as it needs where there is none."""
    from rich.table import Table  # slower than most commands

    widths = _widths(columns, rows)
    table = Table(box=None, pad_edge=False, padding=(0, _BETWEEN, 0, 0))
    for column, width in zip(columns, widths, strict=True):
        table.add_column(
            column.head,
            justify="right" if column.right else "left",
            width=width,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*row)
    show(console(sum(widths) + _BETWEEN * len(widths)), table)


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[int]:
    """As wide as its texts for each column; those that fold give way, the widest one first."""
    from rich.cells import cell_len

    widths = [
        max(map(cell_len, [column.head, *(row[at] for row in rows)]))
        for at, column in enumerate(columns)
    ]
    most = room()
    while most is not None and sum(widths) + _BETWEEN * (len(widths) - 1) > most:
        folding = [at for at, each in enumerate(columns) if each.folds and widths[at] > _LEAST]
        if not folding:
            break
        widths[max(folding, key=widths.__getitem__)] -= 1
    return widths
