"""Tables for people: where there is little room names fold, and figures never do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from biblicus_context.cli.output.terminal import console, room, show, write

_BETWEEN = (2, 1)
"""Columns of space between two, the second where there is little room."""
_LEAST = 12
"""Columns that a name is left with."""


class Column(NamedTuple):
    """One column: figures stand to the right, and what `folds` takes several lines where it has to."""

    head: str
    right: bool = False
    folds: bool = False


def show_table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """A table as wide as the terminal allows, or as it needs where there is none.

    Where its figures alone are wider than the terminal, its rows are written one below the other.
    """
    from rich.table import Table

    for between in _BETWEEN:
        widths = _widths(columns, rows, between)
        if _fits(widths, between):
            break
    else:
        _show_stacked(columns, rows)
        return
    table = Table(box=None, pad_edge=False, padding=(0, between, 0, 0))
    for column, width in zip(columns, widths, strict=True):
        table.add_column(
            column.head,
            justify="right" if column.right else "left",
            width=width,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*row)
    show(console(sum(widths) + between * len(widths)), table)


def _show_stacked(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """Each row as lines of its own: the name that it begins with, then a line for each value."""
    width = max(len(column.head) for column in columns[1:])
    for number, (name, *values) in enumerate(rows):
        write(f"\n{name}" if number else name)
        for column, value in zip(columns[1:], values, strict=True):
            if value:
                write(f"  {column.head:{width}}  {value}")


def _fits(widths: Sequence[int], between: int) -> bool:
    most = room()
    return most is None or sum(widths) + between * (len(widths) - 1) <= most


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[str]], between: int) -> list[int]:
    """As wide as its texts for each column; those that fold give way, the widest one first."""
    from rich.cells import cell_len

    widths = [
        max(map(cell_len, [column.head, *(row[at] for row in rows)]))
        for at, column in enumerate(columns)
    ]
    while not _fits(widths, between):
        folding = [at for at, each in enumerate(columns) if each.folds and widths[at] > _LEAST]
        if not folding:
            break
        widths[max(folding, key=widths.__getitem__)] -= 1
    return widths
