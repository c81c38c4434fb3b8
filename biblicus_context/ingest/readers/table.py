"""Tables: a section for each row, as lines of `column: value`."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec, module_from_spec
from itertools import islice
from typing import Any, Final, Protocol

from biblicus_context.base.doors import door
from biblicus_context.ingest.chunks.section import Parsed, Section, UnreadableError
from biblicus_context.ingest.files.content import Content
from biblicus_context.ingest.readers.small_records import of_many

_MOST_COLUMNS: Final = 1_000
_LONGEST_NAME: Final = 100
_DELIMITERS: Final = ",;\t|"
_SAID: Final = re.compile(rf'"?sep=([{_DELIMITERS}])"?\n')
"""Excel's way to declare the delimiter of a table."""
_SAMPLE: Final = 20
"""Rows that are tried to find the delimiter."""
_GROWTH: Final = 8
"""How many times longer than the file its rows with column names may be."""
_ALWAYS: Final = 1_000_000


@door
def read_csv(content: Content) -> Parsed:
    """A section for each row, each value after the name of its column."""
    text = content.text()
    said = _SAID.match(text)
    if said:  # an empty line stays, so that line numbers below are right
        text = f"\n{text[said.end() :]}"
    table = rows(io.StringIO(text), said[1] if said else _delimiter(text))
    first = next((row for row in table if any(row)), [])
    header = [name.strip()[:_LONGEST_NAME] for name in first]
    sections = of_many(_sections(text, header, table))
    no_rows = any(header) and not sections
    return Parsed("data", sections, notes=("it has a header, but no rows",) * no_rows)


def _delimiter(text: str) -> str:
    """The delimiter that splits the first rows into most columns."""
    return max(_DELIMITERS, key=lambda mark: _columns(text, mark))


def _columns(text: str, delimiter: str) -> int:
    first = islice(rows(io.StringIO(text), delimiter), _SAMPLE)
    return min((len(row) for row in first if row), default=0)


def _sections(text: str, header: list[str], table: Rows) -> Iterator[Section]:
    if len(header) > _MOST_COLUMNS:
        raise UnreadableError(f"it has more than {_MOST_COLUMNS:,} columns")
    left = _GROWTH * len(text) + _ALWAYS
    before = table.line_num
    for row in table:
        said = "\n".join(named_values(header, row))
        left -= len(said)
        if left < 0:
            raise UnreadableError("its column names are many times as long as its rows")
        if said:
            yield Section(said, first_line=before + 1, last_line=table.line_num, kind="record")
        before = table.line_num


def named_values(header: Sequence[str], row: Sequence[str]) -> Iterator[str]:
    """Each value after the name of its column.

    >>> [*named_values(["name", "price"], ["lamp", "20", "sold"])]
    ['name: lamp', 'price: 20', 'sold']
    """
    for number, value in enumerate(row):
        if value.strip():
            name = header[number] if number < len(header) else ""
            yield f"{name}: {value}" if name else value


_UNBOUNDED: Final = 2**31 - 1
"""The most that every platform accepts; files are bounded, so fields are too."""


class Rows(Protocol):
    """Rows, and how many lines they took so far."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...
    def __next__(self) -> list[str]: ...


def _own() -> Any:
    """A private copy of the module: the limit is global to the process, and others may rely on it."""
    spec = find_spec("_csv")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_csv: Final = _own()
_csv.field_size_limit(_UNBOUNDED)


def rows(lines: Iterable[str], delimiter: str) -> Rows:
    """The rows of a table."""
    found: Rows = _csv.reader(lines, delimiter=delimiter)
    return found
