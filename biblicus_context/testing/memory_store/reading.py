"""What a database in plain Python answers: everything is looked at, and what is asked for is kept."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from biblicus_context.base.arrays import Integers
from biblicus_context.stores import (
    Activity,
    Block,
    BlockPlace,
    Direction,
    Document,
    EvidenceRow,
    Filters,
    Hit,
    Info,
    Nearby,
    Relation,
    Sibling,
    StoreError,
    Usage,
    VectorCount,
    WorkspaceState,
)
from biblicus_context.stores.arguments import ActivityQuery
from biblicus_context.stores.matching import block_meets, listed, meets
from biblicus_context.stores.ranking.matrix import (
    EmbeddingModel,
    Matrix,
    MatrixPart,
    empty_matrix,
    unit,
)
from biblicus_context.stores.ranking.postings import POSITION_BITS, counted
from biblicus_context.stores.source import (
    MOST_REPLACED,
    WIDTH,
    Message,
    Names,
    Owner,
    Packs,
    ReadState,
    Wanted,
)
from biblicus_context.testing.memory_store.workspace import (
    IndexedBlock,
    MemoryWorkspace,
    VisibleVersion,
    WrittenDocument,
)


class MemoryReading:
    """What is promised of each method is in the Protocol `Reading`."""

    def __init__(self, space: MemoryWorkspace, view: VisibleVersion, version: int) -> None:
        self.view = view
        self._space = space
        self._written = tuple(space.written)
        self._pin = ReadState(
            version,
            space.newest,
            space.oldest,
            len(space.written),
            space.blocks,
            0,
            version + view.hidden,
        )

    @property
    def pin(self) -> ReadState:
        return self._pin

    @property
    def owner(self) -> Owner:
        return self._space.owner

    def damaged(self, problem: str) -> StoreError:
        return StoreError(problem)

    # What rankings are computed from

    def read(self, wanted: Wanted) -> Packs:
        after = wanted.columns_after
        return Packs(
            columns=b"" if after is None else b"".join(self._columns(after)),
            messages=[*self._messages(wanted.messages_after)],
            documents=[self._meeting(each) for each in wanted.filters],
            occurrences={each: counted(_sorted(self._parts(each))) for each in wanted.stems},
            positions={each: _sorted(self._positions(each)) for each in wanted.phrases},
            matrix=None if wanted.model is None else self._matrix(wanted.model, wanted.matrix),
        )

    def names(self, rows: Sequence[int]) -> Names:
        wanted = {*rows}
        return {each.row: each.place for each in self.view.blocks if each.row in wanted}

    def evidence_at(self, rows: Sequence[int]) -> Sequence[EvidenceRow]:
        return self.evidence(self._ids(rows))

    def evidence_of(self, document_ids: Sequence[str], most: int) -> Sequence[EvidenceRow]:
        return self.evidence([each.block_id for each in self.places_of(document_ids, most)])

    def vectors_at(self, model: str, rows: Sequence[int]) -> Mapping[str, bytes]:
        return self.vectors(model, self._ids(rows))

    def _ids(self, rows: Sequence[int]) -> list[str]:
        named = self.names(rows)
        return [named[each].block_id for each in rows]

    def spelt_like(self, stems: Sequence[str]) -> Mapping[str, Sequence[str]]:
        known = {stem for each in self._blocks() for stem in each.text + each.heading}
        return dict.fromkeys(stems, sorted(known))

    def _blocks(self) -> Iterator[IndexedBlock]:
        return (each for stored in self._written for each in stored.blocks)

    def _columns(self, after: int) -> Iterator[bytes]:
        for stored in self._written:
            first: dict[str | None, int] = {}
            for each in stored.blocks:
                block = each.block
                first.setdefault(block.session, each.row)
                if each.row > after:
                    yield struct.pack(
                        f"<{WIDTH}q",
                        each.row,
                        stored.row,
                        len(each.text) + len(each.heading),
                        block.position,
                        block.tokens,
                        first[block.session],
                        block.session is not None,
                    )

    def _messages(self, after: int | None) -> Iterator[Message]:
        for stored in self._written if after is not None else ():
            document = stored.document
            if document.conversation is not None and stored.row > (after or 0):
                when = document.created or document.updated
                microseconds = 0 if when is None else int(when.timestamp() * 1_000_000)
                yield Message(stored.row, document.conversation, microseconds)

    def _meeting(self, filters: Filters) -> Integers:
        found = [each for each in self.view.documents.values() if meets(each.document, filters)]
        if not filters.block_metadata:
            return np.array([each.row for each in found], dtype=np.int64)
        blocks = (each for stored in found for each in stored.blocks)
        rows = [each.row for each in blocks if block_meets(each.block.metadata, filters)]
        return np.array(rows, dtype=np.int64)

    def _parts(self, stem: str) -> Iterator[int]:
        for each in self._blocks():
            for part, stems in enumerate((each.text, each.heading)):
                yield from [2 * each.row + part] * stems.count(stem)

    def _positions(self, stem: str) -> Iterator[int]:
        for each in self._blocks():
            for part, stems in enumerate((each.text, each.heading)):
                for offset, other in enumerate(stems):
                    if other == stem:
                        yield (2 * each.row + part << POSITION_BITS) + offset

    def _matrix(self, model: str, known: Matrix | None) -> Matrix | None:
        if model not in self._space.dimensions:
            return None
        matrix = known or empty_matrix(EmbeddingModel(0, self._space.dimensions[model]))
        newer = [
            each for each in self._blocks() if model in each.vectors and each.row > matrix.last
        ]
        if not newer:
            return matrix.extended([], self._pin)
        rows = unit(b"".join(each.vectors[model] for each in newer), matrix.model.dimensions)
        blocks = np.array([each.row for each in newer], dtype=np.int64)
        return matrix.extended([MatrixPart(blocks, rows)], self._pin)

    # What is shown

    def evidence(self, block_ids: Sequence[str]) -> Sequence[EvidenceRow]:
        view, usage = self.view, self._space.usage
        found = {each.block.id: each.block for each in view.blocks}
        replaced: dict[str | None, list[str]] = {}
        for id_ in sorted(view.documents):
            replaced.setdefault(view.documents[id_].document.superseded_by, []).append(id_)
        return [
            EvidenceRow(
                found[each],
                view.documents[found[each].document_id].document,
                tuple(replaced.get(found[each].document_id, [])[:MOST_REPLACED]),
                usage.get(each, Usage()),
            )
            for each in block_ids
            if each in found
        ]

    # Look-ups

    def state(self) -> WorkspaceState:
        space = self._space
        written = space.versions[self._pin.version - space.oldest].written
        seen = self.view.documents.values()
        ages = any(each.document.valid_from or each.document.valid_to for each in seen)
        return WorkspaceState(self._pin.version, written, space.source, ages, space.is_partial)

    def info(self) -> Info:
        documents, blocks = self.view.documents, self.view.blocks
        rows = Counter(model for each in blocks for model in each.vectors)
        sizes = self._space.dimensions
        return Info(
            version=self._pin.version,
            documents=len(documents),
            blocks=len(blocks),
            tokens=sum(each.block.tokens for each in blocks),
            relations=len(self.relations([*documents], (), "out")),
            kinds=dict(Counter(each.document.kind for each in documents.values())),
            vectors={model: VectorCount(sizes[model], count) for model, count in rows.items()},
        )

    def documents(self, ids: Sequence[str]) -> Sequence[Document]:
        found = self.view.documents
        return [found[each].document for each in ids if each in found]

    def list_documents(self, filters: Filters, after: str | None, limit: int) -> Sequence[Document]:
        documents = self.view.documents
        found = (documents[id_] for id_ in sorted(documents) if id_ > (after or ""))
        return [each.document for each in found if _is_listed(each, filters)][:limit]

    def fingerprints(self) -> Mapping[str, str]:
        return {id_: each.document.text_hash for id_, each in self.view.documents.items()}

    def blocks_of(self, document_ids: Sequence[str], most: int | None) -> Sequence[Block]:
        return [each.block for each in self._first(document_ids, most)]

    def places_of(self, document_ids: Sequence[str], most: int | None) -> Sequence[BlockPlace]:
        return [each.place for each in self._first(document_ids, most)]

    def _first(self, document_ids: Sequence[str], most: int | None) -> Iterator[IndexedBlock]:
        found = self.view.documents
        for name in document_ids:
            if name in found:
                yield from found[name].blocks[:most]

    def nearby(self, block_ids: Sequence[str], reach: int) -> Sequence[Nearby]:
        known = {each.block.id: each.block for each in self.view.blocks}
        return [
            Nearby(id_, other.place, distance)
            for id_ in block_ids
            if id_ in known
            for other in self.view.documents[known[id_].document_id].blocks
            for distance in [other.block.position - known[id_].position]
            if other.block.id != id_
            and other.block.session == known[id_].session
            and abs(distance) <= reach
        ]

    def recent(self, filters: Filters, offset: int, limit: int) -> Sequence[Hit]:
        dated = [
            (-when.timestamp(), id_, -each.block.position, each.block.id, each.place)
            for id_, stored in self.view.documents.items()
            if meets(stored.document, filters)
            and (when := stored.document.updated or stored.document.created)
            for each in stored.blocks
            if block_meets(each.block.metadata, filters)
        ]
        page = sorted(dated)[offset : offset + limit]
        return [Hit(place, -ago, "recent") for ago, *_, place in page]

    def lineage(self, ids: Sequence[str], levels: int) -> Sequence[Document]:
        known = self.view.documents
        level = {each for each in ids if each in known}
        found = {*level}
        for _ in range(levels):
            parents = {known[each].document.parent for each in level}
            level = {each for each in parents if each is not None and each in known}
            found |= level
        return [known[each].document for each in sorted(found)]

    def children(self, parents: Sequence[str], limit: int) -> Sequence[Document]:
        return [each for parent in parents for each in self._row(parent)[:limit]]

    def siblings(self, ids: Sequence[str], reach: int) -> Sequence[Sibling]:
        found: list[Sibling] = []
        for name in ids:
            stored = self.view.documents.get(name)
            if stored is None or stored.document.parent is None:
                continue
            row = [each.id for each in self._row(stored.document.parent)]
            here = row.index(name)
            near = ((each, place - here) for place, each in enumerate(row))
            found += [Sibling(name, each, step) for each, step in near if 0 < abs(step) <= reach]
        return found

    def _row(self, parent: str) -> list[Document]:
        every = (each.document for each in self.view.documents.values())
        found = [each for each in every if each.parent == parent]
        return sorted(found, key=lambda each: (each.position is None, each.position or 0, each.id))

    def relations(
        self, ids: Sequence[str], types: Collection[str], direction: Direction
    ) -> Sequence[Relation]:
        documents = self.view.documents
        near = documents.keys() & {*ids}
        found = (
            each
            for each in self.view.version.relations.values()
            if {each.source, each.target} <= documents.keys()
            and (not types or each.type in types)
            and (
                (direction != "in" and each.source in near)
                or (direction != "out" and each.target in near)
            )
        )
        return sorted(found, key=lambda each: (each.source, each.target, each.type))

    def usage(self, block_ids: Sequence[str]) -> Mapping[str, Usage]:
        counts, wanted = self._space.usage, {*block_ids}
        seen = (each.block.id for each in self.view.blocks)
        return {each: counts[each] for each in seen if each in wanted and each in counts}

    def activity(self, query: ActivityQuery) -> Sequence[Activity]:
        user, seen = self.view.principal.user or "", self.view.documents
        found = [
            each
            for (own, document, action), each in self._space.activity.items()
            if own == user
            and document in seen
            and action in query.actions
            and (query.since is None or each.when >= query.since)
            and (query.documents is None or document in query.documents)
        ]
        named = sorted(found, key=lambda each: (each.document_id, each.action))
        return sorted(named, key=lambda each: each.when, reverse=True)[: query.limit]

    def vectors(self, model: str, block_ids: Sequence[str]) -> Mapping[str, bytes]:
        wanted = {*block_ids}
        return {
            each.block.id: each.vectors[model]
            for each in self.view.blocks
            if each.block.id in wanted and model in each.vectors
        }

    def known_vectors(self, model: str, keys: Sequence[str]) -> Mapping[str, bytes]:
        wanted = {*keys}
        return {
            each.keys[model]: each.vectors[model]
            for each in self.view.blocks
            if each.keys.get(model) in wanted
        }


def _is_listed(stored: WrittenDocument, filters: Filters) -> bool:
    return listed(stored.document, (each.block.metadata for each in stored.blocks), filters)


def _sorted(values: Iterator[int]) -> Integers:
    return np.array(sorted(values), dtype=np.int64)
