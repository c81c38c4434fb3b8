"""A stored document becomes the record that was written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from biblicus_context.base.doors import door
from biblicus_context.ingest.records.gaps import GAP, joined
from biblicus_context.ingest.records.record import (
    Record,
    RecordPart,
    RelationTo,
    facts,
    without_origin,
)
from biblicus_context.retrieval.origin import ORIGIN, Origin
from biblicus_context.stores import Block, Document, Json, Relation


@door
def stored_record(
    document: Document, blocks: Sequence[Block], relations: Sequence[Relation]
) -> Record:
    """The record of a document; white space at the ends of its texts is not kept."""
    parts = tuple(_part(each) for each in _runs(blocks))
    arrows = tuple(RelationTo(each.target, each.type, each.weight) for each in relations)
    origin = Origin.of(document.metadata.get(ORIGIN))
    read = facts(document) | {"metadata": without_origin(document.metadata), "origin": origin}
    known = Record(id=document.id, relations=arrows, **read)
    if len(parts) > 1 or any(part != RecordPart(text=part.text) for part in parts):
        return replace(known, parts=parts)
    return replace(known, text=parts[0].text) if parts else known


def _runs(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """The blocks of each part."""
    run: list[Block] = []
    for before, block in pairwise([None, *blocks]):
        assert block is not None
        if before is not None and not _goes_on(before, block):
            yield run
            run = []
        run.append(block)
    if run:
        yield run


def _goes_on(before: Block, block: Block) -> bool:
    return (
        block.position == before.position + 1
        and block.lines is not None
        and before.lines is not None
        and block.lines[0] >= before.lines[1]
        and (block.heading, block.session) == (before.heading, before.session)
        and _own(block) == _own(before)
    )


def _part(blocks: Sequence[Block]) -> RecordPart:
    first = blocks[0]
    metadata = _own(first)
    speaker = str(metadata.pop("speaker", "")) if first.session is not None else ""
    is_usual = speaker and first.session == first.document_id
    return RecordPart(
        text=joined(blocks),
        heading=first.heading,
        speaker=speaker,
        session=None if is_usual else first.session,
        origin=Origin.of(metadata.pop(ORIGIN, None)),
        metadata=metadata,
    )


def _own(block: Block) -> dict[str, Json]:
    return {key: value for key, value in block.metadata.items() if key != GAP}
