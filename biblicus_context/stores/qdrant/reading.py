"""Reads of one principal, pinned to one version: look-ups in what the process knows, and packs by id for the rest.

The points of a version stay until it has ended, so a read needs no transaction on the server.
"""

from __future__ import annotations

import json
from base64 import b64decode
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import islice
from typing import Any, Final, NamedTuple, cast

import numpy as np

from biblicus_context.base.arrays import Integers
from biblicus_context.base.lazy import lazy
from biblicus_context.stores import checks, refusals
from biblicus_context.stores.arguments import ActivityQuery
from biblicus_context.stores.errors import MalformedError, StoreError
from biblicus_context.stores.filters import NO_FILTERS, Filters
from biblicus_context.stores.matching import block_meets, listed, meets
from biblicus_context.stores.matrix_files import MatrixFiles
from biblicus_context.stores.model import Block, Document, Relation
from biblicus_context.stores.moments import microseconds, moment
from biblicus_context.stores.principal import Principal
from biblicus_context.stores.qdrant.catalogue import (
    MOST_VERSIONS,
    Catalogue,
    KnownDocument,
    KnownRelation,
    digest,
    is_readable,
    reader_names,
)
from biblicus_context.stores.qdrant.head import Head
from biblicus_context.stores.qdrant.packs import (
    bucket_of,
    read_embeddings,
    read_vocabulary,
    read_words,
)
from biblicus_context.stores.qdrant.points import point_id
from biblicus_context.stores.qdrant.space import Space
from biblicus_context.stores.qdrant.texts import BlockText, copied
from biblicus_context.stores.ranking.matrix import (
    EmbeddingModel,
    Matrix,
    MatrixPart,
    empty_matrix,
    unit,
)
from biblicus_context.stores.ranking.memory import MEMORY
from biblicus_context.stores.ranking.spelling import StemIndex
from biblicus_context.stores.ranking.word_packs import NOWHERE, Entries, WordPack, stem_key
from biblicus_context.stores.results import (
    Activity,
    BlockPlace,
    Direction,
    EvidenceRow,
    Hit,
    Info,
    Nearby,
    Sibling,
    Usage,
    VectorCount,
    WorkspaceState,
)
from biblicus_context.stores.source import (
    MOST_REPLACED,
    Message,
    Names,
    Owner,
    Packs,
    ReadState,
    Scope,
    Wanted,
)

_REPEATS: Final = 20
_VECTORS_AT_ONCE: Final = 16

Numbered = tuple[KnownDocument, int]
"""A document, and the number of one of its blocks."""


class PinnedHead(NamedTuple):
    """What a read is pinned to."""

    head: Head
    catalogue: Catalogue
    owner: Owner
    pin: ReadState


