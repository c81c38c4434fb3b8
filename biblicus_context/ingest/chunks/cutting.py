"""A file's content becomes a document with its blocks: a pure function, which any process can run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from biblicus_context.errors import MissingExtraError
from biblicus_context.ingest.chunks.chunking import chunks
from biblicus_context.ingest.chunks.section import Parsed
from biblicus_context.ingest.chunks.sessions import by_session
from biblicus_context.ingest.chunks.settings import ChunkSettings
from biblicus_context.ingest.entries import Drawn, drawn
from biblicus_context.ingest.files.content import Content
from biblicus_context.ingest.files.unreadable import UnreadableError
from biblicus_context.ingest.files.walking import Skipped
from biblicus_context.ingest.readers import Reader, Readers
from biblicus_context.ingest.summary import Remark
from biblicus_context.text.counters import Counter

FORMAT: Final = "6"
"""Changes when the same file would make other blocks, so that everything is read again."""

_EMPTY: Final = "empty"
_NO_TEXT: Final = "not text, and of no format that is read"
_NOT_UTF_8: Final = "not UTF-8; saved as UTF-8 it is read"


class Job(NamedTuple):
    """A file that is new or has changed."""

    content: Content
    fingerprint: str


Item: TypeAlias = Job | Skipped
"""A file to cut, or one that could not be opened and only keeps its place among the others."""


class Cut(NamedTuple):
    """What became of a file, and what is to be said of it."""

    document: Drawn | Skipped
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class Cutting:
    """How files are parsed and cut."""

    readers: Readers
    chunks: ChunkSettings
    counter: Counter

    def of(self, item: Item) -> Cut:
        """The document of a file, or why there is none."""
        if isinstance(item, Skipped):
            return Cut(item)
        name = item.content.name
        try:
            return self.tried(item)
        except MissingExtraError as error:
            return Cut(Skipped(name, str(error), for_now=True))
        except Exception as error:
            # Readers are the door to whatever people write; one file must not stop the others.
            reason = f"its reader failed ({type(error).__name__}: {error})"
            return Cut(Skipped(name, reason, for_now=True))

    def tried(self, job: Job) -> Cut:
        """The same of a file that could be opened, where an error that is not the file's comes out."""
        name = job.content.name
        reader = self.readers.reader_of(job.content)
        if reader is None:
            return Cut(Skipped(name, _NOT_UTF_8 if job.content.is_printable else _NO_TEXT))
        if job.content.is_blank and not self.readers.is_extra(job.content):
            return Cut(Skipped(name, _EMPTY))
        try:
            return self._cut(reader, job)
        except UnreadableError as error:  # perhaps half of it is written so far
            return Cut(Skipped(name, str(error), for_now=True))

    def _cut(self, reader: Reader, job: Job) -> Cut:
        parsed = reader(job.content)
        cut = chunks(by_session(parsed.sections), self.chunks, self.counter)
        document = drawn(job.content, parsed, cut, fingerprint=job.fingerprint)
        if not document.blocks:
            return Cut(Skipped(job.content.name, "; ".join(parsed.notes) or _EMPTY))
        return Cut(document, tuple(_remarks(job.content, parsed)))


def _remarks(content: Content, parsed: Parsed) -> Iterator[Remark]:
    if not content.is_sound and parsed.kind != "pdf":
        yield Remark(content.name, "some of it is not UTF-8, and stands as \ufffd")
    for note in parsed.notes:
        yield Remark(content.name, note)
