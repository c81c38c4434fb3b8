"""A page of Markdown as blocks: its sections, to-dos and lists, each found, linked and changed as itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from biblicus_context.ingest import Record

SECTION: Final = "section"
TODO: Final = "todo"
LIST: Final = "list"
_HEADING: Final = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_TODO: Final = re.compile(r"([ \t]*)(?:[-*+]|\d{1,3}[.)])[ \t]+\[([ xX-])\][ \t]+(.*)$")
_ITEM: Final = re.compile(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\S")
_INDENTED: Final = re.compile(r"[ \t]+\S")
_DUE: Final = re.compile(
    r"[ \t]*(?:📅|(?:\(|@|\[)?due(?:[ \t]*(?:::?|on|by)[ \t]*|\())[ \t]*(\d{4}-\d{2}-\d{2})[)\]]?",
    re.IGNORECASE,
)
_SLUG: Final = re.compile(r"[^\w]+")
_LONGEST_SLUG: Final = 60
_FEWEST_ITEMS: Final = 2
"""Items that make a list a block of its own."""
_OF_PAGES: Final = frozenset({"title", "ai", "withheld", "untitled", "imported_from"})
"""Metadata that is not written below a page."""


def page_blocks(page: Record) -> list[Record]:
    """The page with its own words and properties, and the blocks inside it in their order.

    >>> page = Record(id="a.md", kind="page", title="Fair", text="Soon.\\n\\n## Hall\\n\\n- [x] Book it")
    >>> [(each.id, each.kind, each.text.split("\\n")[0]) for each in page_blocks(page)]
    [('a.md', 'page', 'Soon.'), ('a.md#hall', 'section', '## Hall'), ('a.md#hall/book-it', 'todo', 'Book it')]
    """
    root = _Open(page.id, 0, "")
    written = _Page(page, root)
    for line in page.text.split("\n"):
        written.add(line)
    written.end()
    own = "\n".join(filter(None, [root.text, *_properties(page.metadata, page.tags)]))
    return [replace(page, text=own), *written.blocks]


def _properties(known: Mapping[str, Any], tags: tuple[str, ...]) -> Iterator[str]:
    """What the front matter says, for a model to read."""
    for name, value in known.items():
        said = ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
        if name not in _OF_PAGES and isinstance(said, str | int | float) and said != "":
            yield f"{name}: {said}"
    if tags:
        yield f"tags: {', '.join(tags)}"


class _Line(NamedTuple):
    text: str
    is_item: bool


@dataclass
class _Open:
    """A page or a section whose lines are being read."""

    id: str
    level: int
    heading: str
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self.lines)).strip("\n")


class _Page:
    """Takes a page line by line; what it is made of is in `blocks`."""

    def __init__(self, page: Record, root: _Open) -> None:
        self._page, self._opened, self._fence = page, [root], ""
        self._todos: list[tuple[int, str]] = []
        self._list: list[str] = []
        self._ids = Counter[str]()
        self._done: list[Record] = []
        self.blocks: list[Record] = []

    def add(self, line: str) -> None:
        mark = _FENCE.match(line)
        if self._fence or mark:
            self._end_list()
            if mark and not self._fence:
                self._fence = mark[1]
            elif mark and mark[1].startswith(self._fence):
                self._fence = ""
            self._opened[-1].lines.append(line)
            return
        heading, todo = _HEADING.match(line), _TODO.match(line)
        if heading:
            self._begin(len(heading[1]), heading[2], line)
        elif todo:
            self._end_list()
            self._todo(len(todo[1].expandtabs(4)), todo[2] in "xX", todo[3])
        elif self._todos and _INDENTED.match(line) and not _ITEM.match(line):
            last = self.blocks[-1]
            self.blocks[-1] = replace(last, text=f"{last.text}\n{line.strip()}")
        elif _ITEM.match(line) or (self._list and _INDENTED.match(line)):
            self._list.append(line)
        else:
            if line.strip():
                self._todos.clear()
                self._end_list()
            self._opened[-1].lines.append(line)

    def end(self) -> None:
        """Write what is open."""
        self._end_list()
        while len(self._opened) > 1:
            self._close()

    def _begin(self, level: int, words: str, line: str) -> None:
        self._end_list()
        self._todos.clear()
        while len(self._opened) > 1 and self._opened[-1].level >= level:
            self._close()
        above = self._opened[-1]
        if len(self._opened) == 1 and words == self._page.title and not self.blocks:
            return  # the title of the page
        opened = _Open(self._named(f"{self._page.id}#{_slug(words)}"), level, line.strip())
        opened.lines.append(line.strip())
        self._opened.append(opened)
        # Its text is known when it ends; its place is here.
        self.blocks.append(self._record(opened.id, SECTION, "", above.id))

    def _close(self) -> None:
        done = self._opened.pop()
        at = next(n for n, each in enumerate(self.blocks) if each.id == done.id)
        self.blocks[at] = replace(self.blocks[at], text=done.text)

    def _todo(self, indentation: int, is_done: bool, words: str) -> None:  # noqa: FBT001 - of a match
        while self._todos and self._todos[-1][0] >= indentation:
            self._todos.pop()
        above = self._todos[-1][1] if self._todos else self._opened[-1].id
        due = _DUE.search(words)
        bare = _DUE.sub("", words).strip() or words
        known = {"status": "done" if is_done else "open", **({"due": due[1]} if due else {})}
        name = self._named(f"{self._opened[-1].id}{self._mark}{_slug(bare)}")
        text = "\n".join([bare, *(f"{key}: {value}" for key, value in known.items())])
        self._todos.append((indentation, name))
        self.blocks.append(self._record(name, TODO, text, above, known))

    def _end_list(self) -> None:
        lines, self._list = self._list, []
        here = self._opened[-1]
        if sum(bool(_ITEM.match(each)) for each in lines) < _FEWEST_ITEMS:
            here.lines += lines
            return
        self._todos.clear()
        name = self._named(f"{here.id}{self._mark}list")
        self.blocks.append(self._record(name, LIST, "\n".join(lines), here.id))

    @property
    def _mark(self) -> str:
        return "/" if len(self._opened) > 1 else "#/"

    def _named(self, name: str) -> str:
        """An id that no other block of the page has, and that stays while others come and go."""
        self._ids[name] += 1
        count = self._ids[name]
        return name if count == 1 else f"{name}-{count}"

    def _record(
        self, name: str, kind: str, text: str, parent: str, known: Mapping[str, Any] | None = None
    ) -> Record:
        page = self._page
        return Record(
            id=name, kind=kind, text=text, parent=parent, position=len(self.blocks),
            path=page.path, created=page.created, updated=page.updated, metadata={**(known or {})},
        )  # fmt: skip


def _slug(words: str) -> str:
    return _SLUG.sub("-", words.casefold()).strip("-")[:_LONGEST_SLUG] or "block"
