"""Who may read which page, and what its title is, by the simplest tree: a dictionary and recursion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from biblicus_context.systems.workspace import Block

Granted: TypeAlias = frozenset[str]
"""Users by name, and groups as `group NAME`; of a page that everybody reads, None."""
_EVERYBODY: Final = None


@dataclass(frozen=True)
class Page:
    """A block, and who may read it."""

    block: Block
    readers: Granted | None = _EVERYBODY


@dataclass
class PageTree:
    """The blocks of one workspace."""

    blocks: dict[str, Page] = field(default_factory=dict)

    def put(self, block: Block) -> None:
        """Write or move a block: it keeps readers of its own, else it takes those of its new page."""
        had = self.blocks.get(block.id)
        above = self._readers(block.parent_id)
        readers = above
        if had is not None and had.readers != self._readers(had.block.parent_id):
            readers = had.readers
        self.blocks[block.id] = Page(block, had.readers if had else _EVERYBODY)
        self._settle(block.id, readers)

    def grant(self, name: str, who: str) -> None:
        """Show a block to one more."""
        self._settle(name, (self.blocks[name].readers or frozenset()) | {who})

    def remove(self, name: str) -> list[str]:
        """Remove a block with all inside it; returns their names."""
        gone = [*self._inside(name)] if name in self.blocks else []
        for each in gone:
            del self.blocks[each]
        return gone

    def title(self, name: str) -> str:
        """Its own, or that of its page if all who read the block read the page."""
        page = self.blocks[name]
        parent = page.block.parent_id
        if page.block.title or parent not in self.blocks:
            return page.block.title
        above = self.blocks[parent].readers
        is_shown = above is _EVERYBODY or (page.readers is not _EVERYBODY and page.readers <= above)
        return self.title(parent) if is_shown else ""

    def would_be_inside_itself(self, name: str, parent: str | None) -> bool:
        """Whether a block would be above its own parent."""
        while parent is not None and parent != name:
            parent = self.blocks[parent].block.parent_id if parent in self.blocks else None
        return parent == name

    def _readers(self, name: str | None) -> Granted | None:
        return self.blocks[name].readers if name in self.blocks else _EVERYBODY

    def _settle(self, name: str, readers: Granted | None) -> None:
        """Change the readers of a block, and of each block inside it that has the same."""
        before = self.blocks[name].readers
        self.blocks[name] = replace(self.blocks[name], readers=readers)
        for child in self._children(name):
            if self.blocks[child].readers == before:
                self._settle(child, readers)

    def _children(self, name: str) -> list[str]:
        return [each for each, page in self.blocks.items() if page.block.parent_id == name]

    def _inside(self, name: str) -> Iterator[str]:
        yield name
        for child in self._children(name):
            yield from self._inside(child)
