"""A batch is written: one round trip to take the collection and look things up, one to write and commit."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np

from biblicus_context.stores import refusals
from biblicus_context.stores.model import Batch, Block, Entry, Relation
from biblicus_context.stores.moments import microseconds, moment
from biblicus_context.stores.postgres import cleanup, rows
from biblicus_context.stores.postgres.driver import Rows, WriteTransaction
from biblicus_context.stores.postgres.opening import MOST_VERSIONS
from biblicus_context.stores.postgres.sql import FOREVER, joined, key_of, keys_of
from biblicus_context.stores.postgres.visibility import readable, space_key
from biblicus_context.stores.ranking.word_packs import WordIndexer
from biblicus_context.stores.replaced_blocks import replaced_blocks
from biblicus_context.stores.source import WIDTH, Applied, Scope
from biblicus_context.stores.sql import Sql
from biblicus_context.stores.words import IndexedText, heading_text

_KEPT_TOKENS: Final = 1000
"""Versions: who repeats a write does so before many others wrote."""
_BLOCKS_OF_A_PACK: Final = 2048

MAKE: Final = "INSERT INTO space (key, workspace, collection) VALUES (%s, %s, %s) ON CONFLICT (key) DO NOTHING"
_TAKE: Final = "SELECT ws, version, documents, blocks FROM space WHERE key = %s FOR UPDATE"
_MINE: Final = "ws = (SELECT current_ws())"
_ALIVE: Final = f"d.{_MINE} AND d.removed = {FOREVER}"
_DOCUMENTS: Final = (
    "INSERT INTO document (ws, row, added, restricted, users, groups, id, id_key, kind, title, path, uri,"
    " text_hash, created, updated, accessed, confidence, importance, conversation, conversation_key,"
    " parent, parent_key, position, superseded_by, superseded_key, valid_from, valid_to, own_readers,"
    " tags, metadata, facts) SELECT %s, row, %s, restricted, users, groups, id, id_key, kind, title, path,"
    " uri, text_hash, created, updated, accessed, confidence, importance, conversation, conversation_key,"
    " parent, parent_key, position, superseded_by, superseded_key, valid_from, valid_to, own_readers,"
    " tags, metadata, facts FROM json_populate_recordset(NULL::document, %s::json)"
)
_BLOCKS: Final = (
    "INSERT INTO block (ws, row, document, position, tokens, words, session, id, id_key, first_line,"
    " last_line, heading, metadata, facts, text, indexed_text) SELECT %s, row, document, position, tokens,"
    " words, session, id, id_key, first_line, last_line, heading, metadata, facts, text,"
    " indexed_text FROM json_populate_recordset(NULL::block, %s::json)"
)
_VECTORS: Final = (
    "INSERT INTO vector (ws, model, row, key, data) SELECT m.ws, m.number, v.row, v.key,"
    " substring(%s::bytea FROM ((v.n - 1) * %s + 1)::integer FOR %s)"
    " FROM unnest(%s::bigint[], %s::bytea[]) WITH ORDINALITY v (row, key, n), model m"
    " WHERE m.ws = %s AND m.name = %s"
)
_MODEL: Final = (
    "INSERT INTO model (ws, number, name, dimensions) SELECT %s, coalesce(max(number), 0) + 1, %s, %s"
    " FROM model WHERE ws = %s HAVING NOT coalesce(bool_or(name = %s), false)"
)


class KeyedVectors(NamedTuple):
    """The embeddings of one document by one model, each with what it is found by."""

    model: str
    dimensions: int
    data: bytes
    keys: Sequence[bytes | None]


@dataclass(frozen=True, slots=True)
class PlacedEntry:
    """An entry with the row numbers of its document and its blocks."""

    entry: Entry
    vectors: Sequence[KeyedVectors]
    document: int
    first: int
    place: str

    @property
    def blocks(self) -> Iterator[tuple[int, Block]]:
        """Each block with its row."""
        return enumerate(self.entry.blocks or (), start=self.first)


class _Named(NamedTuple):
    """A document that a batch names, and that exists."""

    row: int
    is_seen: bool
    accessed: int | None


class _Known(NamedTuple):
    """What was looked up before anything is changed."""

    documents: Mapping[str, _Named]
    taken: Sequence[tuple[str, int]]
    """Blocks that exist by the ids of a batch, and the rows of their documents."""
    blocks: Mapping[str, tuple[Block, ...]]
    """Of the documents that keep theirs."""
    vectors: Mapping[str, tuple[KeyedVectors, ...]]
    dimensions: Mapping[str, int]
    """Of each model."""
    usage: Mapping[str, Mapping[str, tuple[Any, ...]]]
    """The counts of the blocks of each document that a batch changes, in their order."""

    @classmethod
    def of(cls, looked: Sequence[Rows]) -> _Known:
        """The answers, in the order of the questions."""
        named, taken, kept, embedded, models, used = looked
        blocks: dict[str, list[Block]] = {}
        for each in map(rows.block, kept):
            blocks.setdefault(each.document_id, []).append(each)
        usage: dict[str, dict[str, tuple[Any, ...]]] = {}
        for id_, block, *counts in used:
            usage.setdefault(id_, {})[block] = tuple(counts)
        return cls(
            {id_: _Named(*rest) for id_, *rest in named},
            [(block, row) for block, row in taken],
            {id_: tuple(own) for id_, own in blocks.items()},
            _keyed(embedded),
            dict(models),
            usage,
        )

    @property
    def hidden(self) -> set[str]:
        """Documents that exist, and that the writer may not see."""
        return {id_ for id_, each in self.documents.items() if not each.is_seen}

    def seen(self, ids: Iterable[str]) -> dict[str, int]:
        """The rows of those of these documents that the writer sees."""
        found = ((id_, self.documents.get(id_)) for id_ in ids)
        return {id_: each.row for id_, each in found if each is not None and each.is_seen}


def _keyed(found: Rows) -> dict[str, tuple[KeyedVectors, ...]]:
    kept: dict[str, dict[tuple[str, int], list[tuple[bytes | None, bytes]]]] = {}
    for id_, model, size, key, data in found:
        kept.setdefault(id_, {}).setdefault((model, size), []).append((key, data))
    return {
        id_: tuple(
            KeyedVectors(*model, b"".join(data for _, data in own), [key for key, _ in own])
            for model, own in models.items()
        )
        for id_, models in kept.items()
    }


class AppliedBatch(NamedTuple):
    """What a batch made, and what is to be done after it."""

    applied: Applied
    due: cleanup.Due


def write(
    transaction: WriteTransaction,
    scope: Scope,
    batch: Batch,
    expected: int | None,
    *,
    token: str,
    keep: int,
    indexer: WordIndexer,
    is_made: bool,
) -> AppliedBatch:
    """Write a batch on top of the newest version; what it removes is kept that many microseconds."""
    found = transaction.ask(*_lookups(scope, batch, token, is_made=is_made))
    (space,), done, *looked = found[0 if is_made else 1 :]
    ws, version, documents, blocks = space
    if done:
        return AppliedBatch(Applied(*done[0]), cleanup.NOT_DUE)
    if expected is not None and expected != version:
        raise refusals.version_conflict(expected, version)
    known = _Known.of(looked)
    entries = numbered(_Wanted(batch, known).entries, documents, blocks)
    changes = _Changes(batch, known, entries, ws, version + 1)
    *_, ((removes,),), (due,) = transaction.ask(
        *changes.statements(indexer, keep, token), cleanup.due(ws, keep), commit=True
    )
    return AppliedBatch(Applied(version + 1, removes), cleanup.Due(*due))


def _lookups(scope: Scope, batch: Batch, token: str, *, is_made: bool) -> Iterator[Sql]:
    who, key = scope.principal, space_key(scope)
    if not is_made:
        yield Sql(MAKE, (key, who.workspace, scope.collection))
    yield Sql(_TAKE, (key,))
    yield Sql(f"SELECT version, removes FROM token WHERE {_MINE} AND token = %s", (token,))
    own = readable(who)
    named = {each.document.id for each in batch.put} | {*batch.remove}
    named |= {
        end for each in (*batch.relate, *batch.unrelate) for end in (each.source, each.target)
    }
    yield joined(
        "SELECT d.id, d.row, coalesce(",
        own,
        f", false), d.accessed FROM document d WHERE {_ALIVE}",
        Sql("AND d.id_key = ANY (%s::bytea[])", (keys_of(sorted(named)),)),
    )
    ids = [block.id for each in batch.put for block in each.blocks or ()]
    yield Sql(
        f"SELECT b.id, d.row FROM block b JOIN document d ON d.ws = b.ws AND d.row = b.document"
        f" WHERE {_ALIVE} AND b.id_key = ANY (%s::bytea[]) ORDER BY b.id",
        (keys_of(ids),),
    )
    kept = keys_of(each.document.id for each in batch.put if each.blocks is None)
    of_kept = "FROM document d JOIN block b ON b.ws = d.ws AND b.document = d.row"
    where = f"WHERE {_ALIVE} AND d.id_key = ANY (%s::bytea[])"
    yield Sql(f"SELECT {rows.BLOCK} {of_kept} {where} ORDER BY d.row, b.position, b.id", (kept,))
    yield Sql(
        f"SELECT d.id, m.name, m.dimensions, v.key, v.data {of_kept}"
        " JOIN vector v ON v.ws = b.ws AND v.row = b.row"
        " JOIN model m ON m.ws = v.ws AND m.number = v.model"
        f" {where} ORDER BY d.row, m.number, b.position, b.id",
        (kept,),
    )
    yield Sql(f"SELECT name, dimensions FROM model WHERE {_MINE}")
    changed = keys_of(sorted({each.document.id for each in batch.put} | {*batch.remove}))
    yield Sql(
        "SELECT d.id, b.id, u.used, u.helpful, u.unhelpful, u.last_used FROM document d"
        " JOIN block b ON b.ws = d.ws AND b.document = d.row"
        " LEFT JOIN usage u ON u.ws = b.ws AND u.block = b.id_key"
        f" WHERE {_ALIVE} AND d.id_key = ANY (%s::bytea[]) AND EXISTS (SELECT FROM block x"
        " JOIN usage y ON y.ws = x.ws AND y.block = x.id_key WHERE x.ws = d.ws AND x.document = d.row)"
        " ORDER BY d.row, b.position, b.id",
        (changed,),
    )


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a batch puts, once it is known what is there."""

    batch: Batch
    known: _Known

    @property
    def entries(self) -> list[tuple[Entry, Sequence[KeyedVectors]]]:
        """The entries with the blocks and embeddings that they keep; what is refused is an InputError."""
        known, entries = self.known, self.batch.put
        for n, entry in enumerate(entries):
            if entry.document.id in known.hidden:
                raise refusals.document_is_hidden(entry.document.id, f"put[{n}]")
        found = [self._with_blocks(entry, f"put[{n}]") for n, entry in enumerate(entries)]
        retired = {
            *known.seen([*self.batch.remove, *(each.document.id for each in entries)]).values()
        }
        for block, row in known.taken:
            if row not in retired:
                raise refusals.id_is_taken(block)
        return found

    def _with_blocks(self, entry: Entry, place: str) -> tuple[Entry, Sequence[KeyedVectors]]:
        id_, known = entry.document.id, self.known
        entry = self._with_last_use(entry)
        if entry.blocks is not None:
            return entry, [*self._vectors(entry)]
        if not known.seen([id_]):
            raise refusals.nothing_to_keep(id_, place)
        return replace(entry, blocks=known.blocks.get(id_, ())), known.vectors.get(id_, ())

    def _with_last_use(self, entry: Entry) -> Entry:
        """A document keeps the last use of the one that it replaces."""
        document = entry.document
        named = self.known.documents.get(document.id)
        last = None if named is None else moment(named.accessed)
        if last is None or document.id in self.batch.remove:
            return entry
        accessed = max(last, document.accessed or last)
        return replace(entry, document=replace(document, accessed=accessed))

    def _vectors(self, entry: Entry) -> Iterator[KeyedVectors]:
        for each in entry.vectors:
            if not each.rows:
                continue
            if not np.isfinite(np.frombuffer(each.data, dtype="<f4")).all():
                raise refusals.not_finite(entry.document.id, each.model)
            keys = keys_of(each.keys) if each.keys else [None] * each.rows
            yield KeyedVectors(each.model, each.dimensions, bytes(each.data), keys)


