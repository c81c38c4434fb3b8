"""A batch, checked once at the door: every store may rely on what passes here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from biblicus_context.errors import InputError
from biblicus_context.stores import checks
from biblicus_context.stores.model import Batch, Block, Document, Entry, Relation, Vectors
from biblicus_context.stores.principal import Readers

MOST_DIMENSIONS: Final = 65_536


def checked(batch: Batch) -> Batch:
    """The batch with valid texts and each document's blocks in order.

    Whether metadata is JSON is checked when it is written: to check it here would encode it twice.
    """
    _require(batch, Batch)
    entries = []
    for n, entry in enumerate(checks.several(batch.put, "entries", "put")):
        with checks.inside(f"put[{n}]"):
            entries.append(_entry(entry))
    _once((each.document.id for each in entries), "put", "document")
    _once((block.id for each in entries for block in each.blocks or ()), "put", "block")
    for document_id in checks.sequence(batch.remove, "remove"):
        checks.name(document_id, "remove")
    for part, relations in (("relate", batch.relate), ("unrelate", batch.unrelate)):
        for n, relation in enumerate(checks.several(relations, "relations", part)):
            with checks.inside(f"{part}[{n}]"):
                _relation(relation)
    return replace(batch, put=tuple(entries))


def _entry(entry: Entry) -> Entry:
    _require(entry, Entry)
    _require(entry.document, Document, "document")
    with checks.inside("document"):
        document = checked_document(entry.document)
    if entry.blocks is None:
        if entry.vectors:
            fix = "Put the blocks too, or leave the vectors out."
            raise InputError("vectors need blocks in the same entry", place="vectors", fix=fix)
        return Entry(document)
    blocks = _blocks(checks.several(entry.blocks, "blocks", "blocks"), document)
    for n, vectors in enumerate(checks.several(entry.vectors, "vectors", "vectors")):
        with checks.inside(f"vectors[{n}]"):
            _vectors(vectors, len(blocks))
    _once((each.model for each in entry.vectors), "vectors", "model")
    order = sorted(range(len(blocks)), key=lambda n: (blocks[n].position, blocks[n].id))
    return Entry(
        document,
        tuple(blocks[n] for n in order),
        tuple(each.picked(order) for each in entry.vectors),
    )


def checked_document(document: Document) -> Document:
    """A document with valid texts, whatever is in its fields."""
    checks.name(document.id, "id")
    checks.name(document.kind, "kind")
    checks.optional_name(document.path, "path")
    checks.optional_name(document.uri, "uri")
    checks.optional_name(document.conversation, "conversation")
    checks.optional_name(document.parent, "parent")
    checks.optional_name(document.superseded_by, "superseded_by")
    if document.position is not None:
        checks.whole(document.position, "position")
    checks.optional_number(document.confidence, "confidence")
    checks.optional_number(document.importance, "importance")
    _times(document)
    checks.mapping(document.metadata, "metadata")
    _readers(document.readers)
    if not isinstance(document.own_readers, bool | None):
        found = document.own_readers
        raise InputError("True, False or None is expected", place="own_readers", found=found)
    return replace(
        document,
        title=checks.text(document.title, "title"),
        text_hash=checks.text(document.text_hash, "text_hash"),
        tags=_names(document.tags, "tags"),
    )


def _times(document: Document) -> None:
    times: Mapping[str, datetime | None] = {
        "created": document.created,
        "updated": document.updated,
        "accessed": document.accessed,
        "valid_from": document.valid_from,
        "valid_to": document.valid_to,
    }
    for part, value in times.items():
        checks.optional_moment(value, part)


def _names(values: Iterable[str], place: str) -> tuple[str, ...]:
    named = (checks.name(each, place) for each in checks.sequence(values, place))
    return tuple(dict.fromkeys(named))


def _readers(readers: Readers) -> None:
    if not isinstance(readers, Readers):
        fix = "Pass Readers(users=..., groups=...)."
        raise InputError("readers are typed", place="readers", found=readers, fix=fix)
    _names(readers.users, "readers.users")
    _names(readers.groups, "readers.groups")
    if not isinstance(readers.closed, bool):
        raise InputError("True or False is expected", place="readers.closed", found=readers.closed)


def _blocks(blocks: Iterable[Block], document: Document) -> list[Block]:
    found: list[Block] = []
    try:
        for block in blocks:
            found.append(_block(block, document))  # noqa: PERF401 - its length says which one failed
    except InputError:
        with checks.inside(f"blocks[{len(found)}]"):
            raise
    return found


def _block(block: Block, document: Document) -> Block:
    _require(block, Block)
    checks.name(block.id, "id")
    if block.document_id != document.id:
        problem = "the block belongs to another document"
        raise InputError(problem, place="document_id", found=block.document_id)
    checks.whole(block.position, "position")
    checks.whole(block.tokens, "tokens")
    checks.optional_name(block.session, "session")
    checks.mapping(block.metadata, "metadata")
    if block.lines is not None:
        _lines(block.lines)
    text = checks.text(block.text, "text")
    heading = tuple(
        checks.text(each, "heading") for each in checks.sequence(block.heading, "heading")
    )
    indexed = block.indexed_text
    if indexed is not None:
        indexed = checks.text(indexed, "indexed_text")
    if (text, heading, indexed) == (block.text, block.heading, block.indexed_text):
        return block
    return replace(block, text=text, heading=heading, indexed_text=indexed)


def _lines(lines: Sequence[int]) -> None:
    if not isinstance(lines, Sequence) or len(lines) != 2:
        raise InputError(
            "two lines are expected, the first and the last one", place="lines", found=lines
        )
    first = checks.whole(lines[0], "lines", least=1)
    checks.whole(lines[1], "lines", least=first)


def _vectors(vectors: Vectors, blocks: int) -> None:
    _require(vectors, Vectors)
    checks.name(vectors.model, "model")
    checks.whole(vectors.dimensions, "dimensions", least=1 if blocks else 0)
    if vectors.dimensions > MOST_DIMENSIONS:
        problem = f"more than {MOST_DIMENSIONS:,} dimensions"
        raise InputError(problem, place="dimensions", found=vectors.dimensions)
    if not isinstance(vectors.data, bytes | bytearray | memoryview):
        found = type(vectors.data).__name__
        raise InputError("packed float32 are expected", place="data", found=found)
    if len(vectors.data) != 4 * vectors.dimensions * blocks:
        problem = f"{vectors.dimensions} float32 are expected for each of {blocks} block(s)"
        raise InputError(problem, place="data", found=len(vectors.data) / 4)
    if vectors.keys and len(vectors.keys) != blocks:
        raise InputError(
            "a key for each row is expected, or no keys", place="keys", found=len(vectors.keys)
        )
    for key in vectors.keys:
        checks.name(key, "keys")


def _relation(relation: Relation) -> None:
    _require(relation, Relation)
    checks.name(relation.source, "source")
    checks.name(relation.target, "target")
    checks.name(relation.type, "type")
    checks.number(relation.weight, "weight")


def _require(value: object, kind: type, place: str | None = None) -> None:
    if not isinstance(value, kind):
        problem, found = f"an object of {kind.__name__} is expected", type(value).__name__
        raise InputError(problem, place=place, found=found)


def _once(ids: Iterable[str], place: str, noun: str) -> None:
    seen: set[str] = set()
    for each in ids:
        if each in seen:
            raise InputError(f"the {noun} appears twice", place=place, found=each)
        seen.add(each)
