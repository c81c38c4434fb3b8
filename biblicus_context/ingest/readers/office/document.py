"""Word: paragraphs, headings, lists and tables as Markdown, with notes at the end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from biblicus_context.base.doors import door
from biblicus_context.ingest.chunks.headings import Heading, sections_below
from biblicus_context.ingest.chunks.section import Parsed
from biblicus_context.ingest.files.content import Content
from biblicus_context.ingest.readers.office.package import OfficePackage
from biblicus_context.ingest.readers.xml_nodes import XmlNode

_MAIN: Final = "officeDocument"
_HEADING: Final = re.compile(r"heading ([1-9])$", re.IGNORECASE)
_LISTED: Final = re.compile(r"list (bullet|number|paragraph)", re.IGNORECASE)
_NOTES: Final = ("footnotes", "endnotes")
_UNSEEN: Final = frozenset({"Fallback", "instrText", "del", "moveFrom", "pPrChange", "rPrChange"})
"""Second versions of drawings, codes of fields, and texts that a tracked change removes."""
_WRITTEN: Final = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_TITLE: Final = 0
_DEEPEST: Final = 9


@door
def read_docx(content: Content) -> Parsed:
    """The text below each heading; lists, tables and notes included, headers and footers not."""
    package = OfficePackage(content)
    main = next(
        (name for kind, name in package.relations("").values() if kind == _MAIN),
        "word/document.xml",
    )
    related = package.relations(main)
    styles = _styles(package, next((n for kind, n in related.values() if kind == "styles"), ""))
    lines = _Lines(package, styles)
    lines.read(main)
    title = lines.title
    for kind, name in sorted(related.values()):
        if kind in _NOTES:
            lines.read(name)
    said = package.properties()
    text = "\n".join(lines.lines).strip("\n")
    shift = next((n for n, line in enumerate(lines.lines) if line), 0)
    headings = [each._replace(line=each.line - shift) for each in lines.headings]
    first = next((each.text for each in headings if each.level == 1), "")
    return Parsed(
        "word",
        # A document has no lines: they depend on the paper.
        tuple(replace(each, first_line=None) for each in sections_below(text, headings)),
        title=said.title or title or first,
        created=said.created,
        updated=said.updated,
        tags=said.tags,
        metadata=said.metadata,
    )


@dataclass(slots=True)
class _Style:
    name: str = ""
    based_on: str = ""
    level: int | None = None
    """Of the outline, from 0."""


def _styles(package: OfficePackage, part: str) -> Mapping[str, _Style]:
    found: dict[str, _Style] = {}
    style = _Style()
    for node in package.nodes(part):
        if node.kind != "start":
            continue
        value = node.attributes.get("val", "")
        match node.value:
            case "style":
                style = found.setdefault(node.attributes.get("styleId", ""), _Style())
            case "name":
                style.name = value
            case "basedOn":
                style.based_on = value
            case "outlineLvl" if value.isdecimal():
                style.level = int(value)
    return found


@dataclass(slots=True)
class _Paragraph:
    """A paragraph while it is read."""

    style: str = ""
    level: int | None = None
    indent: int | None = None
    """Of an item of a list, from 0."""
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.parts).strip(" ")

    def describe(self, node: XmlNode) -> None:
        """What a tag in it says of it, or writes."""
        value = node.attributes.get("val", "")
        match node.value:
            case "tab" | "br" | "cr" | "noBreakHyphen":
                self.parts.append(_WRITTEN[node.value])
            case "pStyle":
                self.style = value
            case "outlineLvl" if value.isdecimal():
                self.level = int(value)
            case "numPr":
                self.indent = self.indent or 0
            case "ilvl" if value.isdecimal():
                self.indent = min(int(value), _DEEPEST)


class _Lines:
    """The lines of a document, and which of them are headings."""

    def __init__(self, package: OfficePackage, styles: Mapping[str, _Style]) -> None:
        self._package = package
        self._styles = styles
        self._open: list[_Paragraph] = []
        """Paragraphs that are being read: a text box is in one of the page."""
        self._cells: list[list[list[str]]] = []
        """The rows of tables that are being read: the cells so far, and the texts of the last."""
        self._unseen = 0
        self._is_text = False
        self.lines: list[str] = []
        self.headings: list[Heading] = []
        self.title = ""

    def read(self, part: str) -> None:
        """The paragraphs of a part."""
        for node in self._package.nodes(part):
            if node.kind == "text":
                if self._is_text and self._open and not self._unseen:
                    self._open[-1].parts.append(self._package.count(node.value))
            elif node.value in _UNSEEN:
                self._unseen += 1 if node.kind == "start" else -1
            elif not self._unseen:
                self._start(node) if node.kind == "start" else self._end(node.value)

    def _start(self, node: XmlNode) -> None:
        match node.value:
            case "p":
                self._open.append(_Paragraph())
            case "t":
                self._is_text = True
            case "tbl" if not self._cells and self.lines and self.lines[-1]:
                self.lines.append("")
            case "tr":
                self._cells.append([])
            case "tc" if self._cells:
                self._cells[-1].append([])
            case _ if self._open:
                self._open[-1].describe(node)

    def _end(self, name: str) -> None:
        match name:
            case "t":
                self._is_text = False
            case "p" if self._open:
                self._add(self._open.pop())
            case "tr" if self._cells:
                row = [" ".join(filter(None, texts)) for texts in self._cells.pop()]
                if any(row):
                    self._write(" | ".join(row))
            case "tbl":
                self.lines.append("")

    def _add(self, paragraph: _Paragraph) -> None:
        text = paragraph.text
        if not text.strip():
            return
        if self._cells and self._cells[-1]:
            self._cells[-1][-1].append(text.replace("\n", " "))
            return
        level = self._level(paragraph)
        if level is None:
            indent = self._indent(paragraph)
            self._write(text if indent is None else f"{'  ' * indent}- {text}")
            if indent is None:
                self.lines.append("")
        elif level == _TITLE:
            self.title = self.title or text
            self._write(text)
            self.lines.append("")
        else:
            words = " ".join(text.split())
            self.lines += [""] * bool(self.lines and self.lines[-1])
            self.headings.append(Heading(len(self.lines) + 1, level, words))
            self.lines += [f"{'#' * min(level, 6)} {words}", ""]

    def _write(self, text: str) -> None:
        if self._cells and self._cells[-1]:  # a row of a table in a cell
            self._cells[-1][-1].append(text)
        else:
            self.lines += text.split("\n")

    def _level(self, paragraph: _Paragraph) -> int | None:
        """How deep a heading is, from 1; 0 for the title, None for other paragraphs."""
        if paragraph.level is not None:
            return paragraph.level + 1 if paragraph.level < _DEEPEST else None
        for style in self._bases(paragraph.style):
            if named := _HEADING.match(style.name):
                return int(named[1])
            if style.name.lower() == "title":
                return _TITLE
            if style.level is not None:
                return style.level + 1 if style.level < _DEEPEST else None
        return None

    def _indent(self, paragraph: _Paragraph) -> int | None:
        if paragraph.indent is not None:
            return paragraph.indent
        is_listed = any(_LISTED.match(style.name) for style in self._bases(paragraph.style))
        return 0 if is_listed else None

    def _bases(self, style: str) -> Iterator[_Style]:
        """A style and those that it is based on."""
        seen: set[str] = set()
        while style in self._styles and style not in seen:
            seen.add(style)
            yield self._styles[style]
            style = self._styles[style].based_on
