"""Blocks that wait for the vectors of a slow embedder: until then they have those of a quick one.

A document gets its vectors by being put again, as it is: so every store can do it, and a read that is
pinned to a version sees the vectors of that version.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from biblicus_context.ingest.documents import FileDocument
from biblicus_context.ingest.embedding import embedded, entry_of, key_of
from biblicus_context.ingest.erasing import erase_removed
from biblicus_context.ingest.summary import Progress
from biblicus_context.stores import Batch, Block, Principal, Store, VersionConflictError, View

if TYPE_CHECKING:
    from biblicus_context.embedders import Embedder

_A_BATCH: Final = 128
"""Blocks that are embedded and written together: a second or two, which an interruption may lose."""
_A_PAGE: Final = 100
_ATTEMPTS: Final = 20


class Embedded(NamedTuple):
    """What came of blocks that waited."""

    embedded: int = 0
    """Texts that were embedded."""
    reused: int = 0
    """Blocks whose vectors were known, or belong to a block with the same text."""
    waiting: int = 0
    """Blocks that still wait."""


class _Waiting(NamedTuple):
    """A document of which blocks have no vector of the embedder."""

    id: str
    blocks: int
    missing: int


@dataclass(frozen=True, slots=True)
class WaitingBlocks:
    """The blocks of a store without a vector of this embedder."""

    store: Store
    principal: Principal
    """Whoever may read a document: its vectors are everybody's."""
    embedder: Embedder

    @classmethod
    def of(cls, store: Store, principal: Principal, embedder: Embedder) -> WaitingBlocks:
        """Those of a whole workspace."""
        return cls(store, replace(principal, sees_all=True), embedder)

    def count(self) -> int:
        """How many there are."""
        with self.store.view(self.principal) as view:
            info = view.info()
        known = info.vectors.get(self.embedder.model)
        return info.blocks - (known.rows if known else 0)

    def embed(
        self,
        most: int | None = None,
        *,
        on_progress: Callable[[Progress], None] = lambda _: None,
    ) -> Embedded:
        """Embed up to `most` of them (None: all); each batch is durable."""
        waiting = self.count()
        total = waiting if most is None else min(most, waiting)
        done, began = Embedded(waiting=waiting), time.perf_counter()
        if not total:
            return done
        seen = 0
        for batch in _batches(self._documents(), total):
            passed = time.perf_counter() - began
            on_progress(Progress(seen, total, seen, total, passed, batch[0].id, "embedding"))
            made = self._written([each.id for each in batch])
            done = Embedded(done.embedded + made.embedded, done.reused + made.reused, waiting)
            seen = min(total, seen + sum(each.missing for each in batch))
        passed = time.perf_counter() - began
        on_progress(Progress(total, total, total, total, passed, "", "embedding"))
        erase_removed(self.store, self.principal)
        self.store.prepare(self.principal)
        return done._replace(waiting=self.count())

    def write(self, documents: Collection[str], made: Callable[[str], bytes | None]) -> None:
        """Store the vectors that searches made, by the keys of their texts.

        Of a document all of them are stored at once: it waits until they are made. Nothing is embedded.
        """
        with self.store.view(self.principal) as view:
            found = [*self._waiting(view, sorted(documents))]
        small = [each.id for each in found if each.blocks <= _A_BATCH]
        if small:
            self._written(small, made)

    def _documents(self) -> Iterator[_Waiting]:
        """Documents with blocks that wait, by id."""
        last: str | None = None
        while True:
            with self.store.view(self.principal) as view:
                page = [each.id for each in view.list_documents(after=last, limit=_A_PAGE)]
                found = [*self._waiting(view, page)]
            yield from found
            if len(page) < _A_PAGE:
                return
            last = page[-1]

    def _waiting(self, view: View, documents: Sequence[str]) -> Iterator[_Waiting]:
        blocks: dict[str, list[str]] = {}
        for place in view.places_of(documents):
            blocks.setdefault(place.document_id, []).append(place.block_id)
        known = view.vectors(self.embedder.model, [*chain(*blocks.values())])
        for document, own in blocks.items():
            missing = sum(block not in known for block in own)
            if missing:
                yield _Waiting(document, len(own), missing)

    def _written(
        self, ids: Sequence[str], made: Callable[[str], bytes | None] | None = None
    ) -> Embedded:
        """Put these documents again with their vectors; what changed meanwhile waits for the next time.

        Those that are not known are `made`, or embedded.
        """
        with self.store.view(self.principal) as view:
            texts = dict(chain(*(_texts(each) for each in _documents_of(view, ids))))
            rows = dict(view.known_vectors(self.embedder.model, [*texts]))
        fresh = {key: text for key, text in texts.items() if key not in rows}
        if made is None:
            rows |= embedded(fresh, self.embedder)
        else:
            rows |= {key: row for key in fresh if (row := made(key)) is not None}
        for _ in range(_ATTEMPTS):
            with self.store.view(self.principal) as view:
                version, found = view.version, _documents_of(view, ids)
            keyed = [(each, tuple(key for key, _ in _texts(each))) for each in found]
            entries = tuple(
                entry_of(each, keys, rows, self.embedder)
                for each, keys in keyed
                if rows.keys() >= {*keys}
            )
            try:
                if entries:
                    self.store.write(
                        self.principal, Batch(put=entries), expected_version=version, erase=False
                    )
                blocks = sum(len(each.blocks or ()) for each in entries)
                return Embedded(len(fresh), max(0, blocks - len(fresh)))
            except VersionConflictError:  # others write: what is embedded is still good
                continue
        return Embedded(len(fresh))


def _documents_of(view: View, ids: Sequence[str]) -> list[FileDocument]:
    documents = {each.id: each for each in view.documents(ids)}
    blocks = {each: list[Block]() for each in documents}
    for block in view.blocks_of([*documents]):
        blocks[block.document_id].append(block)
    return [FileDocument(documents[each], tuple(own), 0) for each, own in blocks.items()]


def _texts(document: FileDocument) -> Iterator[tuple[str, str]]:
    return ((key_of(text), text) for text in document.embedded_texts)


def _batches(documents: Iterator[_Waiting], most: int) -> Iterator[list[_Waiting]]:
    """Whole documents, up to so many blocks in all."""
    batch, blocks, taken = list[_Waiting](), 0, 0
    for each in documents:
        if taken >= most:
            break
        batch.append(each)
        blocks += each.blocks
        taken += each.missing
        if blocks >= _A_BATCH:
            yield batch
            batch, blocks = [], 0
    if batch:
        yield batch
