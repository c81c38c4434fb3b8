"""Records are cut, embedded and written, all of them or none."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from operator import add
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from biblicus_context.base.doors import door
from biblicus_context.errors import InputError
from biblicus_context.ingest.chunks.chunk import ChunkSettings
from biblicus_context.ingest.documents import FileDocument
from biblicus_context.ingest.embedding import FEW, BatchEmbedder
from biblicus_context.ingest.quotations import Quotations
from biblicus_context.ingest.records.record import (
    Record,
    RelationTo,
    refuse_no_share,
    refuse_unknown_fields,
    with_origin,
    without_origin,
)
from biblicus_context.ingest.records.record_document import RecordDocument, record_document
from biblicus_context.retrieval.origin import ORIGIN, Origin
from biblicus_context.stores import Batch, Document, Entry, Principal, Relation, Store, checks
from biblicus_context.stores.arguments import checked_document
from biblicus_context.text.counters import Counter

if TYPE_CHECKING:
    from biblicus_context.embedders import Embedder

_NOT_FACTS: Final = {"relations", "origin"}
_RECORD: Final = r"records[\1]\2"
_ENTRY: Final = re.compile(r"^put\[([0-9]+)\](?:\.document)?(.*)$", re.DOTALL)


class WriteSummary(NamedTuple):
    """What a call wrote."""

    version: int
    records: int = 0
    blocks: int = 0
    tokens: int = 0
    embedded: int = 0
    """Texts that were embedded."""
    reused: int = 0
    """Blocks whose vectors were stored already, or belong to a block with the same text."""
    quotations: int = 0
    """Quotations of evidence of earlier results that were left out or marked."""
    waiting: int = 0
    """Blocks that are found by quick vectors until `embed_waiting` has embedded them."""

    def followed_by(self, later: WriteSummary) -> WriteSummary:
        """Both together."""
        return WriteSummary(later.version, *map(add, self[1:], later[1:]))


class PreparedRecords(NamedTuple):
    """Records that are cut and embedded, as a batch that is still to be written."""

    batch: Batch
    figures: WriteSummary


@door
@dataclass(frozen=True, slots=True)
class RecordWriter:
    """Writes records as one principal.

    To cut and embed texts takes time, in which others write: `prepared` does it, and `write` is short.
    """

    store: Store
    principal: Principal
    counter: Counter
    embedder: Embedder | None = None
    chunks: ChunkSettings = field(default_factory=ChunkSettings)
    quotations: Quotations = field(default_factory=Quotations)
    quick: Embedder | None = None
    """What embeds in the place of a slow embedder where a batch has more than `at_once` new texts."""
    at_once: int | None = None

    def put(
        self, records: Sequence[Record], remove: Collection[str] = (), *, erase: bool = True
    ) -> WriteSummary:
        """Write the records in one batch; each replaces the document of its id.

        The same batch removes other documents, by id. With `erase=False` the bytes of what it replaces
        are left to the last of several batches.
        """
        prepared = self.prepared(records)
        batch = replace(prepared.batch, remove=checks.sequence(remove, "remove"))
        return self.write(prepared._replace(batch=batch), erase=erase)

    def prepared(self, records: Sequence[Record]) -> PreparedRecords:
        """The records, ready to be written."""
        made_of = [*self._documents(records)]
        documents = [each.document for each in made_of]
        most = None if self.at_once is None else max(self.at_once, FEW)
        by = BatchEmbedder(self.store, self.principal, self.embedder, self.quick, most)
        made = by.embed(documents)
        blocks = [block for each in documents for block in each.blocks]
        figures = WriteSummary(
            0,
            len(documents),
            len(blocks),
            sum(block.tokens for block in blocks),
            made.embedded,
            made.reused,
            sum(each.quotations for each in made_of),
            made.waiting,
        )
        return PreparedRecords(Batch(put=made.entries, relate=tuple(_relations(records))), figures)

    def write(
        self,
        prepared: PreparedRecords,
        expected_version: int | None = None,
        *,
        erase: bool = True,
    ) -> WriteSummary:
        """Write them in one batch, as `Writes.write` does."""
        with _placed(_RECORD):
            version = self.store.write(
                self.principal, prepared.batch, expected_version=expected_version, erase=erase
            )
        return prepared.figures._replace(version=version)

    def change(
        self, document: Document, changes: Mapping[str, Any], expected_version: int | None = None
    ) -> int:
        """Change what is known of a document; its blocks stay."""
        refuse_unknown_fields(changes, of=Document)
        relations = changes.get("relations", ())
        own = {name: value for name, value in changes.items() if name not in _NOT_FACTS}
        if changes.keys() & {"metadata", "origin"}:
            kept = Origin.of(document.metadata.get(ORIGIN))
            metadata = changes.get("metadata", without_origin(document.metadata))
            own["metadata"] = with_origin(metadata, changes.get("origin", kept), "origin")
        with checks.inside("change"):
            changed = checked_document(replace(document, **own))
            refuse_no_share(own)
        entry = Entry(changed)
        if changed.title != document.title:  # it is part of what was embedded
            with self.store.view(self.principal) as view:
                blocks = view.blocks_of([document.id])
            made = BatchEmbedder(self.store, self.principal, self.embedder)
            (entry,) = made.embed([FileDocument(changed, blocks, 0)]).entries
        relate = tuple(_relations([Record(id=document.id, relations=relations)]))
        with _placed(r"change\2"):
            batch = Batch(put=(entry,), relate=relate)
            return self.store.write(self.principal, batch, expected_version=expected_version)

    def _documents(self, records: Sequence[Record]) -> Iterator[RecordDocument]:
        seen: set[str] = set()
        for number, record in enumerate(records):
            with checks.inside(f"records[{number}]"):
                yield record_document(record, self.chunks, self.counter, self.quotations)
                if record.id in seen:
                    raise InputError("the id appears twice", place="id", found=record.id)
            seen.add(record.id)


def _relations(records: Sequence[Record]) -> Iterator[Relation]:
    for number, record in enumerate(records):
        with checks.inside(f"records[{number}]"):
            relations = checks.several(record.relations, "relations", "relations")
        for place, to in enumerate(relations):
            with checks.inside(f"records[{number}].relations[{place}]"):
                if not isinstance(to, RelationTo):
                    found = type(to).__name__
                    raise InputError("a RelationTo is expected", found=found)
                checks.name(to.target, "target")
                checks.name(to.type, "type")
                weight = checks.number(to.weight, "weight")
            yield Relation(record.id, to.target, to.type, weight)


@contextmanager
def _placed(as_: str) -> Iterator[None]:
    """Name what was passed in errors of the store, which names the entries of a batch."""
    try:
        yield
    except InputError as error:
        place = _ENTRY.sub(as_, error.place or "")
        raise InputError(
            error.problem, place=place, found=error.found, valid=error.valid, fix=error.fix
        ) from None
