"""Files become documents and blocks in a store."""

from typing import TYPE_CHECKING

from biblicus_context.base.deferred import exports

if TYPE_CHECKING:
    from biblicus_context.ingest.chunks.chunk import ChunkSettings
    from biblicus_context.ingest.chunks.section import Parsed, Section, UnreadableError
    from biblicus_context.ingest.files.content import Content
    from biblicus_context.ingest.files.walking import Skipped, WalkSettings
    from biblicus_context.ingest.imports import markdown_records, notion_records
    from biblicus_context.ingest.readers import Reader, ReaderRegistry
    from biblicus_context.ingest.summary import FileRemark, Progress, Summary
    from biblicus_context.ingest.syncing import IngestSettings, ingest
    from biblicus_context.ingest.watching import watch

# Records and evidence are read without the readers of files.
__getattr__, __dir__ = exports(
    __name__,
    {
        "biblicus_context.ingest.chunks.chunk": "ChunkSettings",
        "biblicus_context.ingest.chunks.section": "Parsed Section UnreadableError",
        "biblicus_context.ingest.files.content": "Content",
        "biblicus_context.ingest.files.walking": "Skipped WalkSettings",
        "biblicus_context.ingest.imports": "markdown_records notion_records",
        "biblicus_context.ingest.readers": "Reader ReaderRegistry",
        "biblicus_context.ingest.summary": "FileRemark Progress Summary",
        "biblicus_context.ingest.syncing": "IngestSettings ingest",
        "biblicus_context.ingest.watching": "watch",
    },
)

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
