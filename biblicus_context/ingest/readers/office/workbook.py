"""Excel: a section for each row of each sheet, as lines of `column: value`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain, islice
from typing import Final, NamedTuple

from biblicus_context.base.doors import door
from biblicus_context.ingest.chunks.section import Parsed, Section
from biblicus_context.ingest.files.content import Content
from biblicus_context.ingest.readers.office.package import OfficePackage
from biblicus_context.ingest.readers.small_records import of_many
from biblicus_context.ingest.readers.table import named_values
from biblicus_context.stores.model import Json

_MAIN: Final = "xl/workbook.xml"
_STRINGS: Final = "xl/sharedStrings.xml"
_STYLES: Final = "xl/styles.xml"
_MOST_COLUMNS: Final = 1_000
_SAMPLE: Final = 20
"""Rows among which the names of the columns are."""
_DATES: Final = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
_TIMES: Final = frozenset({18, 19, 20, 21, 45, 46, 47})
_PERCENTS: Final = frozenset({9, 10})
_WRITTEN: Final = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')
"""Parts of a format that are written as they are: colours, words and spaces."""
_COLUMN: Final = re.compile("([A-Z]{1,3})[0-9]*$")
_EPOCH: Final = datetime(1899, 12, 30)  # noqa: DTZ001 - the times of a sheet have no zone
_SINCE_1904: Final = 1462


@door
def read_xlsx(content: Content) -> Parsed:
    """A section for each row, each value after the name of its column; formulas have their last value."""
    package = OfficePackage(content)
    book = _Book.of(package)
    sections: list[Section] = []
    for name, part in book.sheets:
        sections += _sections(name, _rows(package, part, book))
    said = package.properties()
    return Parsed(
        "data",
        of_many(sections),
        title=said.title,
        created=said.created,
        updated=said.updated,
        tags=said.tags,
        metadata=said.metadata,
        notes=() if sections else ("its sheets are empty",),
    )


class _Row(NamedTuple):
    """A row that is not empty, by its number in the sheet."""

    number: int
    cells: list[str]


def _sections(sheet: str, rows: Iterator[_Row]) -> Iterator[Section]:
    """The rows below the names of the columns; what is above them, such as a title, is text."""
    first = list(islice(rows, _SAMPLE))
    at = _header_at([row.cells for row in first])
    for row in first[:at]:
        yield _section(sheet, row, "\n".join(filter(None, row.cells)))
    header = [name.strip()[:100] for name in first[at].cells] if first else []
    has_rows = False
    for row in chain(first[at + 1 :], rows):
        has_rows = True
        yield _section(sheet, row, "\n".join(named_values(header, row.cells)))
    if first and not has_rows:  # one row alone names no columns
        yield _section(sheet, first[at], " | ".join(filter(None, header)))


def _section(sheet: str, row: _Row, text: str) -> Section:
    place: dict[str, Json] = {"sheet": sheet, "row": row.number}
    return Section(text, heading=(sheet,) if sheet else (), kind="record", metadata=place)


def _header_at(rows: Sequence[Sequence[str]]) -> int:
    """The first row that is about as wide as the widest: titles above a table are narrow."""
    filled = [sum(map(bool, row)) for row in rows]
    widest = max(filled, default=0)
    return next((at for at, count in enumerate(filled) if 2 * count > widest), 0)


@dataclass(slots=True)
class _Book:
    """What the cells of all sheets share."""

    sheets: list[tuple[str, str]] = field(default_factory=list)
    """Names and parts, in the order of the tabs."""
    strings: list[str] = field(default_factory=list)
    formats: list[str] = field(default_factory=list)
    """`date`, `time`, `moment`, `percent` or nothing, by the number of a cell's style."""
    days: int = 0
    """Days to add to dates: some workbooks begin in 1904."""

    @classmethod
    def of(cls, package: OfficePackage) -> _Book:
        book = cls(strings=[*_strings(package)], formats=_formats(package))
        related = package.relations(_MAIN)
        for node in package.nodes(_MAIN):
            given = node.attributes
            if node.kind == "start" and node.value == "workbookPr":
                book.days = _SINCE_1904 if given.get("date1904") in {"1", "true"} else 0
            elif node.kind == "start" and node.value == "sheet":
                kind, part = related.get(given.get("id", ""), ("", ""))
                if kind == "worksheet":
                    book.sheets.append((given.get("name", ""), part))
        return book

    def shown(self, value: str, kind: str, style: str) -> str:
        """A value as a reader of the sheet sees it."""
        if kind == "s":
            at = int(value) if value.isdecimal() else -1
            return self.strings[at] if 0 <= at < len(self.strings) else ""
        if kind == "b":
            return "TRUE" if value == "1" else "FALSE"
        if kind not in {"", "n"}:
            return value
        number = style if style.isdecimal() else "0"
        form = self.formats[int(number)] if int(number) < len(self.formats) else ""
        return _number(value, form, self.days)


