"""PowerPoint: one section for each slide, in the order of the presentation, with its notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from biblicus_context.base.doors import door
from biblicus_context.ingest.chunks.section import Parsed, Section
from biblicus_context.ingest.files.content import Content
from biblicus_context.ingest.readers.office.package import OfficePackage
from biblicus_context.ingest.readers.xml_nodes import XmlNode

_MAIN: Final = "ppt/presentation.xml"
_TITLES: Final = frozenset({"title", "ctrTitle"})
_FURNITURE: Final = frozenset({"dt", "ftr", "sldNum", "hdr", "sldImg"})
"""Dates, numbers and footers that are on every slide."""


@door
def read_pptx(content: Content) -> Parsed:
    """The text of each slide with its tables and the speaker's notes; slides are numbered from 1."""
    package = OfficePackage(content)
    slides = [_slide(package, part, number) for number, part in enumerate(_in_order(package), 1)]
    said = package.properties()
    sections = tuple(slide for slide in slides if slide.text)
    first = next((slide.heading[0] for slide in sections if slide.heading), "")
    return Parsed(
        "slides",
        sections,
        title=said.title or first,
        created=said.created,
        updated=said.updated,
        tags=said.tags,
        metadata=said.metadata,
        notes=() if sections else ("it has no text, perhaps only pictures",),
    )


def _in_order(package: OfficePackage) -> Iterator[str]:
    related = package.relations(_MAIN)
    for node in package.nodes(_MAIN):
        if node.kind == "start" and node.value == "sldId":
            kind, part = related.get(node.attributes.get("id", ""), ("", ""))
            if kind == "slide":
                yield part


def _slide(package: OfficePackage, part: str, number: int) -> Section:
    shapes = [*_shapes(package, part)]
    title = next((" ".join(each.text.split()) for each in shapes if each.kind in _TITLES), "")
    texts = [f"# {title}"] if title else []
    texts += [each.text for each in shapes if each.kind not in _TITLES and each.text]
    for kind, notes in package.relations(part).values():
        if kind == "notesSlide":
            said = [each.text for each in _shapes(package, notes) if each.kind == "body"]
            texts += [f"Notes: {text}" for text in said if text]
    heading = (title,) if title else ()
    return Section("\n\n".join(texts), heading=heading, metadata={"slide": number})


class _Shape(NamedTuple):
    """A text on a slide; the kind is that of its placeholder."""

    kind: str
    text: str


def _shapes(package: OfficePackage, part: str) -> Iterator[_Shape]:
    """The texts of a slide in order, without dates, numbers and footers."""
    reader = _ShapeReader()
    for node in package.nodes(part):
        match node.kind:
            case "start":
                reader.start(node)
            case "text":
                reader.say(package.count(node.value))
            case "end" if (shape := reader.end(node.value)) and shape.kind not in _FURNITURE:
                yield shape


class _ShapeReader:
    """Collects the paragraphs and rows of one shape."""

    def __init__(self) -> None:
        self._kind = ""
        self._lines: list[str] = []
        self._line: list[str] = []
        self._cells: list[str] | None = None
        """Of the row that is being read."""
        self._is_text = False

    def start(self, node: XmlNode) -> None:
        match node.value:
            case "sp" | "graphicFrame":
                self._kind, self._lines = "", []
            case "ph":  # without a type it is one of the texts of the layout
                self._kind = node.attributes.get("type", "body")
            case "t":
                self._is_text = True
            case "br":
                self._line.append("\n")
            case "tr":
                self._cells = []
            case "tc" if self._cells is not None:
                self._cells.append("")

    def say(self, text: str) -> None:
        if self._is_text:
            self._line.append(text)

    def end(self, name: str) -> _Shape | None:
        """The shape, where it ends here."""
        match name:
            case "t":
                self._is_text = False
            case "p":
                self._end_paragraph()
            case "tr" if self._cells is not None:
                self._lines += [" | ".join(self._cells)] if any(self._cells) else []
                self._cells = None
            case "sp" | "graphicFrame":
                return _Shape(self._kind, "\n".join(self._lines))
        return None

    def _end_paragraph(self) -> None:
        text, self._line = "".join(self._line).strip(), []
        if text and self._cells:
            self._cells[-1] = " ".join(f"{self._cells[-1]} {text}".split())
        elif text:
            self._lines.append(text)
