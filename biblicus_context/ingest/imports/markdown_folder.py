"""A folder of Markdown files as records: a page for each file and folder, with their tree and links."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from biblicus_context.base.doors import door
from biblicus_context.ingest.files.content import Content
from biblicus_context.ingest.files.walking import SkippedFile
from biblicus_context.ingest.imports.export_files import OnSkipped, opened_export
from biblicus_context.ingest.links import LINKS, LinkTargets, links_of
from biblicus_context.ingest.readers.markdown import read_markdown
from biblicus_context.ingest.records.record import Record, RelationTo
from biblicus_context.ingest.sanitizing import in_utc, metadata, name_or_none, names, shown

PAGE: Final = "page"
_SUFFIXES: Final = (".md", ".markdown", ".mdx")
_OF_FOLDERS: Final = ("index", "readme")
"""Names of files that are the page of their folder."""


@door
def markdown_records(
    place: str | Path, *, on_skipped: Callable[[SkippedFile], None] | None = None
) -> Iterator[Record]:
    """A page for each Markdown file and each folder below a path, or in a zip archive.

    Ids are paths. A file named `index` or `README` is the page of its folder. `on_skipped` gets
    each file that is left out; of all files, only one at a time is in memory.
    """
    skip: OnSkipped = on_skipped or (lambda _: None)
    with opened_export(place) as files:
        for each in files.skipped:
            skip(each)
        pages = [name for name in files.names if name.lower().endswith(_SUFFIXES)]
        for name in sorted({*files.names}.difference(pages)):
            skip(SkippedFile(name, "not Markdown"))
        of_folders = _pages_of_folders(pages)
        targets = LinkTargets({*pages})
        positions = {name: place for place, name in enumerate(sorted([*pages, *of_folders]))}
        # Folders without a page of their own come first: their files name them as parents.
        for folder in (each for each, page in of_folders.items() if page == each):
            yield Record(
                id=folder,
                kind=PAGE,
                title=shown(PurePosixPath(folder).name),
                path=folder,
                parent=_parent_of(folder, of_folders),
                position=positions[folder],
            )
        for name in pages:
            content = files.read(name)
            if isinstance(content, SkippedFile):
                skip(content)
            elif content.looks_binary:
                skip(SkippedFile(name, "not text"))
            else:
                relations = tuple(
                    RelationTo(each, LINKS)
                    for each in sorted({*targets.led_to(name, links_of(content))})
                )
                parent = _parent_of(name, of_folders)
                yield _record(content, parent, positions[name], relations)


def _pages_of_folders(pages: Sequence[str]) -> Mapping[str, str]:
    """The page of each folder that has pages in it: its index, else the folder itself."""
    found: dict[str, str] = {}
    for name in pages:
        for folder in map(str, PurePosixPath(name).parents):
            if folder != ".":
                found.setdefault(folder, folder)
        path = PurePosixPath(name)
        folder = str(path.parent)
        if folder != "." and path.stem.lower() in _OF_FOLDERS and found[folder] == folder:
            found[folder] = name
    return dict(sorted(found.items()))


def _parent_of(name: str, of_folders: Mapping[str, str]) -> str | None:
    folder = str(PurePosixPath(name).parent)
    page = of_folders.get(folder)
    if page == name:  # the page of a folder is inside the folder above it
        return _parent_of(folder, of_folders)
    return page


def _record(
    content: Content, parent: str | None, position: int, relations: tuple[RelationTo, ...]
) -> Record:
    parsed = read_markdown(content)
    return Record(
        id=content.name,
        kind=PAGE,
        title=shown(parsed.title) or shown(PurePosixPath(content.name).stem),
        text="\n".join(section.text for section in parsed.sections).strip("\n"),
        path=content.name,
        created=in_utc(parsed.created),
        updated=in_utc(parsed.updated or content.updated),
        confidence=parsed.confidence,
        importance=parsed.importance,
        parent=name_or_none(parsed.parent) or parent,
        position=position if parsed.position is None else parsed.position,
        superseded_by=name_or_none(parsed.superseded_by),
        valid_from=in_utc(parsed.valid_from),
        valid_to=in_utc(parsed.valid_to),
        tags=names(parsed.tags),
        metadata=metadata(parsed.metadata),
        relations=relations,
    )
