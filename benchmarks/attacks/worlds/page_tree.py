"""Who may read which page, and what its title is, by the simplest tree: own readers, and recursion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from biblicus_context.systems.workspace import Block

Granted: TypeAlias = frozenset[str]
"""Users by name, and groups as `group NAME`; of a page that everybody reads, None."""
_EVERYBODY: Final = None


@dataclass
class PageTree:
    """The blocks of one workspace, and the readers that some of them were given."""

    blocks: dict[str, Block] = field(default_factory=dict)
    own: dict[str, Granted | None] = field(default_factory=dict)

    def copy(self) -> PageTree:
        """The same tree, to be changed on its own."""
        return PageTree({**self.blocks}, {**self.own})

    def put(self, block: Block) -> None:
        """Write or move a block: where its new page is not there, it keeps the readers that it has."""
        if block.parent_id is not None and block.parent_id not in self.blocks:
            readers = self.readers(block.id)
            if readers is not _EVERYBODY:
                self.own[block.id] = readers
        self.blocks[block.id] = block

    def grant(self, name: str, who: str) -> None:
        """Show a block to one more."""
        self.own[name] = (self.readers(name) or frozenset()) | {who}

    def revoke(self, name: str, who: str) -> bool:
        """Hide a block from one of its readers; whether it may be: everybody is nobody's name."""
        readers = self.readers(name)
        if readers is not _EVERYBODY and who in readers:
            self.own[name] = readers - {who}
        return readers is not _EVERYBODY

    def revoke_inside(self, name: str, who: str) -> bool:
        """Also where it was granted to them inside the block by itself."""
        if not self.revoke(name, who):
            return False
        for each in self._inside(name):
            readers = self.own.get(each, _EVERYBODY)
            if readers is not _EVERYBODY:
                self.own[each] = readers - {who}
        return True

    def make_private(self, name: str, *who: str) -> None:
        """Show a block to these alone."""
        self.own[name] = frozenset(who)

    def make_public(self, name: str) -> None:
        """Show a block to everybody."""
        self.own[name] = _EVERYBODY

    def inherit_readers(self, name: str) -> bool:
        """Give a block the readers of its page; whether that is there."""
        is_there = self.blocks[name].parent_id in {None, *self.blocks}
        if is_there:
            self.own.pop(name, None)
        return is_there

    def remove(self, name: str) -> list[str]:
        """Remove a block with all inside it; returns their names."""
        gone = [*self._inside(name)] if name in self.blocks else []
        for each in gone:
            del self.blocks[each]
            self.own.pop(each, None)
        return gone

    def readers(self, name: str | None) -> Granted | None:
        """Its own, else those of its page."""
        if name not in self.blocks:
            return _EVERYBODY
        return self.own[name] if name in self.own else self.readers(self.blocks[name].parent_id)

    def readable(self, user: str, *groups: str) -> list[str]:
        """The blocks that a user may read."""
        names = {user, *(f"group {each}" for each in groups)}
        readers = {name: self.readers(name) for name in self.blocks}
        return [name for name, own in readers.items() if own is _EVERYBODY or own & names]

    def title(self, name: str) -> str:
        """Its own, or that of its page if all who read the block read the page."""
        block = self.blocks[name]
        parent = block.parent_id
        if block.title or parent not in self.blocks:
            return block.title
        above, readers = self.readers(parent), self.readers(name)
        is_shown = above is _EVERYBODY or (readers is not _EVERYBODY and readers <= above)
        return self.title(parent) if is_shown else ""

    def would_be_inside_itself(self, name: str, parent: str | None) -> bool:
        """Whether a block would be above its own parent."""
        while parent is not None and parent != name:
            parent = self.blocks[parent].parent_id if parent in self.blocks else None
        return parent == name

    def _inside(self, name: str) -> Iterator[str]:
        yield name
        for child in [each for each, block in self.blocks.items() if block.parent_id == name]:
            yield from self._inside(child)
