"""Writes a batch, inside the open transaction."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from biblicus_context.stores import refusals
from biblicus_context.stores.model import Batch, Entry, Relation, Vectors
from biblicus_context.stores.source import Applied
from biblicus_context.stores.sql import Sql
from biblicus_context.stores.sqlite.read import activity, lookups, relations, usage
from biblicus_context.stores.sqlite.read.reading import WorkspaceReading, among
from biblicus_context.stores.sqlite.schema.rows import EMBEDDINGS
from biblicus_context.stores.sqlite.write import cleanup, vocabulary
from biblicus_context.stores.sqlite.write.insertion import insert, numbered

_ROWS: Final = "SELECT d.id, d.row FROM documents d"
_THERE: Final = (
    "SELECT id FROM documents"
    " WHERE removed IS NULL AND id IN (SELECT value FROM json_each(?)) ORDER BY id"
)
_TAKEN: Final = (
    "SELECT b.id FROM blocks b JOIN documents d ON d.row = b.document WHERE d.removed IS NULL"
    " AND b.id IN (SELECT value FROM json_each(?)) ORDER BY b.id LIMIT 1"
)
_REMOVES: Final = (
    "SELECT EXISTS (SELECT 1 FROM documents WHERE removed = ?)"
    " OR EXISTS (SELECT 1 FROM relations WHERE removed = ?)"
)
_VECTORS: Final = f"SELECT m.name, m.dimensions, v.key, v.data{EMBEDDINGS}"


class WrittenBatch(NamedTuple):
    """What a batch made, and whether bytes of what it removed are to be erased now."""

    applied: Applied
    is_due: bool


def write(
    reading: WorkspaceReading, batch: Batch, now: int, *, keep: int, erase: bool
) -> WrittenBatch:
    """Write a batch on top of the version of this read; what it removes is kept that many microseconds."""
    connection, version = reading.connection, reading.at + 1
    hidden = _hidden(reading, batch)
    _require_seen(batch, hidden)
    entries = [_with_blocks(reading, each, f"put[{n}]") for n, each in enumerate(batch.put)]
    entries = usage.with_last_uses(connection, entries, batch.remove)
    _retire(reading, {*batch.remove, *(each.document.id for each in entries)}, version)
    _require_free(reading, entries)
    _write_relations(reading, batch, hidden, version)
    documents, blocks = connection.execute("SELECT documents, blocks FROM space").fetchone()
    rows = numbered(entries, documents, blocks)
    insert(connection, rows, version)
    usage.move(connection, version, batch.remove)
    activity.forget(connection, version, batch.remove)
    added = sum(len(each.blocks or ()) for each in entries)
    connection.execute(
        "UPDATE space SET version = ?, documents = documents + ?, blocks = blocks + ?",
        (version, len(entries), added),
    )
    connection.execute("INSERT INTO versions VALUES (?, ?)", (version, now))
    cleanup.forget_times(connection, version)
    if added <= vocabulary.FEW:
        vocabulary.complete(connection)
    (removes,) = connection.execute(_REMOVES, (version, version)).fetchone()
    applied = Applied(version, bool(removes))
    if erase:
        return WrittenBatch(applied, cleanup.sweep(connection, now, keep))
    cleanup.note(connection, now + keep)
    return WrittenBatch(applied, is_due=False)


def _hidden(reading: WorkspaceReading, batch: Batch) -> set[str]:
    """Documents that a batch names and that exist, but that this principal may not see."""
    named = {each.document.id for each in batch.put}
    named.update(end for each in batch.relate for end in (each.source, each.target))
    named.update(end for each in batch.unrelate for end in (each.source, each.target))
    there = reading.connection.execute(_THERE, (json.dumps(sorted(named)),))
    return {each for (each,) in there} - _rows(reading, named).keys()


def _rows(reading: WorkspaceReading, ids: Collection[str]) -> dict[str, int]:
    return dict(reading.rows(_ROWS, among("d.id", sorted(ids))).fetchall())


def _require_seen(batch: Batch, hidden: Collection[str]) -> None:
    for n, entry in enumerate(batch.put):
        if entry.document.id in hidden:
            raise refusals.document_is_hidden(entry.document.id, f"put[{n}]")


def _with_blocks(reading: WorkspaceReading, entry: Entry, place: str) -> Entry:
    """The entry with the blocks and embeddings that it keeps."""
    if entry.blocks is not None:
        return entry
    document_id = entry.document.id
    if not _rows(reading, [document_id]):
        raise refusals.nothing_to_keep(document_id, place)
    blocks = tuple(lookups.blocks_of(reading, [document_id], None))
    return Entry(entry.document, blocks, _vectors_of(reading, document_id))


def _vectors_of(reading: WorkspaceReading, document_id: str) -> tuple[Vectors, ...]:
    found: dict[tuple[str, int], tuple[list[str | None], list[bytes]]] = {}
    order = "ORDER BY m.number, b.position, b.id"
    rows = reading.rows(_VECTORS, Sql("d.id = ?", (document_id,)), order=order)
    for name, dimensions, key, data in rows:
        keys, datas = found.setdefault((name, dimensions), ([], []))
        keys.append(key)
        datas.append(data)
    return tuple(
        Vectors(*model, b"".join(data), tuple(key for key in keys if key is not None))
        for model, (keys, data) in found.items()
    )


def _retire(reading: WorkspaceReading, ids: Collection[str], version: int) -> None:
    """Mark these documents as removed from this version on; hidden documents stay."""
    rows = json.dumps([*_rows(reading, ids).values()])
    reading.connection.execute(
        "UPDATE documents SET removed = ? WHERE row IN (SELECT value FROM json_each(?))",
        (version, rows),
    )


def _require_free(reading: WorkspaceReading, entries: Sequence[Entry]) -> None:
    ids = json.dumps([block.id for entry in entries for block in entry.blocks or ()])
    taken = reading.connection.execute(_TAKEN, (ids,)).fetchone()
    if taken is not None:
        raise refusals.id_is_taken(taken[0])


def _write_relations(
    reading: WorkspaceReading, batch: Batch, hidden: set[str], version: int
) -> None:
    """Write relations, but none of a hidden document."""

    def free(relation: Relation) -> bool:
        return relation.source not in hidden and relation.target not in hidden

    relations.forget(reading, _rows(reading, batch.remove), version)
    relations.write(reading, filter(free, batch.relate), filter(free, batch.unrelate), version)
