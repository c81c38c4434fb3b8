"""Imports: the exports of other programs as records."""

from biblicus_context.ingest.imports.folder_files import DIGEST, file_records
from biblicus_context.ingest.imports.markdown_folder import markdown_records
from biblicus_context.ingest.imports.notion_export import notion_records

__all__ = ["DIGEST", "file_records", "markdown_records", "notion_records"]
