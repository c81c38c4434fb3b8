"""A Notion export (Markdown & CSV) as records: pages, databases and rows, with their tree and links."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Final

from biblicus_context.base.doors import door
from biblicus_context.ingest.files.content import Content
from biblicus_context.ingest.files.walking import SkippedFile
from biblicus_context.ingest.imports.export_files import ExportFiles, OnSkipped, opened_export
from biblicus_context.ingest.imports.notion_names import NotionTree
from biblicus_context.ingest.imports.notion_properties import RowProperties, leading_properties
from biblicus_context.ingest.imports.notion_rows import TableRow, database_table
from biblicus_context.ingest.links import LINKS, Links, LinkTargets, links_of
from biblicus_context.ingest.records.record import Record, RelationTo
from biblicus_context.ingest.sanitizing import in_utc, metadata, names, shown

ROWS: Final = "rows"
"""The type of the relations from a row to the pages and rows in its properties."""
PAGE, DATABASE, ROW = "page", "database", "row"


@door
def notion_records(
    place: str | Path, *, on_skipped: Callable[[SkippedFile], None] | None = None
) -> Iterator[Record]:
    """The pages, databases and rows of an export: a zip archive, or the folder it was unpacked to.

    Records keep the ids of Notion, so a later export replaces them. `on_skipped` gets each file
    that is left out; of all files, only one at a time is in memory.
    """
    skip: OnSkipped = on_skipped or (lambda _: None)
    with opened_export(place) as files:
        for each in files.skipped:
            skip(each)
        tree = NotionTree(files.names)
        for name in files.names:
            if name not in tree.pages and name not in tree.tables:
                skip(SkippedFile(name, "neither a page nor a database"))
        yield from _Export(files, tree, _ids(tree), skip).records()


def _ids(tree: NotionTree) -> Mapping[str, str]:
    """The id of each file: that of Notion, else its path, as for the second of two with one id."""
    found: dict[str, str] = {}
    for path, name in (*tree.databases.items(), *tree.pages.items()):
        found.setdefault(name.id or path, path)
    by_path = {path: each for each, path in found.items()}
    return {path: by_path.get(path, path) for path in (*tree.databases, *tree.pages)}


@dataclass
class _Export:
    files: ExportFiles
    tree: NotionTree
    ids: Mapping[str, str]
    skip: OnSkipped
    _positions: dict[str, int] = field(default_factory=dict)
    """The places of pages in their parent, as it links to them."""

    def __post_init__(self) -> None:
        self._targets = LinkTargets({*self.tree.pages, *self.tree.tables})
        self._known = frozenset(self.ids.values())

    def records(self) -> Iterator[Record]:
        """Pages first, then each database with its rows."""
        rows: dict[str, list[str]] = {path: [] for path in self.tree.databases}
        pages: list[str] = []
        for path in self.tree.pages:
            rows.get(self.tree.parent_of(path) or "", pages).append(path)
        for path in pages:
            yield from self._page(path)
        for path, inside in rows.items():
            yield from self._database(path, inside)

    def _page(self, path: str) -> Iterator[Record]:
        content = self._read(path)
        if content is None:
            return
        title, body = _titled(content.text(), self.tree.pages[path].title)
        links = links_of(content)
        targets = self._led_to(path, links)
        for place, target in enumerate(targets):
            if self.tree.parent_of(target) == path:
                self._positions.setdefault(target, place)
        yield self._record(path, PAGE, title, body, content.updated, self._related(targets, LINKS))

    def _database(self, path: str, inside: Sequence[str]) -> Iterator[Record]:
        table = database_table(self._read(path))
        title = self.tree.databases[path].title
        columns = f"Columns: {', '.join(table.columns)}" if table.columns else ""
        yield self._record(path, DATABASE, title, columns, None, ())
        titles = [self.tree.pages[each].title for each in inside]
        found, left = table.matched(titles)
        for page, row in zip(inside, found, strict=True):
            yield from self._row(page, row)
        for row in left:
            yield self._row_without_page(path, row)

    def _row(self, path: str, row: TableRow | None) -> Iterator[Record]:
        content = self._read(path)
        if content is None:
            return
        title, body = _titled(content.text(), self.tree.pages[path].title)
        properties, taken = leading_properties(body.split("\n"))
        body = "\n".join(body.split("\n")[taken:]).strip("\n")
        if not taken and row is not None:
            properties = row.properties
        of_rows = {*self._linked(path, properties)}
        links = self._led_to(path, links_of(content))
        text = "\n\n".join(filter(None, [properties.text, body]))
        others = [each for each in links if self.ids[each] not in of_rows]
        relations = (*_relations(of_rows, ROWS), *self._related(others, LINKS))
        record = self._record(path, ROW, title, text, content.updated, relations)
        place = record.position if row is None else row.position
        yield replace(_with(record, properties), position=place)

    def _row_without_page(self, database: str, row: TableRow) -> Record:
        parent = self.ids[database]
        return _with(
            Record(
                id=f"{parent}#{row.position}",
                kind=ROW,
                title=shown(row.title),
                text="\n".join(filter(None, [row.title, row.properties.text])),
                path=database,
                parent=parent,
                position=row.position,
                relations=_relations(self._linked(database, row.properties), ROWS),
            ),
            row.properties,
        )

    def _linked(self, path: str, properties: RowProperties) -> list[str]:
        """The ids of the pages and rows that the properties of a row name."""
        by_path = self._led_to(path, Links(properties.links))
        by_id = (each for each in properties.ids if each in self._known)
        return [*dict.fromkeys([*(self.ids[each] for each in by_path), *by_id])]

    def _led_to(self, path: str, links: Links) -> list[str]:
        found = self._targets.led_to(path, links)
        return [self.tree.tables.get(each, each) for each in found]

    def _related(self, targets: Iterable[str], type_: str) -> tuple[RelationTo, ...]:
        return _relations([self.ids[each] for each in targets], type_)

    def _record(
        self,
        path: str,
        kind: str,
        title: str,
        text: str,
        updated: datetime | None,
        relations: tuple[RelationTo, ...],
    ) -> Record:
        parent = self.tree.parent_of(path)
        return Record(
            id=self.ids[path],
            kind=kind,
            title=shown(title),
            text=text,
            path=path,
            updated=in_utc(updated),
            parent=None if parent is None else self.ids[parent],
            position=self._positions.get(path),
            relations=tuple(each for each in relations if each.target != self.ids[path]),
        )

    def _read(self, path: str) -> Content | None:
        content = self.files.read(path)
        if isinstance(content, SkippedFile):
            self.skip(content)
            return None
        if content.looks_binary:
            self.skip(SkippedFile(path, "not text"))
            return None
        return content


def _relations(targets: Iterable[str], type_: str) -> tuple[RelationTo, ...]:
    return tuple(RelationTo(target, type_) for target in sorted({*targets}))


def _with(record: Record, properties: RowProperties) -> Record:
    return replace(
        record,
        created=in_utc(properties.created),
        updated=in_utc(properties.updated) or record.updated,
        tags=names(properties.tags),
        metadata=metadata(properties.values),
    )


def _titled(text: str, named: str) -> tuple[str, str]:
    """The title of a page, which file names shorten, and its text below it."""
    first, _, rest = text.lstrip("\n").partition("\n")
    if first.startswith("# "):
        return first[2:].strip() or named, rest.strip("\n")
    return named, text.strip("\n")
