"""Files become documents and blocks in a store."""

from typing import TYPE_CHECKING

from biblicus_context.base.exports import exports

if TYPE_CHECKING:
    from biblicus_context.ingest.chunks.chunk import ChunkSettings as ChunkSettings
    from biblicus_context.ingest.chunks.section import (
        Parsed as Parsed,
        Section as Section,
        SectionKind as SectionKind,
        UnreadableError as UnreadableError,
    )
    from biblicus_context.ingest.files.content import Content as Content
    from biblicus_context.ingest.files.walking import (
        SkippedFile as SkippedFile,
        WalkSettings as WalkSettings,
    )
    from biblicus_context.ingest.imports import (
        DIGEST as DIGEST,
        file_records as file_records,
        markdown_records as markdown_records,
        notion_records as notion_records,
    )
    from biblicus_context.ingest.readers import Reader as Reader, ReaderRegistry as ReaderRegistry
    from biblicus_context.ingest.readers.definitions import (
        Definition as Definition,
        definitions as definitions,
        with_comments as with_comments,
    )
    from biblicus_context.ingest.readers.languages import LANGUAGES as LANGUAGES
    from biblicus_context.ingest.records import (
        Record as Record,
        RecordPart as RecordPart,
        RelationTo as RelationTo,
        WriteSummary as WriteSummary,
    )
    from biblicus_context.ingest.records.record_writer import PreparedRecords as PreparedRecords
    from biblicus_context.ingest.summary import (
        FileRemark as FileRemark,
        Progress as Progress,
        Summary as Summary,
    )
    from biblicus_context.ingest.syncing import IngestSettings as IngestSettings, ingest as ingest
    from biblicus_context.ingest.watching import watch as watch
else:
    # Records and evidence are read without the readers of files.
    __getattr__, __dir__, __all__ = exports(
        __name__,
        {
            "chunks.chunk": "ChunkSettings",
            "chunks.section": "Parsed Section SectionKind UnreadableError",
            "files.content": "Content",
            "files.walking": "SkippedFile WalkSettings",
            "imports": "DIGEST file_records markdown_records notion_records",
            "readers": "Reader ReaderRegistry",
            "readers.languages": "LANGUAGES",
            "readers.definitions": "Definition definitions with_comments",
            "records": "Record RecordPart RelationTo WriteSummary",
            "records.record_writer": "PreparedRecords",
            "summary": "FileRemark Progress Summary",
            "syncing": "IngestSettings ingest",
            "watching": "watch",
        },
    )
