"""Readers: one for each format, found by the suffix of a file's name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import TypeAlias, cast

from biblicus_context.base.deferred import Deferred
from biblicus_context.base.doors import door
from biblicus_context.base.entry_points import entry_points_of
from biblicus_context.base.registry import loaded
from biblicus_context.errors import PlanError
from biblicus_context.ingest.chunks.section import Parsed
from biblicus_context.ingest.files.content import Content
from biblicus_context.ingest.readers.languages import LANGUAGES

Reader: TypeAlias = Callable[[Content], Parsed]

ENTRY_POINTS = "biblicus_context.readers"


def _in(module: str) -> Deferred:
    """A reader of this folder: each is loaded with its first file, as a search needs none."""
    return Deferred(f"biblicus_context.ingest.readers.{module}")


_CODE, _HTML = _in("code:read_code"), _in("html:read_html")
_MARKDOWN, _RST = _in("markdown:read_markdown"), _in("plain:read_rst")
_TEXT = _in("plain:read_text")
_PDF, _DOCX = _in("pdf:read_pdf"), _in("office:read_docx")
_PPTX, _XLSX = _in("office:read_pptx"), _in("office:read_xlsx")
_MAIL = _in("mail:read_mail")

_BUILT_IN: Mapping[str, Reader] = {
    **dict.fromkeys(LANGUAGES, _CODE),
    **dict.fromkeys((".md", ".markdown", ".mdx"), _MARKDOWN),
    **dict.fromkeys((".html", ".htm", ".xhtml"), _HTML),
    **dict.fromkeys((".csv", ".tsv"), _in("table:read_csv")),
    **dict.fromkeys((".jsonl", ".ndjson"), _in("records:read_json_lines")),
    ".rst": _RST,
    ".pdf": _PDF,
    ".docx": _DOCX,
    ".pptx": _PPTX,
    ".xlsx": _XLSX,
    ".eml": _MAIL,
    ".xml": _in("sitemap:read_xml"),
    ".json": _in("records:read_json"),
    ".ipynb": _in("notebook:read_notebook"),
}
_BINARY: frozenset[Reader] = frozenset({_PDF, _DOCX, _PPTX, _XLSX, _MAIL})
"""They read bytes: an archive, or parts that are each encoded as they say."""
_WRITTEN: frozenset[Reader] = frozenset({_TEXT, _RST, _MARKDOWN, _HTML, _CODE})
"""They read a file as one text, which may be divided anywhere."""


@door
class ReaderRegistry:
    """Readers by suffix: the built-in ones, those of entry points, and what the caller adds."""

    def __init__(
        self, extra: Mapping[str, Reader] | None = None, *, installed: bool = True
    ) -> None:
        points = entry_points_of(ENTRY_POINTS) if installed else ()
        added = {point.name: cast("Reader", loaded(point, "reader")) for point in points}
        self._extra: Mapping[str, Reader] = {
            f".{suffix.lstrip('.').lower()}": _callable(suffix, reader)
            for suffix, reader in {**added, **(extra or {})}.items()
        }
        self._readers: Mapping[str, Reader] = {**_BUILT_IN, **self._extra}

    def reader_of(self, content: Content) -> Reader | None:
        """The reader of this file: other text is read as plain text; None for binary files."""
        reader = self._known(content)
        if self.is_extra(content) or reader in _BINARY:
            return reader
        return None if content.looks_binary else reader

    def reads_one_text(self, content: Content) -> bool:
        """Whether a file that has a reader is one text, rather than records or turns that each stand alone."""
        return self._known(content) in _WRITTEN

    def reads_bytes(self, content: Content) -> bool:
        """Whether the file is not text as a whole, whatever its reader finds in it."""
        return self._known(content) in _BINARY

    def _known(self, content: Content) -> Reader:
        """The reader for the ending of the name; another one has text."""
        return self._readers.get(_suffix(content), _TEXT)

    def is_extra(self, content: Content) -> bool:
        """Whether the reader of this file was added, and is not built in."""
        return _suffix(content) in self._extra


def _callable(suffix: str, reader: object) -> Reader:
    if not callable(reader):
        problem = "a reader is a callable from Content to Parsed"
        raise PlanError(problem, place=f"reader '{suffix}'", found=type(reader).__name__)
    return reader


def _suffix(content: Content) -> str:
    return PurePosixPath(content.name).suffix.lower()
