"""A file's content becomes a document with its blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from biblicus_context.errors import MissingExtraError
from biblicus_context.ingest.chunks.chunking import chunks
from biblicus_context.ingest.chunks.section import Parsed
from biblicus_context.ingest.chunks.sessions import by_session
from biblicus_context.ingest.chunks.settings import ChunkSettings
from biblicus_context.ingest.documents import FileDocument, file_document
from biblicus_context.ingest.files.content import Content
from biblicus_context.ingest.files.unreadable import UnreadableError
from biblicus_context.ingest.files.walking import Skipped
from biblicus_context.ingest.readers import Readers
from biblicus_context.ingest.summary import Remark
from biblicus_context.text.counters import Counter

FORMAT: Final = "6"
"""Raise it when the same file would give other blocks, so that every file is read again."""

_EMPTY: Final = "empty"
_NO_TEXT: Final = "not text, and not a known format"
_NOT_UTF_8: Final = "not UTF-8; save it as UTF-8 to index it"


class Conversion(NamedTuple):
    """The document of a file, or why there is none, and remarks on what could not be read."""

    document: FileDocument | Skipped
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class Converter:
    """How files are read and cut into blocks."""

    readers: Readers
    chunks: ChunkSettings
    counter: Counter

    def convert(self, content: Content, fingerprint: str) -> Conversion:
        """The document of a file; whatever its reader raises becomes a reason to skip the file."""
        try:
            return self._convert(content, fingerprint)
        except (UnreadableError, MissingExtraError) as error:
            reason = str(error)
        except Exception as error:
            # Readers parse whatever people write; one file must not stop the others.
            reason = f"its reader failed ({type(error).__name__}: {error})"
        # For now only: the file may be half written at this moment, so its old document stays.
        return Conversion(Skipped(content.name, reason, for_now=True))

    def _convert(self, content: Content, fingerprint: str) -> Conversion:
        name = content.name
        reader = self.readers.reader_of(content)
        if reader is None:
            return Conversion(Skipped(name, _NOT_UTF_8 if content.is_printable else _NO_TEXT))
        if content.is_blank and not self.readers.is_extra(content):
            return Conversion(Skipped(name, _EMPTY))
        parsed = reader(content)
        cut = chunks(by_session(parsed.sections), self.chunks, self.counter)
        document = file_document(content, parsed, cut, fingerprint=fingerprint)
        if not document.blocks:
            return Conversion(Skipped(name, "; ".join(parsed.notes) or _EMPTY))
        return Conversion(document, tuple(_remarks(content, parsed)))


def _remarks(content: Content, parsed: Parsed) -> Iterator[Remark]:
    if not content.is_sound and parsed.kind != "pdf":
        yield Remark(content.name, "bytes that are not UTF-8 were replaced by \ufffd")
    for note in parsed.notes:
        yield Remark(content.name, note)
