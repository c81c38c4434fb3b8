"""The table of a Notion database: its columns, the order of its rows, and rows without a page."""

from __future__ import annotations

import io
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from biblicus_context.ingest.files.content import Content
from biblicus_context.ingest.imports.notion_properties import RowProperties
from biblicus_context.ingest.readers.table import rows

_KEY = 30
"""Characters: file names are shortened titles without punctuation."""


class TableRow(NamedTuple):
    """One row of the table."""

    position: int
    title: str
    properties: RowProperties


class DatabaseTable(NamedTuple):
    """The columns and rows of a database."""

    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]

    def matched(self, titles: Sequence[str]) -> tuple[list[TableRow | None], list[TableRow]]:
        """The row of each page by its title, and the rows that have no page."""
        waiting: defaultdict[str, deque[TableRow]] = defaultdict(deque)
        for row in self.rows:
            waiting[_key(row.title)].append(row)
        found = [
            waiting[key].popleft() if waiting.get(key := _key(title)) else None for title in titles
        ]
        left = (row for each in waiting.values() for row in each)
        return found, sorted(left, key=lambda row: row.position)


def database_table(content: Content | None) -> DatabaseTable:
    """The table in a CSV file; the first column has the titles."""
    found = rows(io.StringIO(content.text().lstrip("\ufeff") if content else ""), ",")
    columns = [name.strip() for name in next(found, [])]
    return DatabaseTable(tuple(columns), tuple(_rows(columns, found)))


def _rows(columns: list[str], found: Iterator[list[str]]) -> Iterator[TableRow]:
    filled = (row for row in found if any(value.strip() for value in row))
    for position, row in enumerate(filled):
        values = {name: value.strip() for name, value in zip(columns[1:], row[1:], strict=False)}
        yield TableRow(position, row[0].strip(), RowProperties(values))


def _key(title: str) -> str:
    return "".join(filter(str.isalnum, title.lower()))[:_KEY]
