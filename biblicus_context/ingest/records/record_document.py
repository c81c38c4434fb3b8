"""A record becomes a document with its blocks."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Final, NamedTuple

from biblicus_context.errors import InputError
from biblicus_context.ingest.chunks.chunk import Chunk, ChunkSettings
from biblicus_context.ingest.chunks.chunking import chunks
from biblicus_context.ingest.chunks.section import Section
from biblicus_context.ingest.documents import (
    FileDocument,
    block_ids,
    block_positions,
    indexed_text,
)
from biblicus_context.ingest.quotations import Quotations
from biblicus_context.ingest.records.gaps import gaps
from biblicus_context.ingest.records.record import (
    Record,
    RecordPart,
    document_of,
    with_origin,
)
from biblicus_context.ingest.sanitizing import name_or_none, shown
from biblicus_context.stores import Block
from biblicus_context.stores.checks import sequence, several, text
from biblicus_context.text.counters import Counter

_MARK: Final = "record-"
_ONE_OF_THEM: Final = "Leave `text` out, or make it the first part."


class RecordDocument(NamedTuple):
    """The document of a record, and how often it quotes evidence of earlier results."""

    document: FileDocument
    quotations: int


def record_document(
    record: Record, settings: ChunkSettings, counter: Counter, quotations: Quotations
) -> RecordDocument:
    """The document of a record; a block keeps its id while its text stays the same."""
    if not isinstance(record, Record):
        raise InputError("a Record is expected", found=type(record).__name__)
    document = document_of(record)
    several(record.parts, "parts", "parts")
    if record.text and record.parts:
        raise InputError("a record has a text or parts, not both", place="text", fix=_ONE_OF_THEM)
    sections, quoted = quotations.in_sections(_sections(record))
    cut = chunks(sections, settings, counter)
    size = sum(len(each.text) for each in sections)
    document = replace(document, text_hash=_text_hash(sections))
    blocks = tuple(_blocks(record, cut))
    return RecordDocument(FileDocument(document, blocks, size), quoted)


def _sections(record: Record) -> Iterator[Section]:
    if not record.parts:
        yield Section(text(record.text, "text"), first_line=1)
    for number, part in enumerate(record.parts):
        yield _section(part, f"parts[{number}]")


def _section(part: RecordPart, place: str) -> Section:
    if not isinstance(part, RecordPart):
        raise InputError("a RecordPart is expected", place=place, found=type(part).__name__)
    is_turn, at = bool(part.speaker or part.session), f"{place}.heading"
    return Section(
        text(part.text, f"{place}.text"),
        first_line=1,
        heading=tuple(shown(text(each, at)) for each in sequence(part.heading, at)),
        kind="turn" if is_turn else "record",
        session=None if part.session is None else text(part.session, f"{place}.session"),
        name=shown(text(part.speaker, f"{place}.speaker")),
        metadata=with_origin(part.metadata, part.origin, f"{place}.origin"),
    )


def _text_hash(sections: Sequence[Section]) -> str:
    digest = blake2b(digest_size=16)
    for section in sections:
        digest.update(section.text.encode() + b"\0")
    return f"{_MARK}{digest.hexdigest()}"


def _blocks(record: Record, cut: Sequence[Chunk]) -> Iterator[Block]:
    chunks_of = Tally(id(chunk.section) for chunk in cut)
    placed = zip(block_ids(record.id, cut), block_positions(cut), gaps(cut), cut, strict=True)
    for block_id, position, gap, chunk in placed:
        section = chunk.section
        is_turn = section.kind == "turn"
        own = {"speaker": section.name} if is_turn and section.name else {}
        yield Block(
            id=block_id,
            document_id=record.id,
            position=position,
            text=chunk.text,
            tokens=chunk.tokens,
            heading=tuple(filter(None, section.heading)),
            # Where a text is in several blocks, lines say which; for a memory they say nothing.
            lines=chunk.lines if record.path or chunks_of[id(section)] > 1 else None,
            session=name_or_none(section.session or record.id) if is_turn else None,
            metadata={**section.metadata, **own, **gap},
            indexed_text=indexed_text(chunk.text, section),
        )
