"""The versions of a workspace, and what a principal can see of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

from biblicus_context.stores import (
    Action,
    Activity,
    Block,
    BlockPlace,
    Document,
    Entry,
    Principal,
    Relation,
    Usage,
)
from biblicus_context.stores.source import Applied, Owner
from biblicus_context.stores.words import Stems, stems_of

Arrow: TypeAlias = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class IndexedBlock:
    """A block with its words and with its embedding by each model."""

    row: int
    block: Block
    text: Stems
    """The stems of what is searched, in order."""
    heading: Stems
    """Those of the title and the headings."""
    vectors: Mapping[str, bytes]
    keys: Mapping[str, str]

    @property
    def place(self) -> BlockPlace:
        """Its id and position."""
        block = self.block
        return BlockPlace(block.id, block.document_id, block.session, block.position, block.tokens)


@dataclass(frozen=True, slots=True)
class WrittenDocument:
    """A document and its blocks."""

    row: int
    document: Document
    blocks: tuple[IndexedBlock, ...]


@dataclass(frozen=True, slots=True)
class WorkspaceVersion:
    """A version: documents in the order in which they were written, and relations."""

    documents: Mapping[str, WrittenDocument] = field(default_factory=dict)
    relations: Mapping[Arrow, Relation] = field(default_factory=dict)
    written: datetime | None = None


@dataclass(slots=True)
class MemoryWorkspace:
    """All versions that are kept, and what is not part of a version."""

    versions: list[WorkspaceVersion] = field(default_factory=lambda: [WorkspaceVersion()])
    oldest: int = 0
    """The number of the first of these versions."""
    usage: dict[str, Usage] = field(default_factory=dict)
    accessed: dict[str, datetime] = field(default_factory=dict)
    activity: dict[tuple[str, str, Action], Activity] = field(default_factory=dict)
    """By user, document and action."""
    source: str | None = None
    is_partial: bool = False
    dimensions: dict[str, int] = field(default_factory=dict)
    written: list[WrittenDocument] = field(default_factory=list)
    """Every document that was ever written: the one in row n is before that in row n + 1."""
    blocks: int = 0
    """The last row of a block."""
    owner: Owner = field(default_factory=Owner)
    tokens: dict[str, Applied] = field(default_factory=dict)
    """What writes made, by token."""

    @property
    def newest(self) -> int:
        """The number of the last version."""
        return self.oldest + len(self.versions) - 1


@dataclass(frozen=True)
class VisibleVersion:
    """What a principal can see of a version."""

    principal: Principal
    version: WorkspaceVersion
    accessed: Mapping[str, datetime]
    later: Sequence[WorkspaceVersion] = ()
    """The versions that were written since: rights are those of now."""

    def sees(self, document: Document) -> bool:
        """Whether the principal may see a document."""
        readers, who = document.readers, self.principal
        if who.sees_all or readers.are_everybody:
            return True
        return who.user in readers.users or bool(readers.groups & set(who.groups))

    def _still_sees(self, document: Document) -> bool:
        """Also by the readers of now, and without the title of what may no longer be read."""
        is_in_tree = document.parent is not None and document.own_readers is not None
        return document.id not in self._hidden_since and not (
            is_in_tree and document.title and document.title in self._hidden_titles
        )

    @cached_property
    def _hidden_since(self) -> set[str]:
        return {
            name
            for later in self.later
            for name, stored in later.documents.items()
            if not self.sees(stored.document)
        }

    @cached_property
    def _hidden_titles(self) -> set[str]:
        known = self.version.documents
        return {known[name].document.title for name in self._hidden_since & known.keys()}

    @property
    def hidden(self) -> int:
        """How many later versions there are up to the last one that hides something of this one."""
        seen = {name for name, s in self.version.documents.items() if self.sees(s.document)}
        hiding = (
            number
            for number, (before, later) in enumerate(pairwise([self.version, *self.later]), 1)
            for name in seen & later.documents.keys()
            if before.documents.get(name) is not later.documents[name]
            and not self.sees(later.documents[name].document)
        )
        return max(hiding, default=0)

    @cached_property
    def documents(self) -> dict[str, WrittenDocument]:
        """The visible documents by id, in the order in which they were written."""
        return {
            id_: WrittenDocument(each.row, self._now(each.document), each.blocks)
            for id_, each in self.version.documents.items()
            if self.sees(each.document) and self._still_sees(each.document)
        }

    @cached_property
    def blocks(self) -> list[IndexedBlock]:
        """The visible blocks, in the order in which they were written."""
        return [each for stored in self.documents.values() for each in stored.blocks]

    def _now(self, document: Document) -> Document:
        used = self.accessed.get(document.id)
        if used is None:
            return document
        return replace(document, accessed=max(used, document.accessed or used))


def indexed(entry: Entry, last_row: int) -> tuple[IndexedBlock, ...]:
    """The blocks of an entry, in the rows after the last one."""
    return tuple(
        IndexedBlock(
            last_row + 1 + n,
            block,
            stems_of(block.text if block.indexed_text is None else block.indexed_text),
            _heading(block, entry.document),
            {each.model: each.row(n) for each in entry.vectors if each.rows},
            {each.model: each.keys[n] for each in entry.vectors if each.keys},
        )
        for n, block in enumerate(entry.blocks or ())
    )


def moved(
    blocks: Sequence[IndexedBlock], document: Document, last_row: int
) -> tuple[IndexedBlock, ...]:
    """Blocks that an entry keeps: in new rows, with the words of the document's new title."""
    return tuple(
        replace(each, row=last_row + 1 + n, heading=_heading(each.block, document))
        for n, each in enumerate(blocks)
    )


def _heading(block: Block, document: Document) -> Stems:
    return stems_of(" ".join([document.title, *block.heading]))