def numbered(
    entries: Sequence[tuple[Entry, Sequence[KeyedVectors]]], documents: int, blocks: int
) -> list[PlacedEntry]:
    """Entries with the row numbers after those given out so far."""
    found = []
    for n, (entry, vectors) in enumerate(entries):
        found.append(PlacedEntry(entry, vectors, documents + 1 + n, blocks + 1, f"put[{n}]"))
        blocks += len(entry.blocks or ())
    return found


@dataclass(frozen=True, slots=True)
class _Changes:
    """What a batch changes, as statements."""

    batch: Batch
    known: _Known
    entries: Sequence[PlacedEntry]
    ws: int
    version: int

    def statements(self, indexer: WordIndexer, keep: int, token: str) -> list[Sql]:
        """All of them, in their order; the last one returns whether something is gone since."""
        return [
            *self._retired(),
            *self._relations(),
            *self._inserted(indexer),
            *self._models(),
            *self._used(),
            *self._noted(keep, token),
        ]

    def _retired(self) -> Iterator[Sql]:
        ids = [*self.batch.remove, *(each.entry.document.id for each in self.entries)]
        if found := self.known.seen(ids):
            statement = "UPDATE document SET removed = %s WHERE ws = %s AND row = ANY (%s)"
            yield Sql(statement, (self.version, self.ws, sorted({*found.values()})))

    def _relations(self) -> Iterator[Sql]:
        """No relation of a hidden document is written or ended."""
        own, hidden = (self.version, self.ws), self.known.hidden
        if gone := keys_of(self.known.seen(self.batch.remove)):
            yield Sql(
                f"UPDATE relation SET removed = %s WHERE ws = %s AND removed = {FOREVER}"
                " AND (source_key = ANY (%s) OR target_key = ANY (%s))",
                (*own, gone, gone),
            )
        begun = {_arrow(each): each for each in self.batch.relate}
        ended = {_arrow(each) for each in self.batch.unrelate} | begun.keys()
        free = sorted(each for each in ended if not {each[0], each[1]} & hidden)
        if not free:
            return
        sources, targets, types = (list(each) for each in zip(*free, strict=True))
        yield Sql(
            f"UPDATE relation r SET removed = %s FROM unnest(%s::bytea[], %s::bytea[], %s::text[])"
            f" e (source, target, type) WHERE r.ws = %s AND r.removed = {FOREVER}"
            " AND r.source_key = e.source AND r.target_key = e.target AND r.type = e.type",
            (self.version, keys_of(sources), keys_of(targets), types, self.ws),
        )
        if new := [begun[each] for each in free if each in begun]:
            yield Sql(
                "INSERT INTO relation (ws, added, source, source_key, target, target_key, type, weight)"
                " SELECT %s, %s, e.* FROM unnest(%s::text[], %s::bytea[], %s::text[], %s::bytea[],"
                " %s::text[], %s::double precision[]) e",
                (
                    self.ws,
                    self.version,
                    [each.source for each in new],
                    keys_of(each.source for each in new),
                    [each.target for each in new],
                    keys_of(each.target for each in new),
                    [each.type for each in new],
                    [float(each.weight) for each in new],
                ),
            )

    def _inserted(self, indexer: WordIndexer) -> Iterator[Sql]:
        if not self.entries:
            return
        words, lengths = indexer.indexed(_texts(self.entries))
        documents = [
            rows.document_row(each.entry.document, each.document, each.place)
            for each in self.entries
        ]
        yield Sql(_DOCUMENTS, (self.ws, self.version, _json(documents)))
        blocks = [
            rows.block_row(block, row, each.document, lengths[row], f"{each.place}.blocks[{n}]")
            for each in self.entries
            for n, (row, block) in enumerate(each.blocks)
        ]
        if blocks:
            yield Sql(_BLOCKS, (self.ws, _json(blocks)))
        for pack in _packs(self.entries, lengths):
            yield Sql("INSERT INTO pack VALUES (%s, %s, %s, %s, %s, %s)", (self.ws, *pack))
        if words is not None:
            yield cleanup.recent_row(self.ws, words)

    def _models(self) -> Iterator[Sql]:
        dimensions = dict(self.known.dimensions)
        for each in self.entries:
            for vectors in each.vectors:
                size = dimensions.setdefault(vectors.model, vectors.dimensions)
                if size != vectors.dimensions:
                    found = vectors.dimensions
                    raise refusals.other_dimensions(vectors.model, size, found, place="dimensions")
        for model, size in dimensions.items():
            if model not in self.known.dimensions:
                yield Sql(_MODEL, (self.ws, model, size, self.ws, model))
            listed, keys, data = _rows_of(model, self.entries)
            if listed:
                bound = (b"".join(data), 4 * size, 4 * size, listed, keys, self.ws, model)
                yield Sql(_VECTORS, bound)

    def _used(self) -> Iterator[Sql]:
        """Counts go with their blocks, or move to those in their place."""
        removed = self.known.seen(self.batch.remove)
        after = {
            each.entry.document.id: [block.id for block in each.entry.blocks or ()]
            for each in self.entries
        }
        gone: list[str] = []
        moved: dict[str, tuple[Any, ...]] = {}
        for id_, before in self.known.usage.items():
            if id_ not in removed and id_ not in after:
                continue  # hidden
            kept = [] if id_ in removed else after[id_]
            gone += [each for each in before if each not in {*kept}]
            for old, new in replaced_blocks([*before], kept):
                if before[old][0] is not None:
                    moved[new] = before[old]
        if gone:
            statement = "DELETE FROM usage WHERE ws = %s AND block = ANY (%s)"
            yield Sql(statement, (self.ws, keys_of(gone)))
        for new, counts in moved.items():
            yield Sql(
                "INSERT INTO usage VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
                (self.ws, key_of(new), *counts),
            )
        if removed:
            statement = "DELETE FROM activity WHERE ws = %s AND document = ANY (%s)"
            yield Sql(statement, (self.ws, keys_of(removed)))

    def _noted(self, keep: int, token: str) -> Iterator[Sql]:
        ws, version = self.ws, self.version
        blocks = sum(len(each.entry.blocks or ()) for each in self.entries)
        yield Sql(f"INSERT INTO version VALUES (%s, %s, {cleanup.NOW})", (ws, version))
        yield Sql(
            "DELETE FROM version WHERE ws = %s AND number < %s", (ws, version - MOST_VERSIONS)
        )
        gone = (
            "EXISTS (SELECT FROM document WHERE ws = %s AND removed = %s)"
            " OR EXISTS (SELECT FROM relation WHERE ws = %s AND removed = %s)"
        )
        yield Sql(
            "UPDATE space SET version = %s, documents = documents + %s, blocks = blocks + %s,"
            f" remains = CASE WHEN {gone} THEN {cleanup.NOW} + %s ELSE remains END WHERE ws = %s",
            (version, len(self.entries), blocks, *(ws, version) * 2, keep, ws),
        )
        kept = (ws, version - _KEPT_TOKENS)
        yield Sql("DELETE FROM token WHERE ws = %s AND version <= %s", kept)
        yield Sql(
            f"INSERT INTO token SELECT %s, %s, %s, {gone} RETURNING removes",
            (ws, token, version, *(ws, version) * 2),
        )


