"""Tables: a section for each row, as lines of `column: value`."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from biblicus_context.ingest.content import Content
from biblicus_context.ingest.readers.rows import of_many
from biblicus_context.ingest.section import Parsed, Section
from biblicus_context.ingest.unreadable import UnreadableError

_MOST_COLUMNS: Final = 1_000
_LONGEST_NAME: Final = 100
_DELIMITERS: Final = ",;\t|"
_SAMPLE: Final = 20
"""Rows that are looked at for the delimiter."""
_GROWTH: Final = 8
"""How much more text rows with their columns' names may be than the file."""
_ALWAYS: Final = 1_000_000


def read_csv(content: Content) -> Parsed:
    """A section for each row, each value behind the name of its column."""
    text = content.text()
    try:
        rows = csv.reader(io.StringIO(text), _dialect(text))
        return Parsed("data", of_many(_sections(text, rows)))
    except csv.Error as error:
        raise UnreadableError(f"it is not CSV ({error})") from None


def _dialect(text: str) -> type[csv.Dialect]:
    """The delimiter that cuts the first rows into most columns."""

    class Dialect(csv.excel):
        delimiter = max(_DELIMITERS, key=lambda mark: _columns(text, mark))

    return Dialect


def _columns(text: str, delimiter: str) -> int:
    rows = csv.reader(io.StringIO(text), delimiter=delimiter)
    try:
        return min((len(row) for row in islice(rows, _SAMPLE) if row), default=0)
    except csv.Error:
        return 0


def _sections(text: str, rows: Any) -> Iterator[Section]:
    header = [name.strip()[:_LONGEST_NAME] for name in next(rows, ())]
    if len(header) > _MOST_COLUMNS:
        raise UnreadableError(f"it has more than {_MOST_COLUMNS:,} columns")
    left = _GROWTH * len(text) + _ALWAYS
    before = rows.line_num
    for row in rows:
        said = "\n".join(_said(header, row))
        left -= len(said)
        if left < 0:
            raise UnreadableError("the names of its columns are many times as long as its rows")
        if said:
            yield Section(said, first_line=before + 1, last_line=rows.line_num, kind="record")
        before = rows.line_num


def _said(header: list[str], row: list[str]) -> Iterator[str]:
    for number, value in enumerate(row):
        if value.strip():
            name = header[number] if number < len(header) else ""
            yield f"{name}: {value}" if name else value
