"""Files become documents and blocks in a store."""

from biblicus_context.ingest.chunk_settings import ChunkSettings
from biblicus_context.ingest.content import Content
from biblicus_context.ingest.readers import Reader, Readers
from biblicus_context.ingest.section import Parsed, Section
from biblicus_context.ingest.summary import Progress, Remark, Summary
from biblicus_context.ingest.syncing import IngestSettings, ingest
from biblicus_context.ingest.unreadable import UnreadableError
from biblicus_context.ingest.walking import Skipped, WalkSettings
from biblicus_context.ingest.watching import watch

__all__ = [
    "ChunkSettings",
    "Content",
    "IngestSettings",
    "Parsed",
    "Progress",
    "Reader",
    "Readers",
    "Remark",
    "Section",
    "Skipped",
    "Summary",
    "UnreadableError",
    "WalkSettings",
    "ingest",
    "watch",
]