def _arrow(relation: Relation) -> tuple[str, str, str]:
    return relation.source, relation.target, relation.type


def _json(listed: Sequence[Mapping[str, object]]) -> str:
    return json.dumps(listed, ensure_ascii=False)


def _texts(entries: Iterable[PlacedEntry]) -> Iterator[IndexedText]:
    for each in entries:
        title = each.entry.document.title
        for row, block in each.blocks:
            text = block.text if block.indexed_text is None else block.indexed_text
            yield IndexedText(row, text, heading_text(title, block.heading))


def _rows_of(
    model: str, entries: Iterable[PlacedEntry]
) -> tuple[list[int], list[bytes | None], list[bytes]]:
    """The rows, keys and numbers of all embeddings by a model."""
    listed: list[int] = []
    keys: list[bytes | None] = []
    data: list[bytes] = []
    for each in entries:
        for vectors in each.vectors:
            if vectors.model == model:
                listed += range(each.first, each.first + len(vectors.keys))
                keys += vectors.keys
                data.append(vectors.data)
    return listed, keys, data


def _packs(
    entries: Sequence[PlacedEntry], lengths: Mapping[int, int]
) -> Iterator[tuple[int, int, bytes, str, str]]:
    """Rows of `pack`: whole documents with a few thousand blocks."""
    some: list[PlacedEntry] = []
    for each in entries:
        some.append(each)
        if sum(len(own.entry.blocks or ()) for own in some) >= _BLOCKS_OF_A_PACK:
            yield _pack(some, lengths)
            some = []
    if some:
        yield _pack(some, lengths)


def _pack(
    entries: Sequence[PlacedEntry], lengths: Mapping[int, int]
) -> tuple[int, int, bytes, str, str]:
    columns: list[tuple[int, ...]] = []
    names: list[tuple[str, str, str | None]] = []
    messages: list[tuple[int, str, int]] = []
    for each in entries:
        document = each.entry.document
        firsts: dict[str | None, int] = {}
        for row, block in each.blocks:
            first = firsts.setdefault(block.session, row)
            is_turn = block.session is not None
            columns.append(
                (row, each.document, lengths[row], block.position, block.tokens, first, is_turn)
            )
            names.append((block.id, document.id, block.session))
        if document.conversation is not None:
            when = document.created or document.updated
            made = 0 if when is None else microseconds(when)
            messages.append((each.document, document.conversation, made))
    packed = np.array(columns, dtype="<i8").reshape(-1, WIDTH).tobytes()
    last = entries[-1].first + len(entries[-1].entry.blocks or ()) - 1
    texts = (json.dumps(each, ensure_ascii=False) for each in (names, messages))
    return (entries[-1].document, last, packed, *texts)  # type: ignore[return-value]
