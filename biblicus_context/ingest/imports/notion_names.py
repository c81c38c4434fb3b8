"""Names of files in a Notion export: a title, an id of 32 digits, and the page they belong to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Final, NamedTuple

_NAMED: Final = re.compile(r"(?s)(.*?)[ _-]?([0-9a-f]{32})(_all)?")
_DASHED: Final = re.compile(
    r"(?s)(.*?)[ _-]?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(_all)?"
)


class NotionName(NamedTuple):
    """What the name of a file or folder says."""

    title: str
    id: str | None = None
    is_whole: bool = False
    """Whether it is the table with all rows of a database, not those of one view."""


def notion_name(stem: str) -> NotionName:
    """The parts of a name without its suffix.

    >>> notion_name("Launch 0123456789abcdef0123456789abcdef_all")
    NotionName(title='Launch', id='0123456789abcdef0123456789abcdef', is_whole=True)
    >>> notion_name("Notes")
    NotionName(title='Notes', id=None, is_whole=False)
    """
    for pattern in (_NAMED, _DASHED):
        if found := pattern.fullmatch(stem):
            return NotionName(found[1], found[2].replace("-", ""), found[3] is not None)
    return NotionName(stem.removesuffix("_all"), None, stem.endswith("_all"))


@dataclass(frozen=True)
class NotionTree:
    """Which file is inside which: a page or a database has a folder of its name next to it."""

    names: tuple[str, ...]
    """All files, in order."""

    @cached_property
    def pages(self) -> Mapping[str, NotionName]:
        """The files that are pages, by path."""
        return {each: _name_of(each) for each in self.names if each.lower().endswith(".md")}

    @cached_property
    def databases(self) -> Mapping[str, NotionName]:
        """The tables of databases, by path: of two tables of one database, that with all rows."""
        return {path: _name_of(path) for path in sorted({*self.tables.values()})}

    @cached_property
    def tables(self) -> Mapping[str, str]:
        """The table with all rows for each table, by path."""
        found: dict[tuple[str, str, str | None], list[str]] = {}
        for each in self.names:
            if each.lower().endswith(".csv"):
                name = _name_of(each)
                found.setdefault((_folder_of(each), name.title, name.id), []).append(each)
        return {
            table: next((each for each in tables if _name_of(each).is_whole), tables[0])
            for tables in found.values()
            for table in tables
        }

    def parent_of(self, path: str) -> str | None:
        """The nearest page or database in whose folder a file is."""
        folder = _folder_of(path)
        while folder:
            owner = self._owners.get(folder)
            if owner is not None and owner != path:
                return owner
            folder = _folder_of(folder)
        return None

    @cached_property
    def _owners(self) -> Mapping[str, str]:
        """The page or database of each folder, by its path; newer exports leave the id out."""
        owners: dict[str, str] = {}
        for path, name in (*self.databases.items(), *self.pages.items()):
            above = _folder_of(path)
            for folder in _folder_names(path, name):
                owners.setdefault(f"{above}/{folder}" if above else folder, path)
        return owners


def _folder_names(path: str, name: NotionName) -> Iterable[str]:
    return dict.fromkeys([PurePosixPath(path).stem.removesuffix("_all"), name.title])


def _name_of(path: str) -> NotionName:
    return notion_name(PurePosixPath(path).stem)


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0]
