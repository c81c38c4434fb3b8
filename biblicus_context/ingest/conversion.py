"""A file's content becomes a document with its blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from biblicus_context.errors import MissingExtraError
from biblicus_context.ingest.chunks.chunk import ChunkSettings
from biblicus_context.ingest.chunks.chunking import chunks
from biblicus_context.ingest.chunks.section import Parsed, Section, UnreadableError
from biblicus_context.ingest.documents import FileDocument, file_document
from biblicus_context.ingest.files.content import Content
from biblicus_context.ingest.files.walking import SkippedFile
from biblicus_context.ingest.quotations import Quotations
from biblicus_context.ingest.readers import ReaderRegistry
from biblicus_context.ingest.readers.unread import reason_for
from biblicus_context.ingest.sanitizing import name_or_none
from biblicus_context.ingest.summary import FileRemark
from biblicus_context.text.counters import Counter

FORMAT: Final = "9"
"""Raise it when the same file would give other blocks, so that every file is read again."""

_EMPTY: Final = "empty"
_NOT_UTF_8: Final = "not UTF-8; save it as UTF-8 to index it"


class Conversion(NamedTuple):
    """The document of a file, or why there is none, and remarks on what could not be read."""

    document: FileDocument | SkippedFile
    remarks: tuple[FileRemark, ...] = ()
    quotations: int = 0
    """How often it quotes evidence of earlier results."""


@dataclass(frozen=True, slots=True)
class Converter:
    """How files are read and cut into blocks."""

    readers: ReaderRegistry
    chunks: ChunkSettings
    counter: Counter
    quotations: Quotations = field(default_factory=Quotations)

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
        return Conversion(SkippedFile(content.name, reason, for_now=True))

    def _convert(self, content: Content, fingerprint: str) -> Conversion:
        name = content.name
        reader = self.readers.reader_of(content)
        if reader is None:
            return Conversion(
                SkippedFile(name, _NOT_UTF_8 if content.is_printable else reason_for(name))
            )
        if content.is_blank and not self.readers.is_extra(content):
            return Conversion(SkippedFile(name, _EMPTY))
        dropped = 0
        if self.readers.reads_one_text(content):
            text, dropped = self.quotations.in_text(content.text())
            content = replace(content, own_text=text) if dropped else content
        parsed = reader(content)
        sections, found = self.quotations.in_sections(parsed.sections)
        cut = chunks(by_session(sections), self.chunks, self.counter)
        document = file_document(content, parsed, cut, fingerprint=fingerprint)
        quoted = dropped + found
        is_text = not self.readers.reads_bytes(content)
        remarks = (
            *_remarks(content, parsed, is_text=is_text),
            *_quoted(name, quoted, self.quotations.policy),
        )
        if not document.blocks:
            reasons = [each.note for each in remarks]
            return Conversion(SkippedFile(name, "; ".join(reasons) or _EMPTY), quotations=quoted)
        return Conversion(document, remarks, quoted)


def _remarks(content: Content, parsed: Parsed, *, is_text: bool) -> Iterator[FileRemark]:
    if is_text and not content.is_sound:
        yield FileRemark(content.name, "bytes that are not UTF-8 were replaced by \ufffd")
    for note in parsed.notes:
        yield FileRemark(content.name, note)


def _quoted(name: str, count: int, policy: str) -> Iterator[FileRemark]:
    if count:
        done = "marked" if policy == "mark" else "left out"
        noun = "quotation" if count == 1 else "quotations"
        yield FileRemark(name, f"{count:,} {noun} of evidence {done}")


def by_session(sections: Iterable[Section]) -> list[Section]:
    """The sessions in the order of their first sections, which stay in order within each.

    >>> said = [Section("one", session="a"), Section("two", session="b"), Section("three", session="a")]
    >>> [section.text for section in by_session(said)]
    ['one', 'three', 'two']
    """
    found = [*sections]
    # By their names as stores keep them; two that are cut to the same name become one session.
    names = {name: name_or_none(name) for name in dict.fromkeys(each.session for each in found)}
    order = {name: place for place, name in enumerate(dict.fromkeys(names.values()))}
    return sorted(found, key=lambda each: order[names[each.session]])
