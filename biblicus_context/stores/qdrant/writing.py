"""A batch is written: its texts, words and embeddings first, which nobody finds, and then the head that names them."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np

from biblicus_context.stores import refusals
from biblicus_context.stores.errors import AnswerLostError, StoreError
from biblicus_context.stores.model import Batch, Block, Document, Entry, Relation, Vectors
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.qdrant.catalogue import (
    FOREVER,
    Catalogue,
    KnownDocument,
    NamedBlock,
    digest,
    is_readable,
    readers_of,
)
from biblicus_context.stores.qdrant.head import (
    Facts,
    Head,
    PackSegment,
    merged_facts,
    new_write,
    vectors_kind,
)
from biblicus_context.stores.qdrant.packs import Embeddings, WordBuckets, entries_of
from biblicus_context.stores.qdrant.points import Point, point_id
from biblicus_context.stores.qdrant.reading import raw_vectors, text_id
from biblicus_context.stores.qdrant.space import Space
from biblicus_context.stores.qdrant.texts import (
    BlockText,
    document_as_json,
    metadata_as_json,
    packed,
)
from biblicus_context.stores.ranking.word_packs import WordIndexer
from biblicus_context.stores.replaced_blocks import replaced_blocks
from biblicus_context.stores.source import Applied, Scope
from biblicus_context.stores.words import IndexedText, heading_text

_OVERTAKEN: Final = 100
"""How often others may be faster before a writer gives up."""
_LONG_TAIL: Final = 6_000
"""Characters of facts, or of documents, that every read takes along: more become a pack."""
_CHARACTERS_OF_A_PACK: Final = 512 * 1024


class RawVectors(NamedTuple):
    """The embeddings of one document by one model, and what each is found by."""

    model: str
    dimensions: int
    rows: Sequence[bytes]
    keys: Sequence[str | None]
    """Digests."""


@dataclass(frozen=True, slots=True)
class Put:
    """A document to write, with the blocks and embeddings that it has or keeps."""

    document: Document
    blocks: Sequence[Block]
    vectors: Sequence[RawVectors]
    place: str
    kept: KnownDocument | None = None
    """Whose blocks it keeps."""


class SentBatch(NamedTuple):
    """What was sent before it is committed: rows are counted from 0 and numbers of models are not known yet."""

    write: str
    documents: Sequence[tuple[dict[str, Any], int, Sequence[NamedBlock], Sequence[str]]]
    """Each as JSON, with the number of its first block, its blocks and its models."""
    blocks: int
    words: WordBuckets | None
    vectors: Mapping[str, tuple[int, Embeddings]]
    """By model, with the dimensions."""
    kept: Mapping[str, KnownDocument]
    """The documents whose blocks were copied."""

    def is_of(self, known: Catalogue, version: int) -> bool:
        """Whether what was copied is what a version has."""
        return all(known.alive(id_, version) is each for id_, each in self.kept.items())


def apply(
    space: Space,
    scope: Scope,
    batch: Batch,
    expected: int | None,
    *,
    token: str,
    keep: int,
    now: int,
    indexer: WordIndexer,
) -> Applied:
    """Write a batch on top of the newest version; what it removes is kept that many microseconds."""
    sent: SentBatch | None = None
    try:
        for _ in range(_OVERTAKEN):
            head, known, _ = space.follow()
            if token in known.tokens:
                return Applied(*known.tokens[token])
            if expected is not None and expected != head.version:
                raise refusals.version_conflict(expected, head.version)
            plan = BatchPlan(space, scope.principal, batch, head, known)
            plan.require_sound()
            if sent is None or not sent.is_of(known, head.version):
                _discard(space, sent)  # what was copied is not what is there any more
                sent = plan.sent(indexer, new_write(now))
                if sent.documents:  # others may have written meanwhile
                    continue
            if (applied := _committed(space, plan, head, sent, token, now, keep)) is not None:
                sent = None
                return applied
        problem = "other writers were faster, again and again"
        raise StoreError(problem, place=space.points.place, fix="Try again.")
    except AnswerLostError:
        sent = None  # it may be committed
        raise
    finally:
        _discard(space, sent)


def _discard(space: Space, sent: SentBatch | None) -> None:
    """What was refused is not kept."""
    if sent is not None and sent.documents:
        space.remove([sent.write])


def _committed(
    space: Space, plan: BatchPlan, head: Head, sent: SentBatch, token: str, now: int, keep: int
) -> Applied | None:
    with space.lock:
        change = plan.change(sent, token, now)
    newer, documents = _headed(head, change, sent)
    if change.removes:
        newer = replace(newer, remains=now + keep)
    if not commit(space, head, newer, change.facts, documents, now=now):
        return None
    return Applied(newer.version, change.removes)


def _headed(head: Head, change: Change, sent: SentBatch) -> tuple[Head, list[list[Any]]]:
    """The head with what was sent, and the documents as packs have them."""
    models = dict(head.models)
    for model, (size, _) in sent.vectors.items():
        models.setdefault(model, (1 + max((n for n, _ in models.values()), default=0), size))
    first = head.blocks + 1
    words = () if sent.words is None else (sent.words.segment(sent.write, first),)
    vectors = [
        own.segment(sent.write, digest(model), first, sent.blocks)
        for model, (_, own) in sent.vectors.items()
    ]
    newer = replace(
        head,
        version=change.version,
        documents=head.documents + len(sent.documents),
        blocks=head.blocks + sent.blocks,
        models=models,
        words=(*head.words, *words),
        vectors=(*head.vectors, *vectors),
    )
    return newer, change.documents(head, sent, models)


def commit(
    space: Space,
    known: Head,
    head: Head,
    facts: Facts,
    documents: Sequence[list[Any]] = (),
    *,
    now: int,
) -> bool:
    """Commit a head with newer facts and documents; what is too long for it becomes a pack first."""
    tail = merged_facts(head.tail, facts)
    listed = [*tail.pop("documents", ()), *documents]
    points: list[Point] = []
    packs, gathered = head.packs, head.facts
    if listed and _length(listed) > _LONG_TAIL:
        for some in packs_of(listed):
            own = PackSegment(new_write(now), some[0][0], some[-1][0], len(some), 1)
            points.append(
                space.point(own.write, "pack", own.part("pack", 0), {"data": packed(some)})
            )
            packs = (*packs, own)
        listed = []
    if _length(tail) > _LONG_TAIL:
        own = PackSegment(new_write(now), known.seq + 1, known.seq + 1, 1, 1)
        points.append(space.point(own.write, "facts", own.part("facts", 0), {"data": packed(tail)}))
        gathered = (*gathered, own)
        tail = {}
    if listed:
        tail["documents"] = listed
    if known.garbage:
        space.remove(known.garbage)
        head = replace(
            head, garbage=tuple(each for each in head.garbage if each not in known.garbage)
        )
    space.points.put(points)
    head = replace(head, tail=tail, packs=packs, facts=gathered)
    if space.commit(known, head, facts, documents):
        return True
    space.points.remove([each.id for each in points])
    return False


def _length(value: object) -> int:
    return len(json.dumps(value))


def packs_of(documents: Sequence[list[Any]]) -> Iterator[list[list[Any]]]:
    """Documents of some hundred thousand characters each."""
    some: list[list[Any]] = []
    size = 0
    for each in documents:
        some.append(each)
        size += _length(each)
        if size > _CHARACTERS_OF_A_PACK:
            yield some
            some, size = [], 0
    if some:
        yield some


class Change(NamedTuple):
    """What a batch changes besides the documents that it puts."""

    version: int
    facts: Facts
    removes: bool

    def documents(
        self, head: Head, sent: SentBatch, models: Mapping[str, tuple[int, int]]
    ) -> list[list[Any]]:
        """The documents that were put, with their rows, as packs have them."""
        return [
            [
                head.documents + n,
                self.version,
                document,
                sent.write,
                offset,
                head.blocks + 1 + offset,
                [each.as_json for each in blocks],
                [models[model][0] for model in own],
            ]
            for n, (document, offset, blocks, own) in enumerate(sent.documents, start=1)
        ]


class BatchPlan:
    """A batch, and what is there when it is written."""

    def __init__(
        self, space: Space, who: Principal, batch: Batch, head: Head, known: Catalogue
    ) -> None:
        self._space, self._who, self._batch = space, who, batch
        self._head, self._known = head, known
        self._version = head.version

    def require_sound(self) -> None:
        """Refuse what the newest version does not allow."""
        for n, each in enumerate(self._batch.put):
            if self._is_hidden(each.document.id):
                raise refusals.document_is_hidden(each.document.id, f"put[{n}]")
        for n, each in enumerate(self._batch.put):
            if each.blocks is None and self._alive(each.document.id) is None:
                raise refusals.nothing_to_keep(each.document.id, f"put[{n}]")
            for own in each.vectors:
                if own.rows and not np.isfinite(np.frombuffer(own.data, dtype="<f4")).all():
                    raise refusals.not_finite(each.document.id, own.model)
        self._require_free_ids()
        self._require_alike()

    def _require_free_ids(self) -> None:
        retired = {*self._retired}
        for id_ in sorted(block.id for each in self._batch.put for block in each.blocks or ()):
            found = self._known.block(id_, self._version)
            if found is not None and found[0] not in retired:
                raise refusals.id_is_taken(id_)

    def _require_alike(self) -> None:
        """Embeddings of one model have one length."""
        sizes = {model: size for model, (_, size) in self._head.models.items()}
        for own in (own for each in self._batch.put for own in each.vectors if own.rows):
            kept, found = sizes.setdefault(own.model, own.dimensions), own.dimensions
            if kept != found:
                raise refusals.other_dimensions(own.model, kept, found, place="dimensions")

    def _alive(self, id_: str) -> KnownDocument | None:
        return self._known.alive(id_, self._version)

    def _is_hidden(self, id_: str) -> bool:
        record = self._alive(id_)
        return record is not None and not is_readable(record.document, self._who)

    def _visible(self, id_: str) -> KnownDocument | None:
        record = self._alive(id_)
        return record if record is not None and is_readable(record.document, self._who) else None

    @property
    def _removed(self) -> list[KnownDocument]:
        found = map(self._visible, self._batch.remove)
        return [each for each in found if each is not None]

    @property
    def _retired(self) -> list[KnownDocument]:
        ids = [*self._batch.remove, *(each.document.id for each in self._batch.put)]
        found = map(self._visible, dict.fromkeys(ids))
        return [each for each in found if each is not None]

    # What is sent before anything is committed

    def sent(self, indexer: WordIndexer, write: str) -> SentBatch:
        """Send the texts, words and embeddings of what is put."""
        puts = [*self._puts()]
        texts: list[IndexedText] = []
        for each in puts:
            for block in each.blocks:
                text = block.text if block.indexed_text is None else block.indexed_text
                heading = heading_text(each.document.title, block.heading)
                texts.append(IndexedText(len(texts), text, heading))
        pack, lengths = indexer.indexed(texts)
        documents, offset = [], 0
        for each in puts:
            document = document_as_json(each.document, each.place)
            named = [
                NamedBlock(
                    block.id,
                    block.position,
                    block.tokens,
                    lengths[offset + n],
                    block.session,
                    metadata_as_json(block.metadata, f"{each.place}.blocks[{n}].metadata")
                    if block.metadata
                    else {},
                )
                for n, block in enumerate(each.blocks)
            ]
            models = [own.model for own in each.vectors]
            documents.append((document, offset, named, models))
            offset += len(each.blocks)
        words = None if pack is None else WordBuckets.of(entries_of(pack), offset)
        vectors = _embeddings(puts)
        kept = {each.document.id: each.kept for each in puts if each.kept is not None}
        sent = SentBatch(write, documents, offset, words, vectors, kept)
        try:
            self._space.points.put(self._points(sent, puts))
        except StoreError as error:
            raise AnswerLostError(str(error), place=self._space.points.place) from error
        return sent

    def _points(self, sent: SentBatch, puts: Sequence[Put]) -> Iterator[Point]:
        write, point = sent.write, self._space.point
        for id_, payload in _text_points(write, puts):
            yield point(write, "text", id_, payload)
        if sent.words is not None:
            segment = sent.words.segment(write, 0)
            for id_, payload in (*sent.words.points(segment), *sent.words.vocabulary(segment)):
                yield point(write, "words", id_, payload)
        for model, (_, own) in sent.vectors.items():
            for id_, payload in own.points(own.segment(write, digest(model), 0, sent.blocks)):
                yield point(write, vectors_kind(digest(model)), id_, payload)

    def _puts(self) -> Iterator[Put]:
        for n, entry in enumerate(self._batch.put):
            place = f"put[{n}]"
            document = self._with_last_use(entry)
            if entry.blocks is not None:
                vectors = [_raw(each) for each in entry.vectors if each.rows]
                yield Put(document, entry.blocks, vectors, place)
            else:
                record = self._alive(document.id)
                assert record is not None
                yield self._kept(document, record, place)

    def _with_last_use(self, entry: Entry) -> Document:
        """A document keeps the last use of the one that it replaces."""
        document, record = entry.document, self._alive(entry.document.id)
        if record is None or document.id in self._batch.remove:
            return document
        last = self._known.shown(record).accessed
        if last is None:
            return document
        return replace(document, accessed=max(last, document.accessed or last))

    def _kept(self, document: Document, record: KnownDocument, place: str) -> Put:
        """The blocks that a document has, copied: a version shows those of one write."""
        ids = [text_id(record, n) for n in range(len(record.blocks))]
        found = self._space.points.read(self._space.key, ids, ("data", "vectors"))
        if len(found) < len(ids):
            raise self._space.damaged("the text of a block is missing")
        blocks: list[Block] = []
        rows: dict[str, list[tuple[bytes, str | None]]] = {}
        names = {digest(name): name for name in self._head.models}
        for n, id_ in enumerate(ids):
            text, own = BlockText.read(found[id_]["data"]), record.blocks[n]
            blocks.append(
                Block(
                    id=own.id,
                    document_id=document.id,
                    position=own.position,
                    text=text.text,
                    tokens=own.tokens,
                    heading=tuple(text.heading),
                    lines=None if text.lines is None else (text.lines[0], text.lines[1]),
                    session=own.session,
                    metadata=own.metadata,
                    indexed_text=text.indexed_text,
                )
            )
            for model, vector in raw_vectors(found[id_].get("vectors", "[]")).items():
                rows.setdefault(names[model], []).append(vector)
        vectors = [
            RawVectors(
                name, self._head.models[name][1], [data for data, _ in own], [k for _, k in own]
            )
            for name, own in rows.items()
        ]
        return Put(document, blocks, vectors, place, record)

    # What is committed

    def change(self, sent: SentBatch, token: str, now: int) -> Change:
        """What the batch changes besides."""
        version, known = self._version + 1, self._known
        retired, removed = self._retired, self._removed
        relations = [*self._relations(version, removed)]
        removes = bool(retired) or any(each[5] == version for each in relations)
        usage, activity = self._usage(sent, removed), self._activity(removed)
        last = known.written_at(self._version) or 0
        facts: Facts = {
            "gone": [[each.row, version] for each in retired],
            "relations": relations,
            "usage": usage,
            "activity": activity,
            "tokens": [[token, version, removes]],
            "written": [[version, max(now, last)]],
        }
        return Change(version, {name: own for name, own in facts.items() if own}, removes)

    def _relations(self, version: int, removed: Sequence[KnownDocument]) -> Iterator[list[Any]]:
        """Those that begin or end; no relation of a hidden document does."""
        gone = {each.document.id for each in removed}
        begun = {_arrow(each): each for each in self._batch.relate}
        ended = {_arrow(each) for each in self._batch.unrelate} | begun.keys()
        free = {
            each for each in ended if not (self._is_hidden(each[0]) or self._is_hidden(each[1]))
        }
        at_gone = {arrow for id_ in gone for arrow in self._known.ends.get(id_, ())}
        for arrow in sorted(free | at_gone):
            for each in self._known.relations.get(arrow, ()):
                if each.removed > version:
                    yield [*each.as_json[:5], version]
        for arrow in sorted(free & begun.keys()):
            yield [*arrow, float(begun[arrow].weight), version, FOREVER]

    def _usage(
        self, sent: SentBatch, removed: Sequence[KnownDocument]
    ) -> dict[str, list[Any] | None]:
        """Counts go with their blocks, or move to those in their place."""
        known, found = self._known, dict[str, "list[Any] | None"]()
        gone = {each.document.id for each in removed}
        after = {
            document["id"]: [block.id for block in blocks]
            for document, _, blocks, _ in sent.documents
        }
        moved: dict[str, list[Any]] = {}
        for record in self._retired:
            id_ = record.document.id
            before = [record.blocks[n].id for n in _positions(record)]
            kept = [] if id_ in gone else after[id_]
            found |= {each: None for each in before if each in known.usage and each not in {*kept}}
            for old, new in replaced_blocks(before, kept):
                if old in known.usage:
                    moved[new] = [*known.usage[old]]
        return found | moved

    def _activity(self, removed: Sequence[KnownDocument]) -> list[list[Any]]:
        gone = {each.document.id for each in removed}
        if not gone:
            return []
        return [
            [who, *key, None, 0]
            for who, own in self._known.activity.items()
            for key in own
            if key[0] in gone
        ]


def _arrow(relation: Relation) -> tuple[str, str, str]:
    return relation.source, relation.target, relation.type


def _positions(record: KnownDocument) -> list[int]:
    blocks = record.blocks
    return sorted(range(len(blocks)), key=lambda n: (blocks[n].position, blocks[n].id))


def _raw(vectors: Vectors) -> RawVectors:
    rows = [bytes(vectors.row(n)) for n in range(vectors.rows)]
    keys: list[str | None] = [None] * len(rows)
    if vectors.keys:
        keys = [digest(vectors.model, each) for each in vectors.keys]
    return RawVectors(vectors.model, vectors.dimensions, rows, keys)


def _embeddings(puts: Sequence[Put]) -> dict[str, tuple[int, Embeddings]]:
    """The embeddings of each model, with the dimensions."""
    rows: dict[str, list[int]] = {}
    data: dict[str, list[bytes]] = {}
    sizes: dict[str, int] = {}
    offset = 0
    for each in puts:
        for own in each.vectors:
            sizes[own.model] = own.dimensions
            rows.setdefault(own.model, []).extend(range(offset, offset + len(own.rows)))
            data.setdefault(own.model, []).extend(own.rows)
        offset += len(each.blocks)
    return {
        model: (
            size,
            Embeddings(
                np.array(rows[model], dtype=np.int64),
                np.frombuffer(b"".join(data[model]), "<f4").reshape(-1, size),
            ),
        )
        for model, size in sizes.items()
    }


def _text_points(write: str, puts: Sequence[Put]) -> Iterator[tuple[str, dict[str, Any]]]:
    number = 0
    for each in puts:
        readers = readers_of(each.document)
        for n, block in enumerate(each.blocks):
            own = [
                (digest(vectors.model), b64encode(vectors.rows[n]).decode(), vectors.keys[n])
                for vectors in each.vectors
            ]
            payload: dict[str, Any] = {
                "data": BlockText.of(block).data,
                "readers": readers,
                "number": number,
                "vectors": json.dumps(own),
                "keys": [key for *_, key in own if key is not None],
            }
            yield point_id(write, "text", number), payload
            number += 1