class QdrantReading:
    """What is promised of each method is in the Protocol `Reading`."""

    def __init__(
        self, space: Space, scope: Scope, at: int | None, files: MatrixFiles | None = None
    ) -> None:
        self._space = space
        self._files = files
        self._scope = scope
        self._at = at

    @property
    def pin(self) -> ReadState:
        return self._opened.pin

    @property
    def owner(self) -> Owner:
        return self._opened.owner

    def damaged(self, problem: str) -> StoreError:
        return self._space.damaged(problem)

    @lazy
    def _opened(self) -> PinnedHead:
        head, known, owner = self._space.follow()
        who, version = self._scope.principal, head.version
        if self._at is not None:
            oldest = max(known.ended_before(head, who), version - MOST_VERSIONS)
            version = checks.version(self._at, oldest, version)
        hidden = version
        if version != head.version and not who.sees_all:
            with self._space.lock:
                seen = (
                    each.added
                    for each in _hidden_since(known, who, version)
                    if (own := known.alive(each.document.id, version))
                    and is_readable(own.document, who)
                )
                hidden = max(seen, default=version)
        pin = ReadState(
            version, head.version, head.oldest, head.documents, head.blocks, head.repacked, hidden
        )
        return PinnedHead(head, known, owner, pin)

    # What is seen

    @property
    def _catalogue(self) -> Catalogue:
        return self._opened.catalogue

    @property
    def _whole(self) -> AbstractContextManager[object]:
        """Held while all of something is gone through."""
        self._require_kept()
        return self._space.lock

    def _require_kept(self) -> None:
        """Refuse a version that ended since this read began: what it shows is gone."""
        version, known, now = self.pin.version, self._catalogue, self._space.head
        if version < known.cleaned:
            oldest = known.ended_before(now, self._scope.principal)
            if version < oldest:
                raise refusals.version_is_gone(version, oldest, now.version)

    @lazy
    def _hidden(self) -> tuple[set[str], set[str]]:
        """The ids, and in a tree the titles, that were taken from the principal since this version."""
        version, who = self.pin.version, self._scope.principal
        if self.pin.hidden == version:
            return set(), set()
        with self._space.lock:
            ids = {each.document.id for each in _hidden_since(self._catalogue, who, version)}
            own = (self._catalogue.alive(each, version) for each in ids)
            return ids, {each.document.title for each in own if each is not None}

    def _is_seen(self, record: KnownDocument) -> bool:
        document = record.document
        if not record.is_alive(self.pin.version) or not is_readable(
            document, self._scope.principal
        ):
            return False
        ids, titles = self._hidden
        if not ids:
            return True
        is_in_tree = document.parent is not None and document.own_readers is not None
        return document.id not in ids and not (
            is_in_tree and document.title and document.title in titles
        )

    def _document(self, id_: str) -> KnownDocument | None:
        self._require_kept()
        record = self._catalogue.alive(id_, self.pin.version)
        return record if record is not None and self._is_seen(record) else None

    def _block(self, id_: str) -> Numbered | None:
        self._require_kept()
        found = self._catalogue.block(id_, self.pin.version)
        return found if found is not None and self._is_seen(found[0]) else None

    @lazy
    def _seen(self) -> dict[str, KnownDocument]:
        """All documents that are seen, by id, in the order of their rows."""
        with self._whole:
            records = self._catalogue.records.values()
            return {each.document.id: each for each in records if self._is_seen(each)}

    @lazy
    def _sorted_ids(self) -> list[str]:
        return sorted(self._seen)

    # What rankings are computed from

    def read(self, wanted: Wanted) -> Packs:
        pin, known = self.pin, self._catalogue
        columns, messages = b"", list[Message]()
        if wanted.columns_after is not None:
            with self._whole:
                columns = known.table(wanted.columns_after, pin.blocks).astype("<i8").tobytes()
        if wanted.messages_after is not None:
            with self._whole:
                messages = [
                    each
                    for each in known.messages
                    if wanted.messages_after < each.document <= pin.documents
                ]
        keys = {each: stem_key(each) for each in (*wanted.stems, *wanted.phrases)}
        entries = self._entries({*keys.values()}) if keys else {}
        return Packs(
            columns=columns,
            messages=messages,
            documents=[self._rows_meeting(each) for each in wanted.filters],
            occurrences={each: entries[keys[each]].occurrences for each in wanted.stems},
            positions={each: entries[keys[each]].positions for each in wanted.phrases},
            matrix=None if wanted.model is None else self._matrix(wanted.model, wanted.matrix),
        )

    def _rows_meeting(self, filters: Filters) -> Integers:
        """The rows of documents, or of blocks if the filters are on blocks."""
        seen = self._seen.values()
        if filters is NO_FILTERS:
            return np.array([each.row for each in seen], dtype=np.int64)
        met = [each for each in seen if meets(self._shown(each), filters)]
        if not filters.block_metadata:
            return np.array([each.row for each in met], dtype=np.int64)
        rows = [
            each.first + n
            for each in met
            for n, block in enumerate(each.blocks)
            if block_meets(block.metadata, filters)
        ]
        return np.array(rows, dtype=np.int64)

    def _entries(self, stems: Collection[bytes]) -> dict[bytes, Entries]:
        """Where stems are, from the packs of words that may have them."""

        def asked(head: Head) -> dict[str, tuple[Any, ...]]:
            return {
                each.part("words", bucket): (each, bucket)
                for each in head.words
                if each.first <= self.pin.blocks
                for bucket in sorted({bucket_of(stem, each.parts) for stem in stems})
            }

        def packed(data: str, about: tuple[Any, ...]) -> WordPack | None:
            return read_words(data, about[0].first)

        found = self._kept("words", asked, packed)
        listed: dict[bytes, list[Entries]] = {each: [] for each in stems}
        packs = sorted(found, key=lambda each: cast("int", each[0][0].first))
        for (segment, bucket), pack in packs:
            if pack is None:
                continue
            for stem, own in listed.items():
                if (
                    bucket_of(stem, segment.parts) == bucket
                    and (there := pack.of(stem)) is not None
                ):
                    own.append(there)
        return {stem: Entries.chained(own) if own else NOWHERE for stem, own in listed.items()}

    def _kept(
        self,
        kind: str,
        asked: Callable[[Head], dict[str, tuple[Any, ...]]],
        packed: Callable[[str, tuple[Any, ...]], Any],
    ) -> list[tuple[tuple[Any, ...], Any]]:
        """Packs by id, with what is asked for: those that this process remembers are not read again.

        Where one is gone, others have packed it again, and the newest head says where it is.
        """
        head = self._opened.head
        for _ in range(_REPEATS):
            wanted = asked(head)
            values: dict[str, Any] = {}
            for id_ in wanted:
                known = cast("_Pack | None", MEMORY.get((self.owner, kind, id_)))
                if known is not None:
                    values[id_] = known.value
            missing = [id_ for id_ in wanted if id_ not in values]
            found = self._space.points.read(self._space.key, missing)
            try:
                for id_, payload in found.items():
                    pack = _Pack(packed(payload["data"], wanted[id_]), len(payload["data"]))
                    MEMORY.put((self.owner, kind, id_), pack)
                    values[id_] = pack.value
            except MalformedError as error:
                raise self.damaged(str(error)) from error
            if len(values) == len(wanted):
                return [(wanted[id_], values[id_]) for id_ in wanted]
            head = self._refollowed()
        raise self.damaged("packs are missing")

    def _refollowed(self) -> Head:
        head, _, owner = self._space.follow()
        if owner is not self.owner or head.repacked != self.pin.repacked:
            raise refusals.version_is_gone(self.pin.version, head.oldest, head.version)
        self._require_kept()
        return head

    def _matrix(self, model: str, known: Matrix | None) -> Matrix | None:
        opened = self._opened
        if model not in opened.head.models:
            return None
        number, size = opened.head.models[model]
        identity, files, matrix = opened.head.identity, self._files, known
        if matrix is None and files is not None:
            matrix = files.loaded(identity, model, self.pin)
        if matrix is None or not self.pin.is_served_from(matrix.oldest):
            matrix = empty_matrix(EmbeddingModel(number, size))
        is_whole = not len(matrix.blocks)
        grown = matrix.extended([*self._embeddings(digest(model), size, matrix.last)], self.pin)
        return grown if files is None else files.saved(identity, model, grown, is_whole=is_whole)

    def _embeddings(self, model: str, size: int, after: int) -> Iterator[MatrixPart]:
        """The rows after one, in rising order."""
        last = self.pin.blocks
        head = self._opened.head
        while after < last:
            segments = [
                each
                for each in head.vectors
                if each.model == model and each.last > after and each.first <= last
            ]
            if not segments:
                return
            wanted = [
                (each, n)
                for each in sorted(segments, key=lambda each: each.first)
                for n in range(each.parts)
                if n + 1 == each.parts or each.first + each.starts[n + 1] > after + 1
            ][:_VECTORS_AT_ONCE]
            ids = [each.part("vectors", n) for each, n in wanted]
            found = self._space.points.read(self._space.key, ids)
            if len(found) < len(ids):
                head = self._refollowed()
                continue
            for (segment, n), id_ in zip(wanted, ids, strict=True):
                rows, data = read_embeddings(found[id_]["data"], segment.first, size)
                keeps = (rows > after) & (rows <= last)
                if keeps.any():
                    yield MatrixPart(rows[keeps], unit(data[keeps].tobytes(), size))
                is_last = n + 1 == segment.parts
                end = segment.last if is_last else segment.first + segment.starts[n + 1] - 1
                after = max(after, end)

    def names(self, rows: Sequence[int]) -> Names:
        with self._whole:
            named = {
                row: record.place(n)
                for row, record, n in self._catalogue.of_rows(rows)
                if self._is_seen(record)
            }
        if named.keys() != {*rows}:
            raise self.damaged("the row of a block is malformed")
        return named

    def spelt_like(self, stems: Sequence[str]) -> Mapping[str, Sequence[str]]:
        def asked(head: Head) -> dict[str, tuple[Any, ...]]:
            segments = (each for each in head.words if each.first <= self.pin.blocks)
            return {each.part("stems", 0): (each,) for each in segments}

        def packed(data: str, _: tuple[Any, ...]) -> StemIndex:
            return StemIndex(read_vocabulary(data))

        found = [own.like(stems) for _, own in self._kept("stems", asked, packed)]
        return {each: sorted({other for part in found for other in part[each]}) for each in stems}

    # What is shown

    def evidence(self, block_ids: Sequence[str]) -> Sequence[EvidenceRow]:
        return self._evidence(self._blocks(block_ids))

    def evidence_at(self, rows: Sequence[int]) -> Sequence[EvidenceRow]:
        return self._evidence(self._at_rows(rows))

    def evidence_of(self, document_ids: Sequence[str], most: int) -> Sequence[EvidenceRow]:
        return self._evidence(self._first(document_ids, most))

    def _evidence(self, blocks: Sequence[Numbered]) -> list[EvidenceRow]:
        documents: dict[int, tuple[Document, tuple[str, ...]]] = {}
        for record, _ in blocks:
            if record.row not in documents:
                documents[record.row] = self._given(record), self._replaced(record.document.id)
        return [
            EvidenceRow(block, *documents[record.row], self._catalogue.used(block.id))
            for (record, _), block in zip(blocks, self._texts(blocks), strict=True)
        ]

    def _replaced(self, id_: str) -> tuple[str, ...]:
        own = self._catalogue.superseded.get(id_)
        if own is None:
            return ()
        return tuple(sorted(each.document.id for each in own if self._is_seen(each)))[
            :MOST_REPLACED
        ]

    def _blocks(self, ids: Iterable[str]) -> list[Numbered]:
        return [found for each in ids if (found := self._block(each)) is not None]

    def _at_rows(self, rows: Sequence[int]) -> list[Numbered]:
        with self._whole:
            found = [*self._catalogue.of_rows(rows)]
        return [(record, n) for _, record, n in found if self._is_seen(record)]

    def _shown(self, record: KnownDocument) -> Document:
        return self._catalogue.shown(record)

    def _given(self, record: KnownDocument) -> Document:
        """The document for a caller, who may change its metadata."""
        document = self._shown(record)
        if not document.metadata:
            return document
        return replace(document, metadata=copied(document.metadata))

    def _texts(self, blocks: Sequence[Numbered]) -> list[Block]:
        """Blocks with their texts: one trip."""
        found = self._text_points(blocks, ("data",))
        return [
            _block(record, n, BlockText.read(found[point]["data"]))
            for record, n in blocks
            for point in (text_id(record, n),)
        ]

    def _text_points(
        self, blocks: Sequence[Numbered], fields: Sequence[str]
    ) -> dict[str, Mapping[str, Any]]:
        """The points of blocks, of which the server too finds only what the principal may read."""
        who = self._scope.principal
        ids = {text_id(*each): each[0] for each in blocks}
        readers = None if who.sees_all else reader_names(who)
        found = self._space.points.read(self._space.key, ids, fields, readers)
        if len(found) < len(ids):
            self._refollowed()
            raise self.damaged("the text of a block is missing")
        return found

    # Look-ups

    def state(self) -> WorkspaceState:
        return self._state

    @lazy
    def _state(self) -> WorkspaceState:
        head, known, version = self._opened.head, self._catalogue, self.pin.version
        if not head.version:
            return WorkspaceState(version, source=head.source, is_partial=head.is_partial)
        with self._whole:
            ages = any(self._is_seen(each) for each in known.aging.values())
            remains = head.remains is not None and self._sees_remains(head)
            written = known.written_at(version)
        until = moment(head.remains) if remains else None
        return WorkspaceState(version, moment(written), head.source, ages, head.is_partial, until)

    def _sees_remains(self, head: Head) -> bool:
        """Whether the principal could see something that was removed and is still kept."""
        who, known = self._scope.principal, self._catalogue
        if who.sees_all:
            return True
        gone = (each for each in known.records.values() if each.removed <= head.version)
        if any(is_readable(each.document, who) for each in gone):
            return True

        def is_end(id_: str) -> bool:
            return any(is_readable(each.document, who) for each in known.by_id.get(id_, ()))

        ended = (
            each for own in known.relations.values() for each in own if each.removed <= head.version
        )
        return any(is_end(each.source) and is_end(each.target) for each in ended)

    def info(self) -> Info:
        seen = [*self._seen.values()]
        kinds = Counter(each.document.kind for each in seen)
        rows = Counter[int]()
        for each in seen:
            for model in each.models:
                rows[model] += len(each.blocks)
        with self._whole:
            relations = sum(1 for _ in self._relations(self._catalogue.relations))
        return Info(
            version=self.pin.version,
            documents=len(seen),
            blocks=sum(len(each.blocks) for each in seen),
            tokens=sum(block.tokens for each in seen for block in each.blocks),
            relations=relations,
            kinds={kind: kinds[kind] for kind in sorted(kinds)},
            vectors={
                name: VectorCount(size, rows[number])
                for name, (number, size) in sorted(self._opened.head.models.items())
                if rows[number]
            },
        )

    def documents(self, ids: Sequence[str]) -> Sequence[Document]:
        found = map(self._document, ids)
        return [self._given(each) for each in found if each is not None]

    def list_documents(self, filters: Filters, after: str | None, limit: int) -> Sequence[Document]:
        start = 0 if after is None else bisect_right(self._sorted_ids, after)
        records = (self._seen[id_] for id_ in islice(self._sorted_ids, start, None))
        met = (
            each
            for each in records
            if listed(self._shown(each), (block.metadata for block in each.blocks), filters)
        )
        return [self._given(each) for each in islice(met, limit)]

    def fingerprints(self) -> Mapping[str, str]:
        return {id_: each.document.text_hash for id_, each in self._seen.items()}

    def blocks_of(self, document_ids: Sequence[str], most: int | None) -> Sequence[Block]:
        return self._texts(self._first(document_ids, most))

    def places_of(self, document_ids: Sequence[str], most: int | None) -> Sequence[BlockPlace]:
        return [record.place(n) for record, n in self._first(document_ids, most)]

    def _first(self, ids: Sequence[str], most: int | None) -> list[Numbered]:
        """The first blocks of documents, in the order of the ids."""
        found = (record for record in map(self._document, ids) if record is not None)
        return [(record, n) for record in found for n in _in_order(record)[:most]]

    def nearby(self, block_ids: Sequence[str], reach: int) -> Sequence[Nearby]:
        near: list[Nearby] = []
        for id_ in block_ids:
            found = self._block(id_)
            if found is None:
                continue
            record, n = found
            own = record.blocks[n]
            beside = [
                Nearby(id_, record.place(other), each.position - own.position)
                for other, each in enumerate(record.blocks)
                if other != n
                and each.session == own.session
                and abs(each.position - own.position) <= reach
            ]
            near += sorted(beside, key=lambda each: (each.distance, each.place.block_id))
        return near

    def recent(self, filters: Filters, offset: int, limit: int) -> Sequence[Hit]:
        met = [
            (microseconds(when), record)
            for record in self._seen.values()
            if (when := record.document.updated or record.document.created) is not None
            and meets(self._shown(record), filters)
        ]
        met.sort(key=lambda each: (-each[0], each[1].document.id))
        hits = (
            Hit(record.place(n), when / 1e6, "recent")
            for when, record in met
            for n in sorted(
                range(len(record.blocks)),
                key=lambda n: (-record.blocks[n].position, record.blocks[n].id),
            )
            if block_meets(record.blocks[n].metadata, filters)
        )
        return [*islice(hits, offset, offset + limit)]

    def lineage(self, ids: Sequence[str], levels: int) -> Sequence[Document]:
        level = {each: record for each in ids if (record := self._document(each)) is not None}
        found = dict(level)
        for _ in range(levels):
            parents = {each.document.parent for each in level.values()}
            level = {
                each: record
                for each in parents
                if each is not None
                and each not in found
                and (record := self._document(each)) is not None
            }
            if not level:
                break
            found |= level
        return [self._given(found[each]) for each in sorted(found)]

    def children(self, parents: Sequence[str], limit: int) -> Sequence[Document]:
        return [self._given(each) for parent in parents for each in self._row(parent)[:limit]]

    def siblings(self, ids: Sequence[str], reach: int) -> Sequence[Sibling]:
        found: list[Sibling] = []
        for id_ in ids:
            record = self._document(id_)
            if record is None or record.document.parent is None:
                continue
            row = self._row(record.document.parent)
            here = row.index(record)
            start = max(0, here - reach)
            for place, each in enumerate(row[start : here + reach + 1], start=start):
                if place != here:
                    found.append(Sibling(id_, each.document.id, place - here))
        return found

    def _row(self, parent: str) -> list[KnownDocument]:
        """The children of a document that are seen, in their order."""
        known = self._rows_of_children
        if parent not in known:
            self._require_kept()
            own = [each for each in self._catalogue.children.get(parent, ()) if self._is_seen(each)]
            known[parent] = sorted(own, key=_place_in_row)
        return known[parent]

    @lazy
    def _rows_of_children(self) -> dict[str, list[KnownDocument]]:
        return {}

    def relations(
        self, ids: Sequence[str], types: Collection[str], direction: Direction
    ) -> Sequence[Relation]:
        near, known = {*ids}, self._catalogue
        with self._whole:
            arrows = {arrow for each in near for arrow in known.ends.get(each, ())}
            found = [
                Relation(each.source, each.target, each.type, each.weight)
                for each in self._relations(arrows)
                if (not types or each.type in types)
                and (
                    (direction != "in" and each.source in near)
                    or (direction != "out" and each.target in near)
                )
            ]
        return sorted(found, key=lambda each: (each.source, each.target, each.type))

    def _relations(self, arrows: Iterable[tuple[str, str, str]]) -> Iterator[KnownRelation]:
        """Those of which both ends can be seen."""
        version = self.pin.version
        for arrow in arrows:
            for each in self._catalogue.relations.get(arrow, ()):
                if (
                    each.added <= version < each.removed
                    and self._document(each.source) is not None
                    and self._document(each.target) is not None
                ):
                    yield each

    def usage(self, block_ids: Sequence[str]) -> Mapping[str, Usage]:
        counts = self._catalogue.usage
        return {
            each: self._catalogue.used(each)
            for each in block_ids
            if each in counts and self._block(each) is not None
        }

    def activity(self, query: ActivityQuery) -> Sequence[Activity]:
        since = None if query.since is None else microseconds(query.since)
        with self._whole:
            own = [*self._catalogue.activity.get(self._scope.principal.user or "", {}).items()]
        found = [
            (-last, document, action, times)
            for (document, action), (last, times) in own
            if action in query.actions
            and (since is None or last >= since)
            and (query.documents is None or document in query.documents)
            and self._document(document) is not None
        ]
        return [
            Activity(document, cast("Any", action), when, times)
            for ago, document, action, times in sorted(found)[: query.limit]
            if (when := moment(-ago)) is not None
        ]

    # Embeddings

    def vectors(self, model: str, block_ids: Sequence[str]) -> Mapping[str, bytes]:
        return self._vectors(model, self._blocks(block_ids))

    def vectors_at(self, model: str, rows: Sequence[int]) -> Mapping[str, bytes]:
        return self._vectors(model, self._at_rows(rows))

    def _vectors(self, model: str, blocks: Iterable[Numbered]) -> dict[str, bytes]:
        if model not in self._opened.head.models:
            return {}
        number, _ = self._opened.head.models[model]
        wanted = [each for each in blocks if number in each[0].models]
        found = self._text_points(wanted, ("vectors",))
        return {
            record.blocks[n].id: raw_vectors(found[text_id(record, n)]["vectors"])[digest(model)][0]
            for record, n in wanted
        }

    def known_vectors(self, model: str, keys: Sequence[str]) -> Mapping[str, bytes]:
        named = {digest(model, each): each for each in keys}
        if not named or model not in self._opened.head.models:
            return {}
        found: dict[str, bytes] = {}
        listed = [*named]
        for at in range(0, len(listed), 500):
            for payload in self._space.points.all_of(
                ("vectors", "write", "number"), space=self._space.key, keys=listed[at : at + 500]
            ):
                data, key = raw_vectors(payload["vectors"]).get(digest(model), (b"", None))
                record = self._catalogue.of_text(payload["write"], payload["number"])
                if key in named and record is not None and self._is_seen(record):
                    found[named[key]] = data
        return found


