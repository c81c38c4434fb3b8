"""What a workspace holds in one of its versions, and what of it somebody may see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import TypeAlias

from biblicus_context.stores import Block, Document, Entry, Place, Principal, Relation, Usage
from biblicus_context.stores.results import Direction
from tests.stores.memory.words import Words, stems

Arrow: TypeAlias = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Kept:
    """A block as it is kept: with its words and with its embedding by each model."""

    block: Block
    words: Words
    vectors: Mapping[str, bytes]
    keys: Mapping[str, str]

    @property
    def place(self) -> Place:
        """Where it stands."""
        block = self.block
        return Place(block.id, block.document_id, block.session, block.position, block.tokens)


@dataclass(frozen=True, slots=True)
class Shelf:
    """A document and its blocks."""

    document: Document
    blocks: tuple[Kept, ...]


@dataclass(frozen=True, slots=True)
class State:
    """A version: documents in the order in which they were written, and relations."""

    shelves: Mapping[str, Shelf] = field(default_factory=dict)
    relations: Mapping[Arrow, Relation] = field(default_factory=dict)
    written: datetime | None = None


@dataclass(slots=True)
class Workspace:
    """All versions that are kept, and what makes none."""

    states: list[State] = field(default_factory=lambda: [State()])
    oldest: int = 0
    """The number of the first of these versions."""
    usage: dict[str, Usage] = field(default_factory=dict)
    accessed: dict[str, datetime] = field(default_factory=dict)
    source: str | None = None
    dimensions: dict[str, int] = field(default_factory=dict)

    @property
    def newest(self) -> int:
        """The number of the last version."""
        return self.oldest + len(self.states) - 1


@dataclass(frozen=True)
class View:
    """What a principal sees of a version."""

    principal: Principal
    state: State
    accessed: Mapping[str, datetime]

    def sees(self, document: Document) -> bool:
        """Whether a document is for the principal's eyes."""
        readers, who = document.readers, self.principal
        if who.sees_all or not (readers.users or readers.groups):
            return True
        return who.user in readers.users or bool(readers.groups & set(who.groups))

    @cached_property
    def shelves(self) -> dict[str, Shelf]:
        """What may be seen, by the ids of documents, in the order of writing."""
        return {
            id_: Shelf(self._now(each.document), each.blocks)
            for id_, each in self.state.shelves.items()
            if self.sees(each.document)
        }

    @cached_property
    def blocks(self) -> list[Kept]:
        """The blocks that may be seen; their places in this list are their numbers."""
        return [each for shelf in self.shelves.values() for each in shelf.blocks]

    def _now(self, document: Document) -> Document:
        used = self.accessed.get(document.id)
        if used is None:
            return document
        return replace(document, accessed=max(used, document.accessed or used))

    def steps(
        self, source: str, direction: Direction, shelves: Mapping[str, Shelf]
    ) -> Iterator[tuple[str, Relation]]:
        """The relations of one document, each with its other end."""
        for relation in self.state.relations.values():
            if direction != "in" and relation.source == source and relation.target in shelves:
                yield relation.target, relation
            if direction != "out" and relation.target == source and relation.source in shelves:
                yield relation.source, relation


def kept(entry: Entry) -> tuple[Kept, ...]:
    """The blocks of an entry, with what is searched."""
    return tuple(
        Kept(
            block,
            Words(
                stems(block.text if block.indexed_text is None else block.indexed_text),
                stems(" ".join([entry.document.title, *block.heading])),
            ),
            {each.model: each.row(n) for each in entry.vectors if each.rows},
            {each.model: each.keys[n] for each in entry.vectors if each.keys},
        )
        for n, block in enumerate(entry.blocks or ())
    )


def retitled(blocks: Sequence[Kept], document: Document) -> tuple[Kept, ...]:
    """Blocks that are kept, searched by the title their document has now."""
    return tuple(
        replace(
            each,
            words=replace(
                each.words, heading=stems(" ".join([document.title, *each.block.heading]))
            ),
        )
        for each in blocks
    )
