"""Readers: one for each format, found by the suffix of a file's name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from pathlib import PurePosixPath
from typing import TypeAlias, cast

from biblicus_context.base.doors import door
from biblicus_context.base.registry import loaded
from biblicus_context.errors import PlanError
from biblicus_context.ingest.chunks.section import Parsed
from biblicus_context.ingest.files.content import Content
from biblicus_context.ingest.readers.code import LANGUAGES, read_code
from biblicus_context.ingest.readers.html import read_html
from biblicus_context.ingest.readers.mail import read_mail
from biblicus_context.ingest.readers.markdown import read_markdown
from biblicus_context.ingest.readers.notebook import read_notebook
from biblicus_context.ingest.readers.office import read_docx, read_pptx, read_xlsx
from biblicus_context.ingest.readers.pdf import read_pdf
from biblicus_context.ingest.readers.plain import read_rst, read_text
from biblicus_context.ingest.readers.records import read_json, read_json_lines
from biblicus_context.ingest.readers.sitemap import read_xml
from biblicus_context.ingest.readers.table import read_csv

Reader: TypeAlias = Callable[[Content], Parsed]

ENTRY_POINTS = "biblicus_context.readers"

_BUILT_IN: Mapping[str, Reader] = {
    **dict.fromkeys(LANGUAGES, read_code),
    **dict.fromkeys((".md", ".markdown", ".mdx"), read_markdown),
    **dict.fromkeys((".html", ".htm", ".xhtml"), read_html),
    **dict.fromkeys((".csv", ".tsv"), read_csv),
    **dict.fromkeys((".jsonl", ".ndjson"), read_json_lines),
    ".rst": read_rst,
    ".pdf": read_pdf,
    ".docx": read_docx,
    ".pptx": read_pptx,
    ".xlsx": read_xlsx,
    ".eml": read_mail,
    ".xml": read_xml,
    ".json": read_json,
    ".ipynb": read_notebook,
}
_BINARY = frozenset({read_pdf, read_docx, read_pptx, read_xlsx, read_mail})
"""They read bytes: an archive, or parts that are each encoded as they say."""
_WRITTEN = frozenset({read_text, read_rst, read_markdown, read_html, read_code})
"""They read a file as one text, which may be divided anywhere."""


@door
class ReaderRegistry:
    """Readers by suffix: the built-in ones, those of entry points, and what the caller adds."""

    def __init__(
        self, extra: Mapping[str, Reader] | None = None, *, installed: bool = True
    ) -> None:
        points = entry_points(group=ENTRY_POINTS) if installed else ()
        added = {point.name: cast("Reader", loaded(point, "reader")) for point in points}
        self._extra: Mapping[str, Reader] = {
            f".{suffix.lstrip('.').lower()}": _callable(suffix, reader)
            for suffix, reader in {**added, **(extra or {})}.items()
        }
        self._readers: Mapping[str, Reader] = {**_BUILT_IN, **self._extra}

    def reader_of(self, content: Content) -> Reader | None:
        """The reader of this file: other text is read as plain text; None for binary files."""
        suffix = _suffix(content)
        reader = self._readers.get(suffix, read_text)
        if suffix in self._extra or reader in _BINARY:
            return reader
        return None if content.looks_binary else reader

    def reads_one_text(self, content: Content) -> bool:
        """Whether the file is one text, rather than records or turns that each stand alone."""
        return self.reader_of(content) in _WRITTEN

    def reads_bytes(self, content: Content) -> bool:
        """Whether the file is not text as a whole, whatever its reader finds in it."""
        return self.reader_of(content) in _BINARY

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