class _Pack(NamedTuple):
    """What is remembered of a pack."""

    value: Any
    size: int

    @property
    def nbytes(self) -> int:
        return 4 * self.size


def text_id(record: KnownDocument, n: int) -> str:
    """The id of the point with the text of a block."""
    return point_id(record.write, "text", record.offset + n)


def raw_vectors(data: str) -> dict[str, tuple[bytes, str | None]]:
    """The embeddings of a block and what each is found by, by the digest of their model."""
    return {model: (b64decode(own), key) for model, own, key in json.loads(data)}


def _block(record: KnownDocument, n: int, text: BlockText) -> Block:
    own = record.blocks[n]
    return Block(
        id=own.id,
        document_id=record.document.id,
        position=own.position,
        text=text.text,
        tokens=own.tokens,
        heading=tuple(text.heading),
        lines=None if text.lines is None else (text.lines[0], text.lines[1]),
        session=own.session,
        metadata=copied(own.metadata),
        indexed_text=text.indexed_text,
    )


def _hidden_since(known: Catalogue, who: Principal, at: int) -> Iterator[KnownDocument]:
    """Later states of documents that a principal may not read: also of those that are gone since."""
    for each in known.records.values():
        if each.added > at and not is_readable(each.document, who):
            yield each


def _in_order(record: KnownDocument) -> list[int]:
    blocks = record.blocks
    return sorted(range(len(blocks)), key=lambda n: (blocks[n].position, blocks[n].id))


def _place_in_row(record: KnownDocument) -> tuple[bool, int, str]:
    position = record.document.position
    return position is None, position or 0, record.document.id
