"""Records that a program has at hand, as a pack of blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from biblicus_context.base import door
from biblicus_context.ingest import Record
from biblicus_context.retrieval import Candidate, ContextPack, ContextPackBlock
from biblicus_context.text import escaped_headings


@door
def pack_of_records(
    records: Iterable[tuple[Record, float | None]], *, indent: str = ""
) -> ContextPack:
    """A pack with a block for each record, with its score; those without a text are left out.

    With an `indent` before the later lines of a text, a format with a line for each record can hold
    any text: none of its lines looks like another record, or like a heading.

    >>> pack_of_records([(Record(id="m1", text="Tea is hot."), 0.9)]).blocks[0].evidence_item_id
    'm1'
    """
    blocks = [*_blocks(records, indent)]
    return ContextPack(text="", evidence_count=len(blocks), blocks=blocks)


def _blocks(
    records: Iterable[tuple[Record, float | None]], indent: str
) -> Iterator[ContextPackBlock]:
    for record, score in records:
        if record.text.strip():
            text = _indented(record.text, indent) if indent else record.text
            source = record.path or record.uri or record.id
            block = ContextPackBlock(
                evidence_item_id=record.id,
                text=text,
                source=source,
                score=score,
                metadata={**record.metadata} or None,
            )
            yield block.carrying(_facts(record, source, score or 0.0))


def _indented(text: str, indent: str) -> str:
    return f"\n{indent}".join(escaped_headings(text).splitlines())


def _facts(record: Record, source: str, score: float) -> Candidate:
    return Candidate(
        id=record.id,
        text=record.text,
        tokens=0,
        score=score,
        document=record.id,
        source=source,
        where=source,
        kind=record.kind,
        title=record.title,
        path=record.path,
        conversation=record.conversation,
        parent=record.parent,
        among_siblings=record.position,
        created=record.created,
        updated=record.updated,
        tags=record.tags,
        metadata=record.metadata,
        confidence=record.confidence,
        importance=record.importance,
    )