def _strings(package: OfficePackage) -> Iterator[str]:
    """The texts that cells refer to; how they are pronounced is not part of them."""
    parts: list[str] = []
    is_text, spoken = False, 0
    for node in package.nodes(_STRINGS):
        match node.kind, node.value:
            case "text", text if is_text and not spoken:
                parts.append(text)
            case (("start" | "end"), "t"):
                is_text = node.kind == "start"
            case (("start" | "end"), "rPh"):
                spoken += 1 if node.kind == "start" else -1
            case "end", "si":
                yield "".join(parts)
                parts = []


def _formats(package: OfficePackage) -> list[str]:
    own: dict[str, str] = {}
    found: list[str] = []
    in_cells = False
    for node in package.nodes(_STYLES):
        if node.value == "cellXfs":
            in_cells = node.kind == "start"
        elif node.kind == "start" and node.value == "numFmt":
            own[node.attributes.get("numFmtId", "")] = node.attributes.get("formatCode", "")
        elif node.kind == "start" and node.value == "xf" and in_cells:
            number = node.attributes.get("numFmtId", "0")
            found.append(_form(number, own.get(number)))
    return found


def _form(number: str, code: str | None) -> str:
    if code is None:
        known = int(number) if number.isdecimal() else 0
        if known in _PERCENTS:
            return "percent"
        return "" if known not in _DATES else "time" if known in _TIMES else "moment"
    bare = _WRITTEN.sub("", code.partition(";")[0]).lower()
    if "%" in bare:
        return "percent"
    if not any(letter in bare for letter in "ydhs") and "mm" not in bare:
        return ""
    return "moment" if any(letter in bare for letter in "yd") or "h" not in bare else "time"


def _number(value: str, form: str, days: int) -> str:
    try:
        number = float(value)
    except ValueError:
        return value
    try:
        if form == "percent":
            return f"{number * 100:.15g}%"
        if form in {"moment", "time"}:
            return _moment(number + days, form)
    except (OverflowError, ValueError):
        pass
    # Excel shows 15 digits: the file has 17, and so 0.30000000000000004.
    return f"{number:.15g}" if "." in value or "E" in value.upper() else value


def _moment(days: float, form: str) -> str:
    found = _EPOCH + timedelta(seconds=round(days * 86_400))
    if form == "time" and days < 1:
        return found.strftime("%H:%M:%S").removesuffix(":00")
    return (
        found.date().isoformat() if days == int(days) else found.isoformat(" ").removesuffix(":00")
    )


def _rows(package: OfficePackage, part: str, book: _Book) -> Iterator[_Row]:
    """The rows of a sheet that are not empty."""
    number, column, kind, style = 0, 0, "", ""
    cells: dict[int, str] = {}
    value: list[str] = []
    is_value = False
    for node in package.nodes(part):
        match node.kind, node.value:
            case "text", text if is_value:
                value.append(text)
            case (("start" | "end"), "v" | "t"):
                is_value = node.kind == "start"
            case "start", "row":
                said = node.attributes.get("r", "")
                number = int(said) if said.isdecimal() else number + 1
                cells, column = {}, 0
            case "start", "c":
                given = node.attributes
                column = _column(given.get("r", ""), column + 1)
                kind, style, value = given.get("t", ""), given.get("s", "0"), []
            case "end", "c":
                shown = book.shown("".join(value), kind, style) if value else ""
                if shown.strip() and column <= _MOST_COLUMNS:
                    cells[column] = package.count(shown.strip())
            case "end", "row" if cells:
                yield _Row(number, [cells.get(at, "") for at in range(1, max(cells) + 1)])


def _column(reference: str, following: int) -> int:
    """The number of a column, from 1: `C7` is in the third."""
    found = _COLUMN.match(reference)
    if not found:
        return following
    number = 0
    for letter in found[1]:
        number = 26 * number + ord(letter) - 64
    return number
