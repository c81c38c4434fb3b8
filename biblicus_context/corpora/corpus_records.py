"""The documents of a corpus that programs write."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import islice
from typing import Final

from biblicus_context.corpora.errors import HasRootError
from biblicus_context.corpora.index import Index
from biblicus_context.ingest.records.record import Record
from biblicus_context.ingest.records.record_writer import RecordWriter, Written
from biblicus_context.ingest.syncing import IngestSettings
from biblicus_context.stores import Batch, Relation, Store
from biblicus_context.text.counters import default_counter

_AT_ONCE: Final = 1_000
"""Records of a batch of `put_many`."""


class CorpusRecords:
    """Writes of programs; each is durable as a whole, and found when it returns."""

    index: Index
    ingest_settings: IngestSettings

    def put(self, records: Iterable[Record]) -> Written:
        """Write records, all of them or none; each replaces the document of its id.

        All are in memory at once; `put_many` writes any number.
        """
        return self._writer.put([*records])

    def put_many(self, records: Iterable[Record]) -> Written:
        """Write any number of records in little memory: a thousand at a time, each as `put` does.

        After an interruption, put the same records again: the stored vectors are reused.
        """
        waiting, writer = iter(records), self._writer
        total = Written(self._written.state(self.index.principal).version)
        while batch := [*islice(waiting, _AT_ONCE)]:
            total = total.followed_by(writer.put(batch))
        return total

    def remove(self, ids: Collection[str]) -> int:
        """Remove documents with their relations and counts; returns the version that this makes."""
        return self._written.write(self.index.principal, Batch(remove=tuple(ids)))

    def relate(self, relations: Iterable[Relation]) -> int:
        """Write relations; the last one of a type between two documents counts."""
        return self._written.write(self.index.principal, Batch(relate=tuple(relations)))

    def unrelate(self, relations: Iterable[Relation]) -> int:
        """Remove relations; their weights do not matter."""
        return self._written.write(self.index.principal, Batch(unrelate=tuple(relations)))

    @property
    def _written(self) -> Store:
        if self.index.root is not None:
            raise HasRootError(self.index.name, self.index.root)
        return self.index.open_store(create=True)

    @property
    def _writer(self) -> RecordWriter:
        settings = self.ingest_settings
        return RecordWriter(
            self._written,
            self.index.principal,
            default_counter(),
            self.index.embedder,
            settings.chunks,
            settings.quotations,
        )
