"""Documents, blocks and embeddings become rows, many at a time."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from biblicus_context.stores import checks, refusals
from biblicus_context.stores.model import Block, Entry
from biblicus_context.stores.moments import optional_microseconds
from biblicus_context.stores.sqlite.schema.packing import pack
from biblicus_context.stores.sqlite.schema.tables import MODEL_BITS
from biblicus_context.stores.sqlite.write import word_index
from biblicus_context.stores.words import IndexedText, heading_text

_Row: TypeAlias = tuple[Any, ...]

_DOCUMENT: Final = (
    "INSERT INTO documents (row, added, restricted, id, kind, title, path, uri, text_hash, created,"
    " updated, accessed, confidence, importance, conversation, parent, position, superseded_by,"
    " valid_from, valid_to, own_readers, metadata)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_BLOCK: Final = (
    "INSERT INTO blocks (row, document, position, tokens, session, id, words)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_TEXT: Final = (
    "INSERT INTO texts (block, first_line, last_line, heading, metadata, text, indexed_text)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_VECTOR: Final = "INSERT INTO vectors (row, key, data) VALUES (?, ?, ?)"


@dataclass(frozen=True, slots=True)
class NumberedEntry:
    """An entry with the row numbers of its document and its blocks."""

    entry: Entry
    document: int
    first_block: int

    @property
    def blocks(self) -> Iterator[tuple[int, Block]]:
        """Each block with its row."""
        return enumerate(self.entry.blocks or (), start=self.first_block)


def numbered(entries: Sequence[Entry], documents: int, blocks: int) -> list[NumberedEntry]:
    """Entries with the row numbers after those given out so far."""
    found = []
    for document, entry in enumerate(entries, start=documents + 1):
        found.append(NumberedEntry(entry, document, blocks + 1))
        blocks += len(entry.blocks or ())
    return found


def insert(connection: sqlite3.Connection, entries: Sequence[NumberedEntry], version: int) -> None:
    """Write the rows of all entries."""
    if not entries:
        return
    many = connection.executemany
    many(_DOCUMENT, (_document(each, version, n) for n, each in enumerate(entries)))
    many("INSERT INTO tags VALUES (?, ?, ?)", (row for each in entries for row in _tags(each)))
    many(
        "INSERT INTO readers VALUES (?, ?, ?)", (row for each in entries for row in _readers(each))
    )
    many(_TEXT, (row for n, each in enumerate(entries) for row in _texts(each, n)))
    lengths = word_index.add(connection, (each for own in entries for each in _indexed(own)))
    many(_BLOCK, (row for each in entries for row in _blocks(each, lengths)))
    pack(connection)
    models = _models(connection, entries)
    many(_VECTOR, (row for each in entries for row in _vectors(each, models)))


def _document(numbered: NumberedEntry, version: int, place: int) -> _Row:
    document = numbered.entry.document
    return (
        numbered.document,
        version,
        not document.readers.are_everybody,
        document.id,
        document.kind,
        document.title,
        document.path,
        document.uri,
        document.text_hash,
        optional_microseconds(document.created),
        optional_microseconds(document.updated),
        optional_microseconds(document.accessed),
        document.confidence,
        document.importance,
        document.conversation,
        document.parent,
        document.position,
        document.superseded_by,
        optional_microseconds(document.valid_from),
        optional_microseconds(document.valid_to),
        document.own_readers,
        checks.json_text(dict(document.metadata), f"put[{place}].document.metadata"),
    )


def _tags(numbered: NumberedEntry) -> Iterator[_Row]:
    for position, tag in enumerate(numbered.entry.document.tags):
        yield numbered.document, position, tag


def _readers(numbered: NumberedEntry) -> Iterator[_Row]:
    readers = numbered.entry.document.readers
    for is_group, names in enumerate((readers.users, readers.groups)):
        for name in sorted(names):
            yield numbered.document, is_group, name


def _texts(numbered: NumberedEntry, place: int) -> Iterator[_Row]:
    for n, (row, block) in enumerate(numbered.blocks):
        metadata = "{}"
        if block.metadata:
            where = f"put[{place}].blocks[{n}].metadata"
            metadata = checks.json_text(dict(block.metadata), where)
        heading = json.dumps(block.heading) if block.heading else "[]"
        first, last = block.lines or (None, None)
        yield row, first, last, heading, metadata, block.text, block.indexed_text


def _indexed(numbered: NumberedEntry) -> Iterator[IndexedText]:
    title = numbered.entry.document.title
    for row, block in numbered.blocks:
        text = block.text if block.indexed_text is None else block.indexed_text
        yield IndexedText(row, text, heading_text(title, block.heading))


def _blocks(numbered: NumberedEntry, lengths: dict[int, int]) -> Iterator[_Row]:
    for row, block in numbered.blocks:
        yield (
            row, numbered.document, block.position, block.tokens, block.session, block.id,
            lengths[row],
        )  # fmt: skip


def _models(connection: sqlite3.Connection, entries: Sequence[NumberedEntry]) -> dict[str, int]:
    """The numbers of the models whose vectors are written."""
    named = (
        (vectors.model, vectors.dimensions)
        for each in entries
        for vectors in each.entry.vectors
        if vectors.rows
    )
    return {model: _model(connection, model, size) for model, size in dict.fromkeys(named)}


def _model(connection: sqlite3.Connection, model: str, size: int) -> int:
    connection.execute(
        "INSERT OR IGNORE INTO models (name, dimensions) VALUES (?, ?)", (model, size)
    )
    number, dimensions = connection.execute(
        "SELECT number, dimensions FROM models WHERE name = ?", (model,)
    ).fetchone()
    if dimensions != size:
        raise refusals.other_dimensions(model, int(dimensions), size, place="dimensions")
    return int(number)


def _vectors(numbered: NumberedEntry, models: Mapping[str, int]) -> Iterator[_Row]:
    if not any(vectors.rows for vectors in numbered.entry.vectors):
        return
    import numpy as np  # heavy, and only embeddings need it

    for vectors in numbered.entry.vectors:
        if not vectors.rows:
            continue
        if not np.isfinite(np.frombuffer(vectors.data, dtype="<f4")).all():
            raise refusals.not_finite(numbered.entry.document.id, vectors.model)
        low = (models[vectors.model] << MODEL_BITS) + numbered.first_block
        keys = vectors.keys or (None,) * vectors.rows
        for n, key in enumerate(keys):
            yield low + n, key, vectors.row(n)
