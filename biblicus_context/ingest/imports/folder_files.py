"""The files of a folder as records: one for each file that a reader can read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from biblicus_context.base.doors import door
from biblicus_context.errors import ContextError
from biblicus_context.ingest.files.content import Content, read
from biblicus_context.ingest.files.walking import SkippedFile, WalkSettings, walk
from biblicus_context.ingest.readers import ReaderRegistry
from biblicus_context.ingest.records.record import Record
from biblicus_context.ingest.sanitizing import shown

DIGEST = "digest"
"""Metadata of such a record: it changes when the file does."""


@door
def file_records(
    folder: str | Path,
    *,
    include: tuple[str, ...] = (),
    exclude: tuple[str, ...] = (),
    on_skipped: Callable[[SkippedFile], None] | None = None,
) -> Iterator[Record]:
    """A record for each file of a folder, whose id is its path there; `.gitignore` is obeyed.

    `on_skipped` gets each file that is left out; of all files, only one at a time is in memory.
    """
    settings, readers = WalkSettings(include=include, exclude=exclude), ReaderRegistry()
    for each in walk(Path(folder), settings):
        made = (
            each
            if isinstance(each, SkippedFile)
            else _made(read(each, settings.max_bytes), readers)
        )
        if isinstance(made, Record):
            yield made
        elif on_skipped is not None:
            on_skipped(made)


def _made(content: Content | SkippedFile, readers: ReaderRegistry) -> Record | SkippedFile:
    if isinstance(content, SkippedFile):
        return content
    reader = readers.reader_of(content)
    if reader is None:
        return SkippedFile(content.name, "not text, and not a known format")
    if content.is_blank:
        return SkippedFile(content.name, "empty")
    text = content.text()
    if readers.reads_bytes(content):
        try:
            text = "\n\n".join(each.text for each in reader(content).sections)
        except ContextError as error:
            return SkippedFile(content.name, str(error))
    path = shown(content.name)
    return Record(
        id=path,
        text=text,
        kind="file",
        title=path,
        path=path,
        created=content.updated,
        updated=content.updated,
        metadata={DIGEST: content.digest},
    )
