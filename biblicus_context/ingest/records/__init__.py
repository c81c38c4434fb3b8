"""Documents that programs write: records become documents with blocks, as files do."""

from biblicus_context.ingest.records.record import Record, RecordPart, RelationTo
from biblicus_context.ingest.records.record_writer import RecordWriter, WriteSummary
from biblicus_context.ingest.records.stored_record import stored_record

__all__ = ["Record", "RecordPart", "RecordWriter", "RelationTo", "WriteSummary", "stored_record"]
