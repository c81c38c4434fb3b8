"""A parsed file becomes a document with its blocks, and the texts to embed."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple

from biblicus_context.ingest.chunks.chunk import Chunk
from biblicus_context.ingest.chunks.section import Parsed, Section
from biblicus_context.ingest.files.content import Content
from biblicus_context.ingest.sanitizing import in_utc, metadata, name_or_none, names, shown
from biblicus_context.retrieval.analysis import code_index_text, text_index_text, turn_index_text
from biblicus_context.stores import Block, Document

_LONGEST_SUMMARY = 2_000
"""Characters of a docstring that are indexed with every chunk of a definition."""
_APART = 100
"""The distance between two records: beyond the reach of neighbours in any search."""


class FileDocument(NamedTuple):
    """A document with its blocks, before anything is embedded."""

    document: Document
    blocks: tuple[Block, ...]
    size: int
    """Of the file, in bytes."""

    @property
    def embedded_texts(self) -> list[str]:
        """The text of each block that is embedded: its headings, and what word search indexes."""
        return ["\n".join([*_headings(self, block), _searched(block)]) for block in self.blocks]


def file_document(
    content: Content, parsed: Parsed, chunks: Sequence[Chunk], *, fingerprint: str
) -> FileDocument:
    """The document of a file; a block keeps its id while its text stays the same."""
    document = Document(
        id=content.name,
        kind=parsed.kind,
        title=shown(parsed.title),
        path=content.name,
        text_hash=fingerprint,
        created=in_utc(parsed.created),
        updated=in_utc(parsed.updated or content.updated),
        confidence=parsed.confidence,
        importance=parsed.importance,
        conversation=content.name if parsed.kind == "conversation" else None,
        parent=name_or_none(parsed.parent),
        position=parsed.position,
        superseded_by=name_or_none(parsed.superseded_by),
        valid_from=in_utc(parsed.valid_from),
        valid_to=in_utc(parsed.valid_to),
        tags=names(parsed.tags),
        metadata=metadata(parsed.metadata),
    )
    return FileDocument(document, tuple(_blocks(content.name, parsed, chunks)), len(content.data))


def _blocks(name: str, parsed: Parsed, chunks: Sequence[Chunk]) -> Iterator[Block]:
    placed = zip(block_ids(name, chunks), block_positions(chunks), chunks, strict=True)
    headings: dict[tuple[str, ...], tuple[str, ...]] = {}
    for block_id, position, chunk in placed:
        section = chunk.section
        if section.heading not in headings:
            words = (shown(words) for words in section.heading if words.strip())
            headings[section.heading] = tuple(words)
        own = {"speaker": section.name} if section.kind == "turn" and section.name else {}
        yield Block(
            id=block_id,
            document_id=name,
            position=position,
            text=chunk.text,
            tokens=chunk.tokens,
            heading=headings[section.heading],
            lines=chunk.lines,
            session=name_or_none(section.session or (name if section.kind == "turn" else None)),
            metadata=metadata({**section.metadata, **own}),
            indexed_text=indexed_text(chunk.text, section, parsed.language),
        )


def block_ids(name: str, chunks: Sequence[Chunk]) -> Iterator[str]:
    """An id for each chunk of a document, which stays the same while its text does."""
    seen: Tally[str] = Tally()
    for chunk in chunks:
        digest = blake2b(chunk.text.encode(errors="replace"), digest_size=4).hexdigest()
        seen[digest] += 1
        again = f"-{seen[digest]}" if seen[digest] > 1 else ""
        yield f"{name}#{digest}{again}"


def block_positions(chunks: Sequence[Chunk]) -> Iterator[int]:
    """Their order; records are far apart, as being next to each other in a file means nothing."""
    position, before = -1, None
    for chunk in chunks:
        is_apart = chunk.section.is_record and chunk.section is not before and before is not None
        position += _APART if is_apart else 1
        before = chunk.section
        yield position


def indexed_text(text: str, section: Section, language: str = "") -> str | None:
    """What word search indexes of a chunk, where that is not its text."""
    language = section.language or language
    match "code" if section.language is not None else section.kind:
        case "code":
            summary = section.summary[:_LONGEST_SUMMARY]
            name = shown(section.name)
            return code_index_text(text, language=language, name=name, docstring=summary)
        case "turn":
            date = section.metadata.get("date")
            when = shown(date) if isinstance(date, str) else ""
            return turn_index_text(text, speaker=shown(section.name), date=when)
        case _:
            return text_index_text(text)


def _headings(document: FileDocument, block: Block) -> list[str]:
    return [words for words in (document.document.title, *block.heading) if words]


def _searched(block: Block) -> str:
    return block.text if block.indexed_text is None else block.indexed_text
