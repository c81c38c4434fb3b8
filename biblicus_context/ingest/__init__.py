"""Files become documents and blocks in a store."""

from biblicus_context.ingest.chunks.chunk import ChunkSettings
from biblicus_context.ingest.chunks.section import Parsed, Section, UnreadableError
from biblicus_context.ingest.files.content import Content
from biblicus_context.ingest.files.walking import Skipped, WalkSettings
from biblicus_context.ingest.imports import markdown_records, notion_records
from biblicus_context.ingest.readers import Reader, ReaderRegistry
from biblicus_context.ingest.summary import FileRemark, Progress, Summary
from biblicus_context.ingest.syncing import IngestSettings, ingest
from biblicus_context.ingest.watching import watch

__all__ = [
    "ChunkSettings",
    "Content",
    "FileRemark",
    "IngestSettings",
    "Parsed",
    "Progress",
    "Reader",
    "ReaderRegistry",
    "Section",
    "Skipped",
    "Summary",
    "UnreadableError",
    "WalkSettings",
    "ingest",
    "markdown_records",
    "notion_records",
    "watch",
]
